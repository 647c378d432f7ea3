"""Answers know where they end and whether they stand there."""

import pytest

from bidaf_tf.squad_answer import SquadAnswer


@pytest.mark.parametrize(
    "text, start, expected",
    [
        ("cat", 2, True),
        ("cat", 1, False),
        ("t 😀", 4, True),
        ("!", 7, True),
        ("!", 8, False),
        # Python would count it from the end.
        ("!", -1, False),
        ("", 3, True),
    ],
)
def test_stands_in(text, start, expected):
    assert SquadAnswer(text, start).stands_in("a cat 😀!") is expected


def test_end():
    assert SquadAnswer("😀 b", 3).end == 6
