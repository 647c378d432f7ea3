"""Words of several parts."""

import pytest

from tasks.wsd.tokens import split_tokens


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("bank", ["bank"]),
        ("took_place", ["took", "place"]),
        ("Church of England", ["Church", "of", "England"]),
        ("change-ringing", ["change-ringing"]),
        ("_U._S._", ["U.", "S."]),
        ("_", ["_"]),
        (" ", []),
    ],
)
def test_split(text, tokens):
    assert split_tokens(text) == tokens
