"""Which answers are right, and where they stand."""

import dataclasses

from bidaf_tf.squad_answer import SquadAnswer
from tests.bidaf_tf.report.judged import judge


def test_right_and_wrong():
    one = judge("Oslo", "the ann!", answers=("Bob", "Ann"))
    assert not one.is_right and one.other_is_right
    one = judge("Bob", "", answers=("Bob", "Ann"))
    assert one.is_right and not one.other_is_right
    # No answer is not the empty one.
    assert not judge("Bob", None).other_is_right
    assert judge("Bob", "", answers=("the",)).other_is_right


def test_places():
    one = judge("Bob", answers=("Oslo", "Ann", "Oslo"))
    assert one.gold_spans == [(0, 3), (15, 19)]
    assert one.predicted_spans == [(8, 11)]
    # Answers that are blank or stand elsewhere have no place.
    question = dataclasses.replace(
        one.question, answers=(SquadAnswer("Ann", 1), SquadAnswer("", 3))
    )
    one = dataclasses.replace(one, question=question, start=0, end=0)
    assert one.gold_spans == one.predicted_spans == []
