"""The binary that builds a vocabulary, run as a user runs it."""

import gzip
import json
import os

import pytest

from elmo_tf.text.vocabulary import Vocabulary
from tests import binaries

TEXT = b"the cat saw the dog .\nthe dog saw a bird .\n"


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(gzip.compress(TEXT))
    return f"{tmp_path}/?.txt"


def run(input_path, output, *arguments):
    return binaries.run(
        "elmo_tf.build_vocab",
        f"--input_path={input_path}",
        f"--output={output}",
        *arguments,
    )


def test_min_count(corpus, tmp_path):
    output = f"{tmp_path}/vocab.txt"
    result = run(corpus, output, "--min_count=3")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "size": 7,
        "words": 4,
        "distinct_words": 7,
        "tokens": 24,
        "coverage": 0.75,
    }
    assert Vocabulary.load(output).tokens == [
        *("<S>", "</S>", "<UNK>"),
        *("the", ".", "dog", "saw"),
    ]
    assert result.stderr == "read 0.0 of 0.0 MB | 0:00:00 left\n"


def test_max_size(corpus, tmp_path):
    output = f"{tmp_path}/vocab.txt"
    result = json.loads(run(corpus, output, "--max_size=5").stdout)
    assert result["size"] == 5 and result["words"] == 2
    assert result["coverage"] == round(10 / 24, 6)
    assert Vocabulary.load(output).tokens[3:] == ["the", "."]


def test_a_missing_file(tmp_path):
    result = run(f"{tmp_path}/none.txt", f"{tmp_path}/vocab.txt")
    binaries.check_mistake(
        result, "build_vocab", f"{tmp_path}/none.txt: no such file"
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("output", ["", "none/vocab.txt", "a.txt", "link.txt"])
def test_an_output_that_cannot_be(corpus, tmp_path, output):
    os.symlink("a.txt", tmp_path / "link.txt")
    reason = "expected a file in an existing folder"
    if output in ("a.txt", "link.txt"):
        reason = "is one of the input files"
    binaries.check_mistake(
        run(corpus, f"{tmp_path}/{output}"),
        "build_vocab",
        f"--output={tmp_path}/{output}: {reason}",
    )
    assert (tmp_path / "a.txt").read_bytes() == TEXT


@pytest.mark.parametrize(
    "argument, message",
    [
        ("--min_count=0", "min_count: found 0, expected at least 1"),
        ("--max_size=1", "max_size: found 1, expected at least 4"),
        ("--min_count=9", "no word occurs 9 times or more"),
    ],
)
def test_nothing_is_written_after_a_mistake(
    corpus, tmp_path, argument, message
):
    output = tmp_path / "vocab.txt"
    result = run(corpus, output, argument)
    assert message in result.stderr.splitlines()[-1]
    assert result.returncode == 2
    assert not output.exists()
