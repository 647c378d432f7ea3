"""Clusters without a model."""

import json
import tarfile

import pytest

from tasks.coref import baselines
from tasks.coref import json_lines
from tasks.coref.data import read_documents
from tasks.coref.metrics import score
from tasks.coref.split import split_documents
from tests import binaries
from tests.tasks.coref import small_documents


@pytest.mark.parametrize(
    "text, head",
    [
        ("He", "he"),
        ("the old Dog", "dog"),
        ("the dog of the house", "dog"),
        ("a man , who came", "man"),
        ("Mr. Elton 's wife", "wife"),
        ("in the house", "house"),
        ("that", "that"),
    ],
)
def test_find_head(text, head):
    assert baselines.find_head(text.split()) == head


def test_clusters():
    tokens = "The dog saw a dog of his and he saw His Dog".split()
    mentions = [(0, 1), (3, 6), (6, 6), (8, 8), (10, 10), (10, 11)]
    assert baselines.same_head(tokens, mentions) == [
        [(0, 1), (3, 6), (10, 11)],
        [(6, 6), (10, 10)],
        [(8, 8)],
    ]
    assert baselines.singletons(mentions) == [[span] for span in mentions]


TRAIN = small_documents.make("he saw him , he", [[(0, 0), (4, 4)], [(2, 2)]])
TEST = small_documents.make(
    "he saw Max / Max , he", [[(0, 0), (5, 5), (1, 1)], [(2, 2), (3, 3)]]
)
EXPECTED = {
    "given_mentions": {
        "singletons": score([(["afb", "cd"], ["a", "b", "c", "d", "f"])]),
        "same_head": score([(["afb", "cd"], ["af", "b", "cd"])]),
    },
    # All but "saw".
    "found_mentions": {
        "singletons": score([(["afb", "cd"], ["a", "c", "d", "f"])]),
        "same_head": score([(["afb", "cd"], ["af", "cd"])]),
    },
}


def test_given_mentions():
    document = small_documents.make("a b", [[(1, 1)], [(0, 1), (1, 1)]])
    assert baselines.given_mentions(document) == [(0, 1), (1, 1)]


def test_score_baselines():
    assert baselines.score_baselines([TRAIN], [TEST]) == EXPECTED


def test_binary(tmp_path):
    train, test = tmp_path / "train", tmp_path / "test"
    json_lines.write_json_lines(train, [TRAIN])
    json_lines.write_json_lines(test, [TEST])
    result = binaries.run("tasks.coref.baselines", train, test)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    assert json.loads(result.stdout) == EXPECTED
    result = binaries.run("tasks.coref.baselines", train, tmp_path / "none")
    binaries.check_mistake(
        result, "baselines", f"{tmp_path}/none: no such file"
    )


@pytest.mark.slow
def test_litbank(shared_data, tmp_path):
    path = shared_data / "data/coref/litbank/litbank-coref-conll.tar.gz"
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    pieces = split_documents(read_documents(tmp_path / "coref/conll/*"))
    found = baselines.score_baselines(pieces["train"], pieces["test"])
    averages = {
        mentions: {
            clusters: round(100 * scores["average_f1"], 2)
            for clusters, scores in by_clusters.items()
        }
        for mentions, by_clusters in found.items()
    }
    assert averages == {
        "given_mentions": {"singletons": 30.09, "same_head": 68.19},
        "found_mentions": {"singletons": 13.04, "same_head": 45.72},
    }
