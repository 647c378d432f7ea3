"""Several models' answers as one, by hand and by brute force."""

import itertools
import random

import pytest

from bidaf_tf.answer import Answer
from bidaf_tf.joined_answers import join_answers
from elmo_tf.errors import InputError

CONTEXT = "Anna met Bob"
ANNA, MET, BOB = (
    lambda score: Answer("Anna", 0, 4, score),
    lambda score: Answer("met", 5, 8, score),
    lambda score: Answer("Bob", 9, 12, score),
)


def test_the_highest_sum():
    members = [
        {"1": [ANNA(0.6), BOB(0.4)], "2": [MET(0.75)]},
        {"2": [ANNA(0.5), MET(0.25)], "1": [BOB(0.5), MET(0.25)]},
    ]
    assert join_answers(members, ["a", "b"]) == {
        "1": [BOB(pytest.approx(0.45)), ANNA(pytest.approx(0.3))],
        "2": [MET(0.5), ANNA(0.25)],
    }


def test_equal_sums():
    """What starts first, then what ends first, whichever member says so."""
    wide = Answer("Anna met", 0, 8, 0.25)
    members = [{"1": [BOB(0.25), ANNA(0.25)]}, {"1": [wide, MET(0.25)]}]
    for order in itertools.permutations(members):
        (found,) = join_answers(order, ["a", "b"]).values()
        assert [answer.text for answer in found] == ["Anna", "Anna met"]
    # 0.1 + 0.2 + 0.3 depends on the order of adding.
    members = [
        {"1": [ANNA(scores[0]), BOB(scores[1])]}
        for scores in ((0.1, 0.3), (0.2, 0.2), (0.3, 0.1))
    ]
    for order in itertools.permutations(members):
        (found,) = join_answers(order, ["a", "b", "c"]).values()
        assert [answer.text for answer in found] == ["Anna", "Bob"]
        assert found[0].score == found[1].score


def test_against_brute_force():
    generator = random.Random(0)
    spans = list(itertools.combinations(range(6), 2))
    members = []
    for _ in range(5):
        chosen = generator.sample(spans, 9)
        members.append(
            {
                "1": [
                    Answer("abcdef"[a:b], a, b, generator.random())
                    for a, b in chosen
                ]
            }
        )
    expected = {}
    for span in spans:
        scores = [
            answer.score
            for member in members
            for answer in member["1"]
            if (answer.start, answer.end) == span
        ]
        expected[span] = sum(scores) / 5
    best = sorted(expected, key=lambda span: -expected[span])[:9]
    (found,) = join_answers(members, list("abcde")).values()
    assert [(answer.start, answer.end) for answer in found] == best
    assert [answer.score for answer in found] == pytest.approx(
        [expected[span] for span in best]
    )


@pytest.mark.parametrize(
    "members, message",
    [
        (
            [{"1": [ANNA(0.5)]}, {"1": [ANNA(0.5)], "2": [ANNA(0.5)]}],
            "a: found no question '2', expected the questions of b",
        ),
        (
            [{"1": [ANNA(0.5)], "0": [ANNA(0.5)]}, {"1": [ANNA(0.5)]}],
            "b: found no question '0', expected the questions of a",
        ),
        (
            [{"1": [ANNA(0.5)]}, {"1": [Answer("Otto", 0, 4, 0.5)]}],
            "b: question '1': found 'Otto' from 0 to 4, expected 'Anna' as in "
            "a: question '1'",
        ),
    ],
)
def test_other_questions(members, message):
    with pytest.raises(InputError) as error:
        join_answers(members, ["a", "b"])
    assert str(error.value) == message
