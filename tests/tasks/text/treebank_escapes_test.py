import pytest

from tasks.text.treebank_escapes import unescape


@pytest.mark.parametrize(
    "word, text",
    [
        ("-LRB-", "("),
        ("-RRB-", ")"),
        ("-LSB-", "["),
        ("-RSB-", "]"),
        ("-LCB-", "{"),
        ("-RCB-", "}"),
        ("1\\/2\\/3", "1/2/3"),
        ("\\*\\*", "**"),
        ("x-LRB-", "x-LRB-"),
        ("``", "``"),
        ("''", "''"),
        ("\\", "\\"),
    ],
)
def test_unescape(word, text):
    assert unescape(word) == text
