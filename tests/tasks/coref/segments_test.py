"""Runs of sentences taken out of documents."""

import dataclasses

import numpy as np
import pytest

from tasks.coref.segments import take_sentences
from tasks.coref.segments import truncate_at_random
from tests.tasks.coref import small_documents

CLUSTERS = [[(0, 0), (2, 3), (4, 4)], [(1, 2)], [(3, 3)], [(4, 5), (6, 6)]]


@pytest.mark.parametrize(
    "first, n, text, clusters",
    [
        (0, 4, "a b / c d / e / f g", CLUSTERS),
        (0, 9, "a b / c d / e / f g", CLUSTERS),
        # (1, 2) begins before it, (4, 5) ends after it.
        (1, 2, "c d / e", [[(0, 1), (2, 2)], [(1, 1)]]),
        (3, 1, "f g", [[(1, 1)]]),
        (2, 9, "e / f g", [[(0, 0)], [(0, 1), (2, 2)]]),
    ],
)
def test_take_sentences(first, n, text, clusters):
    document = small_documents.make("a b / c d / e / f g", CLUSTERS, place="f")
    found = take_sentences(document, first, n)
    assert found == small_documents.make(text, clusters)
    assert found.place == "f"


def test_speakers_are_cut_too():
    document = dataclasses.replace(
        small_documents.make("a b c / d"),
        speakers=(("x", "y", "z"), ("w",)),
    )
    assert take_sentences(document, 1, 1).speakers == (("w",),)


def test_what_else_a_line_has_is_left_out():
    """It may count the tokens and sentences of the whole document."""
    document = dataclasses.replace(
        small_documents.make("a b c / d"), others={"pos": [["X"] * 3, ["Y"]]}
    )
    assert take_sentences(document, 1, 1).others == {}


def test_truncate_at_random():
    document = small_documents.make("a / b / c / d / e", [[(0, 0), (4, 4)]])
    generator = np.random.default_rng(0)
    found = [truncate_at_random(document, 3, generator) for _ in range(300)]
    starts = ["".join(d.tokens) for d in found]
    assert set(starts) == {"abc", "bcd", "cde"}
    # 100 expected of each, with a standard deviation of 8.2.
    assert all(70 < starts.count(text) < 130 for text in set(starts))
    assert found == [
        take_sentences(document, "abc".index(text[0]), 3) for text in starts
    ]


@pytest.mark.parametrize("max_sentences", [5, 50])
def test_nothing_to_truncate(max_sentences):
    document = small_documents.make("a / b / c / d / e", [[(0, 0), (4, 4)]])
    generator = np.random.default_rng(0)
    assert truncate_at_random(document, max_sentences, generator) is document
    assert generator.random() == np.random.default_rng(0).random()
