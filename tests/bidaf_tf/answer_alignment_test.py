"""Answers and their tokens, by hand and against a search of all spans."""

import random

import pytest

from bidaf_tf import answer_alignment
from bidaf_tf.answer_alignment import AnswerAlignment
from bidaf_tf.answer_alignment import align_answer
from bidaf_tf.answer_alignment import span_text
from bidaf_tf.squad_answer import SquadAnswer

#          0123456789012345
CONTEXT = "The U.S. 😀team's "
STARTS = [0, 4, 9, 10, 14]
ENDS = [3, 8, 10, 14, 16]


@pytest.mark.parametrize(
    "text, start, expected, covered",
    [
        ("The", 0, ("exact", 0, 0), "The"),
        ("The U.S.", 0, ("exact", 0, 1), "The U.S."),
        ("U.S. 😀", 4, ("exact", 1, 2), "U.S. 😀"),
        ("team's", 10, ("exact", 3, 4), "team's"),
        (" U.S. ", 3, ("spaces", 1, 1), "U.S."),
        ("team's ", 10, ("spaces", 3, 4), "team's"),
        ("U.S", 4, ("inside_token", 1, 1), "U.S."),
        ("e U", 2, ("inside_token", 0, 1), "The U.S."),
        ("eam", 11, ("inside_token", 3, 3), "team"),
        (" S. ", 5, ("misplaced", None, None), None),
        ("S. ", 6, ("inside_token", 1, 1), "U.S."),
        (" ", 3, ("no_token", None, None), None),
        ("", 5, ("no_token", None, None), None),
        ("team", 9, ("misplaced", None, None), None),
        ("'s", -2, ("misplaced", None, None), None),
        ("The", 99, ("misplaced", None, None), None),
    ],
)
def test_by_hand(text, start, expected, covered):
    found = align_answer(CONTEXT, STARTS, ENDS, SquadAnswer(text, start))
    assert found == AnswerAlignment(*expected)
    if covered is not None:
        assert covered == span_text(
            CONTEXT, STARTS, ENDS, found.first, found.last
        )


@pytest.mark.parametrize("text", ["", " "])
def test_without_tokens(text):
    found = align_answer(" ", [], [], SquadAnswer(text, 0))
    assert found == AnswerAlignment("no_token")


def test_outcomes_are_listed():
    assert answer_alignment.OUTCOMES == (
        "exact",
        "spaces",
        "inside_token",
        "no_token",
        "misplaced",
    )


def test_no_shorter_span_covers_the_answer():
    generator = random.Random(0)
    for _ in range(500):
        context = "".join(generator.choices("ab  ", k=12))
        # Each letter that follows a letter begins a token of its own or not.
        starts = [
            i
            for i, character in enumerate(context)
            if character != " "
            and (i == 0 or context[i - 1] == " " or generator.random() < 0.5)
        ]
        ends = [
            min(
                end
                for end in range(start + 1, len(context) + 1)
                if end in starts or context[end : end + 1] in ("", " ")
            )
            for start in starts
        ]
        start, end = sorted(generator.sample(range(13), 2))
        answer = SquadAnswer(context[start:end], start)
        letters = {i for i in range(start, end) if context[i] != " "}
        covering = [
            (last - first, first, last)
            for first in range(len(starts))
            for last in range(first, len(starts))
            if letters <= set(range(starts[first], ends[last]))
        ]
        found = align_answer(context, starts, ends, answer)
        if letters:
            _, *expected = min(covering)
            assert [found.first, found.last] == expected
        else:
            assert found.outcome == "no_token"
