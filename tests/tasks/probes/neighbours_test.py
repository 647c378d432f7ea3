"""Nearest neighbours from the flags to the table."""

import json

import pytest

from tests import binaries
from tests.tasks import tiny_elmo

TEXT = """\
They went to see a play .

The boys play in the garden .
a | play

They play .
"""
VECTORS = """\
play 1 0
game 0.9 0.1
Play 0 1
river -1 0.2
"""


@pytest.fixture(scope="module")
def bilm(tmp_path_factory):
    return tiny_elmo.export(tmp_path_factory.mktemp("bilm") / "bilm")


@pytest.fixture
def options(bilm, tmp_path):
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "vectors.txt").write_text(VECTORS)
    return {
        "saved_model": bilm,
        "input_path": tmp_path / "text.txt",
        "word": "play",
        "sentence": "They play .",
        "output": tmp_path / "found",
    }


def run(options, *arguments):
    return binaries.run(
        "tasks.probes.neighbours",
        *(f"--{name}={value}" for name, value in options.items()),
        *arguments,
    )


def found(result):
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_other_occurrences_of_the_word(options, tmp_path):
    arguments = (
        "--same_word",
        "--sentence=a play is a play",
        "--occurrence=1",
        f"--word_vectors={tmp_path}/vectors.txt",
    )
    result = run(options, *arguments)
    results = found(result)
    assert json.loads((tmp_path / "found/results.json").read_text()) == results
    assert results["probe"] == "neighbours"
    assert (results["sentences"], results["tokens"]) == (6, 20)
    assert results["occurrences"] == 4
    first, second = results["queries"]
    assert first["sentence"] == ["They", "play", "."]
    assert (first["position"], second["position"]) == (1, 1)
    assert list(first["layers"]) == ["0", "1", "2"]
    for neighbours in first["layers"].values():
        # As many as there are, without the sentence itself.
        assert sorted(near["line"] for near in neighbours) == [1, 3, 4]
        assert all(
            near["sentence"][near["position"]] == "play" for near in neighbours
        )
        cosines = [near["similarity"] for near in neighbours]
        assert cosines == sorted(cosines, reverse=True)
    assert [near["line"] for near in second["layers"]["0"]] == [1, 3, 4, 6]
    assert results["word_vectors"]["word"] == "play"
    words = [near["word"] for near in results["word_vectors"]["neighbours"]]
    assert words == ["game", "Play", "river"]
    assert "They [play] ." in result.stdout
    assert r"a \| [play]" in result.stdout
    assert "Word vectors, play: game, Play, river" in result.stdout
    page = (tmp_path / "found" / "table.md").read_text()
    assert "\n".join(result.stdout.splitlines()[:-1]) in page
    assert "layers: 6 sentences\nsentence 6/6 | " in result.stderr

    # The vectors are found again; of another text they are others.
    again = run(options, *arguments)
    assert again.stderr == ""
    assert found(again)["queries"] == results["queries"]
    options["input_path"].write_text(TEXT + "They play on .\n")
    assert "layers: 7 sentences" in run(options, *arguments).stderr


def test_all_words(options, tmp_path):
    options["input_path"].write_text(TEXT * 60)
    results = found(
        run(
            options,
            *("--k=3", "--layers=2,1", "--exact_below=0"),
            *("--recall_queries=5", f"--index_dir={tmp_path}/index"),
        )
    )
    assert results["approximate"] is True
    (query,) = results["queries"]
    assert list(query["layers"]) == list(results["recall"]) == ["1", "2"]
    for neighbours in query["layers"].values():
        assert len(neighbours) == 3
        assert all(near["sentence"] != query["sentence"] for near in neighbours)
    (folder,) = (tmp_path / "index").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        *("layer_1.faiss", "layer_1.npy", "layer_2.faiss", "layer_2.npy"),
    ]
    assert results["word_vectors"] is None


def test_without_a_vector(options, tmp_path):
    (tmp_path / "vectors.txt").write_text("river 1 0\n")
    result = run(options, f"--word_vectors={tmp_path}/vectors.txt")
    assert found(result)["word_vectors"]["neighbours"] == []
    assert "Word vectors, play: not there" in result.stdout


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"word": "plays"}, "--sentence: found no token 'plays' in 'They play"),
        (
            {"sentence": "play play"},
            "--sentence: found 'play' 2 times in 'play play', expected --occu",
        ),
        (
            {"occurrence": 2},
            "--occurrence: found 2, but 'play' is there 1 times in 'They play",
        ),
        ({"saved_model": "none"}, "none: no such folder, nor a pre-trained"),
        ({"layers": "3"}, "--layers: found '3', expected some of 0, 1, 2"),
        (
            {
                "word": "boys",
                "same_word": "true",
                "sentence": "The boys play in the garden .",
            },
            "--same_word: found no 'boys' in ",
        ),
        ({"input_path": "none.txt"}, "none.txt: no such file"),
        ({"word_vectors": "none.txt"}, "none.txt: no such file"),
    ],
)
def test_mistakes(options, changes, message):
    result = run({**options, **changes})
    binaries.check_mistake(result, "neighbours", message)
    assert not options["output"].exists()


def test_an_empty_text(options):
    options["input_path"].write_text("\n\n")
    result = run(options)
    binaries.check_mistake(
        result, "neighbours", f"{options['input_path']}: no token in 2 blank"
    )
