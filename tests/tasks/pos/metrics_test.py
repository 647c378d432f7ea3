import pytest

from tasks.pos.metrics import score
from tasks.pos.tagged_sentence import TaggedSentence

EXAMPLES = [
    TaggedSentence(("the", "old", "man"), ("DT", "JJ", "NN")),
    TaggedSentence(("The", "boat"), ("DT", "NN")),
]


def test_score():
    found = score(
        EXAMPLES,
        [["DT", "NN", "NN"], ["DT", "VB"]],
        {"the", "old", "man"},
    )
    assert found == {
        "accuracy": pytest.approx(3 / 5),
        # "The" is another word than "the".
        "unseen_accuracy": pytest.approx(1 / 2),
        "tokens": 5,
        "unseen_tokens": 2,
        "accuracy/DT": 1.0,
        "accuracy/JJ": 0.0,
        "accuracy/NN": 0.5,
    }
    assert list(found)[4:] == ["accuracy/DT", "accuracy/JJ", "accuracy/NN"]


def test_nothing_unseen():
    found = score(
        EXAMPLES[:1], [["DT", "JJ", "NN"]], {"the", "old", "man", "boat"}
    )
    assert (found["accuracy"], found["unseen_accuracy"]) == (1.0, 0.0)
    assert found["unseen_tokens"] == 0
