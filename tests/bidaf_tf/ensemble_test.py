"""The binary that joins saved answers, run as a user runs it."""

import json
import os

import pytest

from bidaf_tf import squad
from bidaf_tf.answer import Answer
from tests import binaries


def run(*arguments):
    return binaries.run("bidaf_tf.ensemble", *arguments)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    squad.write_n_best(
        "a.json",
        {"1": [Answer("Zoë", 0, 3, 0.625), Answer("Bob", 8, 11, 0.25)]},
    )
    squad.write_n_best(
        "b.json", {"1": [Answer("Bob", 8, 11, 0.75), Answer("Zoë", 0, 3, 0.25)]}
    )
    return ["--predictions=a.json", "--predictions=b.json"]


def test_answers(files):
    result = run(*files, "--output=out.json", "--n_best_output=best.json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"members": 2, "questions": 1}
    assert squad.read_predictions("out.json") == {"1": "Bob"}
    assert squad.read_n_best("best.json") == {
        "1": [Answer("Bob", 8, 11, 0.5), Answer("Zoë", 0, 3, 0.4375)]
    }
    # Without the second file there is none.
    os.remove("best.json")
    assert run(*files, "--output=out.json").returncode == 0
    assert sorted(os.listdir()) == ["a.json", "b.json", "out.json"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--predictions=a.json"],
            "--predictions: found 1 file, a.json, expected two or more",
        ),
        (
            ["--predictions=a.json", "--predictions=./a.json"],
            "--predictions: ./a.json occurs twice",
        ),
        (
            ["--predictions=a.json", "--predictions=none.json"],
            "none.json: cannot be read: No such file or directory",
        ),
        (
            ["--predictions=a.json", "--predictions=plain.json"],
            "plain.json: question '1': found \"Bob\", expected a list",
        ),
        (
            ["--predictions=a.json", "--predictions=other.json"],
            "other.json: found no question '1', expected the questions of "
            "a.json",
        ),
        (
            [
                *("--predictions=a.json", "--predictions=b.json"),
                "--output=b.json",
            ],
            "--output=b.json: is one of the input files",
        ),
        (
            [
                *("--predictions=a.json", "--predictions=b.json"),
                "--n_best_output=out.json",
            ],
            "--n_best_output=out.json: expected another file than in "
            "--output=out.json",
        ),
    ],
)
def test_mistakes(files, arguments, message):
    squad.write_predictions("plain.json", {"1": "Bob"})
    squad.write_n_best("other.json", {"2": [Answer("Zoë", 0, 3, 0.625)]})
    before = sorted(os.listdir())
    result = run("--output=out.json", *arguments)
    binaries.check_mistake(result, "ensemble", message)
    assert sorted(os.listdir()) == before


def test_missing_flags():
    binaries.check_mistake(
        run("--output=x"), "ensemble", "flag --predictions=None: "
    )
