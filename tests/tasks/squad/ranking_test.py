"""The best answers of windows and members; see also `task_test`."""

import itertools

import numpy as np
import pytest

from bidaf_tf.answer import Answer
from bidaf_tf.squad_question import SquadQuestion
from tasks.squad.data import SquadExample
from tasks.squad.ranking import join_members
from tasks.squad.ranking import rank_answers
from tasks.squad.window_spans import WindowSpans

CONTEXT = "abcdef"


def example(start, end):
    places = range(start, end)
    return SquadExample(
        SquadQuestion("1", "T", CONTEXT, "?"),
        tuple(CONTEXT[start:end]),
        ("?",),
        tuple(places),
        tuple(place + 1 for place in places),
    )


def test_equals_stay_in_their_order():
    windows = [
        WindowSpans([(2, 3, 1.0), (0, 1, 1.0)], 3.0),
        WindowSpans([(3, 3, 2.0), (0, 1, 1.0), (1, 1, 1.0)], 3.0),
    ]
    found = rank_answers([example(0, 4), example(2, 6)], windows, 4)
    total = 2 * np.exp(3.0)
    assert found == [
        Answer("f", 5, 6, pytest.approx(np.exp(2.0) / total)),
        # In both windows.
        Answer("cd", 2, 4, pytest.approx(np.exp(1.0) / total)),
        Answer("ab", 0, 2, pytest.approx(np.exp(1.0) / total)),
        Answer("d", 3, 4, pytest.approx(np.exp(1.0) / total)),
    ]
    assert rank_answers([example(0, 4), example(2, 6)], windows, 2) == found[:2]


def test_large_logits():
    windows = [WindowSpans([(0, 0, 2000.0)], 2000.0)] * 2
    (found,) = rank_answers([example(0, 1), example(0, 1)], windows, 1)
    assert found.score == pytest.approx(0.5)
    # As rounded as float32 has them.
    windows = [WindowSpans([(0, 0, 20.000002)], 20.0)]
    assert rank_answers([example(0, 1)], windows, 1)[0].score == 1.0


@pytest.mark.parametrize("max_length", [None, 2])
def test_equal_probabilities_of_an_ensemble(max_length):
    spans = [
        (first, last)
        for first, last in itertools.combinations_with_replacement(range(4), 2)
        if max_length is None or last - first < max_length
    ]
    for n in range(1, len(spans) + 3):
        (found,) = join_members([np.zeros([3, 2, 4])], n, max_length)
        assert [span[:2] for span in found.spans] == spans[:n]
        for _, _, score in found.spans:
            assert score == pytest.approx(np.log(1 / 16))
        assert found.total == pytest.approx(0.0)


def test_a_member_that_sees_the_answer_elsewhere():
    """One member's probability is in the first window, the other's in both."""
    first = np.zeros([2, 2, 2])
    second = np.zeros([2, 2, 2])
    first[0, 0, 0] = 1000.0
    found = join_members([first, second], 3, None)
    spans = {span[:2]: np.exp(span[2]) for span in found[0].spans}
    assert spans == {
        # Half of it each: both ends are equally likely.
        (0, 0): pytest.approx((1 / 2 + 1 / 8) / 2),
        (0, 1): pytest.approx((1 / 2 + 1 / 8) / 2),
        (1, 1): pytest.approx((0 + 1 / 8) / 2),
    }
    assert np.exp(found[0].total) == pytest.approx((1 + 1 / 2) / 2)
    assert np.exp(found[1].total) == pytest.approx((0 + 1 / 2) / 2)


def test_probabilities_that_are_too_small():
    logits = np.array([[[0.0, -2000.0], [0.0, -2000.0]]])
    (found,) = join_members([logits, logits], 3, None)[:1]
    assert [span[:2] for span in found.spans] == [(0, 0), (0, 1), (1, 1)]
    ranked = rank_answers([example(0, 2)], [found], 3)
    assert [answer.score for answer in ranked] == [1.0, 0.0, 0.0]
