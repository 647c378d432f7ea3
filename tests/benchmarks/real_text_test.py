"""Texts as sentences, and so many tokens of them."""

import pytest

from benchmarks.real_text import first_tokens
from benchmarks.real_text import split_text


def test_split_text():
    assert split_text("  It costs $3.50, e.g.\n\nAnd more!  Yes.\n") == [
        ["It", "costs", "$", "3", ".", "50", ",", "e", ".", "g", "."],
        ["And", "more", "!", "Yes", "."],
    ]


@pytest.mark.parametrize(
    "n_tokens, expected",
    [
        (1, ["a"]),
        (3, ["a b", "c"]),
        (5, ["a b", "c d e"]),
        (11, ["a b", "c d e", "a b", "c d e", "a"]),
    ],
)
def test_first_tokens(n_tokens, expected):
    found = first_tokens([["a", "b"], ["c", "d", "e"]], n_tokens)
    assert list(map(" ".join, found)) == expected
