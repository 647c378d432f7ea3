"""The figures are those of the framework's scorer, and counted by hand."""

import json
import random

import pytest

from tasks.wsd.key_file import read_keys
from tasks.wsd.metrics import score
from tests import binaries

GOLD = """\
d.t0 art%1:09:00::
d.t1 peculiar%5:00:00:specific:00 peculiar%5:00:00:characteristic:00
d.t2 be%2:42:03::
d.t3 be%2:42:06::
d.t4 bell%1:06:00::
d.t4 bell%1:06:02::
d.t5 go%2:38:00::
d.t6 well%4:02:01::
"""
PREDICTED = """\
x.t0 art%1:09:00::
d.t5
d.t4 bell%1:06:02::
d.t1 peculiar%5:00:00:specific:00 peculiar%5:00:00:unusual:00 peculiar%5:00:00:characteristic:00
d.t0 art%1:09:00:: art%1:09:00::
d.t2 be%2:42:06:: be%2:42:03::
d.t3 be%2:42:03::
d.t3 be%2:42:07::
"""  # noqa: E501
# Scorer.java of the evaluation framework on these two, without rounding.
SCORER = {
    "precision": 0.6333333333333333,
    "recall": 0.4523809523809524,
    "f1": 0.5277777777777778,
}


@pytest.fixture
def paths(tmp_path):
    gold, predicted = tmp_path / "gold.key.txt", tmp_path / "out.key.txt"
    gold.write_text(GOLD)
    predicted.write_text(PREDICTED)
    return gold, predicted


def test_as_the_scorer(paths):
    scores = score(*map(read_keys, paths))
    assert scores == {
        "instances": 7,
        "attempted": 5,
        "correct": pytest.approx(1 + 2 / 3 + 1 / 2 + 1),
        **{name: pytest.approx(value) for name, value in SCORER.items()},
    }


def test_by_brute_force():
    """Answer by answer, in the order of the predictions."""
    generator = random.Random(0)
    keys = [f"k{number}" for number in range(4)]

    def draw(names, least):
        return {
            name: tuple(generator.sample(keys, generator.randint(least, 3)))
            for name in names
        }

    for _ in range(20):
        gold = draw("abcdefgh", 1)
        predicted = draw("cdefghij", 0)
        right = wrong = 0
        for name, answers in predicted.items():
            for answer in answers if name in gold else ():
                if answer in gold[name]:
                    right += 1 / len(answers)
                else:
                    wrong += 1 / len(answers)
        scores = score(gold, predicted)
        assert scores["correct"] == pytest.approx(right)
        assert scores["attempted"] == pytest.approx(right + wrong)
        assert scores["precision"] == pytest.approx(right / (right + wrong))
        assert scores["recall"] == pytest.approx(right / 8)


def test_nothing_right_and_nothing_there():
    nothing = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    for predicted in ({}, {"a": ("y",)}, {"a": ()}):
        assert score({"a": ("x",)}, predicted).items() >= nothing.items()
    assert score({}, {})["instances"] == 0
    assert score({"a": ()}, {"a": ("x",)})["instances"] == 0


class TestBinary:
    def test_one_line(self, paths):
        result = binaries.run("tasks.wsd.metrics", *paths)
        assert result.returncode == 0
        assert result.stdout.count("\n") == 1
        assert json.loads(result.stdout) == score(*map(read_keys, paths))
        gold, predicted = paths
        assert result.stderr == (
            f"{predicted}: 1 lines without a key do not count\n"
            f"{predicted}: 1 instances that {gold} lacks do not count\n"
        )

    def test_mistakes(self, paths, tmp_path):
        gold, predicted = paths
        binaries.check_mistake(
            binaries.run("tasks.wsd.metrics", tmp_path / "none", predicted),
            "metrics",
            f"{tmp_path}/none: cannot be read",
        )
        result = binaries.run("tasks.wsd.metrics", gold)
        binaries.check_mistake(result, "metrics", "missing argument PREDICTED")
        gold.write_text("a\n")
        predicted.write_text("a x\n")
        result = binaries.run("tasks.wsd.metrics", gold, predicted)
        assert result.returncode == 2
        assert f"error: {gold}: found no key, expected some" in result.stderr


def test_the_framework_s_output(shared_data):
    """WordNet's first senses: what the framework publishes is 65.2."""
    folder = shared_data / "data" / "wsd" / "raganato_eval"
    if not folder.is_dir():
        pytest.skip(f"no evaluation framework at {folder}")
    scores = score(
        read_keys(folder / "ALL" / "ALL.gold.key.txt"),
        read_keys(folder / "ALL_mfs.txt.gz"),
    )
    assert (scores["instances"], scores["correct"]) == (7253, 4728)
    assert round(100 * scores["f1"], 1) == 65.2
