"""Sentences with the words of the tiny WordNet, for tests."""

from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_sentence import SenseSentence

BANK = ("bank%1:17:01::", "bank%1:14:00::", "bank%1:06:00::")


def make(text, *words):
    """Makes a `SenseSentence`.

    Args:
        text: Its tokens, with spaces between them.
        *words: Tuples of lemma, part of speech, first token, end and keys, as
            `SenseInstance` has them.

    Returns:
        The `SenseSentence`; an instance is called by text and place.
    """
    instances = tuple(
        SenseInstance(f"{text}/{start}", lemma, pos, start, end, keys)
        for lemma, pos, start, end, keys in words
    )
    return SenseSentence(tuple(text.split()), instances)


def training():
    """A list of sentences in which the word before tells the sense."""
    return [
        make("old bank here", ("bank", "n", 1, 2, BANK[:1])),
        make("an old bank", ("bank", "n", 2, 3, BANK[:1])),
        make("rich banks", ("bank", "n", 1, 2, BANK[1:2])),
        make("the rich bank", ("bank", "n", 2, 3, BANK[1:])),
        make(
            "we bank with a savings bank",
            ("bank", "v", 1, 2, ("bank%2:40:00::",)),
            ("savings_bank", "n", 4, 6, ("savings_bank%1:06:02::",)),
        ),
        make("nothing here"),
        make("so big", ("big", "a", 1, 2, ("big%5:00:02:big:01",))),
        make("unknown here", ("unknown", "n", 0, 1, ("unknown%1:00:00::",))),
    ]


def test():
    """A list of sentences to disambiguate."""
    return [
        make("my old bank", ("bank", "n", 2, 3, BANK[:1])),
        make("rich bank of ours", ("bank", "n", 1, 2, BANK[1:2])),
        make(
            "they bank big money",
            ("bank", "v", 1, 2, ("bank%2:40:00::",)),
            ("big", "a", 2, 3, ("big%3:00:01::",)),
        ),
        make(
            "a man knows shore",
            ("man", "n", 1, 2, ("man%1:04:00::",)),
            ("shore", "n", 3, 4, ("shore%1:17:09::",)),
            ("know", "v", 2, 3, ("know%2:31:01::",)),
        ),
        make("no question"),
    ]
