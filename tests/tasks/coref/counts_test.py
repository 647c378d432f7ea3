"""The counts are those of the definitions, and of the reference scorer."""

import numpy as np
import pytest

from tasks.coref import counts
from tasks.coref.brackets import read_brackets
from tests.reference import coreference as reference

METRICS = {
    "muc": (counts.count_muc, reference.muc),
    "bcub": (counts.count_bcub, reference.bcub),
    "ceafe": (
        lambda *sides: counts.count_ceaf(*sides)[0],
        lambda *sides: reference.ceaf(*sides, reference.by_entities),
    ),
    "ceafm": (
        lambda *sides: counts.count_ceaf(*sides)[1],
        lambda *sides: reference.ceaf(*sides, reference.by_mentions),
    ),
    "lea": (counts.count_lea, reference.lea),
    "blanc": (counts.count_blanc, reference.blanc),
}


def random_clusters(rng):
    """Up to five clusters of up to twelve mentions, none of them repeated."""
    numbers = rng.integers(-2, 5, size=12)
    clusters = [np.flatnonzero(numbers == number) for number in range(5)]
    return [cluster.tolist() for cluster in clusters if cluster.size]


def random_repeated(rng):
    """Up to five clusters with mentions that are repeated."""
    return [
        rng.integers(8, size=rng.integers(1, 5)).tolist()
        for _ in range(rng.integers(5))
    ]


@pytest.mark.parametrize("name", METRICS)
def test_as_defined(name):
    count, expected_count = METRICS[name]
    rng = np.random.default_rng(0)
    for _ in range(40):
        key, response = random_clusters(rng), random_clusters(rng)
        expected = expected_count(key, response)
        np.testing.assert_allclose(count(key, response), expected, rtol=1e-12)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("key, response", [([], []), ([[1]], []), ([], [[1]])])
def test_no_clusters(name, key, response):
    count, expected_count = METRICS[name]
    np.testing.assert_array_equal(
        count(key, response), expected_count(key, response)
    )


def test_links_of_repeated_mentions():
    rng = np.random.default_rng(0)
    n_self_links = 0
    for _ in range(200):
        key, response = random_repeated(rng), random_repeated(rng)
        found = counts.count_blanc(key, response)
        np.testing.assert_array_equal(found, reference.blanc(key, response))
        n_self_links += any(len(set(c)) < len(c) for c in key)
    assert n_self_links > 50


# What the reference scorer prints for brackets of a key and a response, a token
# each, for muc, bcub, ceafe and ceafm, and for blanc's two kinds of links.
REPEATED = [
    (
        "(0)|(1) (0) (1) (2)",
        "(0) (0) (0) (1)",
        [(1, 2, 1, 2), (4, 5, 3, 4), (1.8, 3, 1.8, 2), (3, 5, 3, 4)],
        [(2, 2, 2, 3), (3, 7, 3, 3)],
    ),
    (
        "(0)|(0) (0) (1) -",
        "(0) (0) (1) (1)",
        [(1, 2, 1, 2), (7 / 3, 4, 2.5, 4), (28 / 15, 2, 28 / 15, 2), (4,) * 4],
        [(1, 2, 1, 2), (2, 2, 2, 4)],
    ),
    (
        "(0)|(1) (0)|(1) (2) -",
        "(0) (0)|(1) (1) -",
        [(1, 2, 1, 1), (3, 5, 3, 3), (2, 3, 2, 2), (3, 5, 3, 3)],
        [(1, 1, 1, 1), (2, 5, 2, 2)],
    ),
    (
        "(0) (0) (1) -",
        "(0) (0)|(1) (1) (1)|(0)",
        [
            (1, 1, 1, 3),
            (3, 3, 11 / 6, 5),
            (22 / 15, 2, 22 / 15, 2),
            (3, 3, 3, 5),
        ],
        [(1, 1, 1, 4), (2, 2, 2, 6)],
    ),
    (
        "(0) (0) (1) -",
        "(0)|(0) (0) (1) (1)|(1)",
        [(1, 1, 1, 3), (3, 3, 7 / 3, 5), (1.5, 2, 1.5, 2), (3, 3, 3, 5)],
        [(1, 1, 1, 3), (2, 2, 2, 4)],
    ),
]


@pytest.mark.parametrize("key, response, expected, links", REPEATED)
def test_repeated_mentions(key, response, expected, links):
    key, response = (
        read_brackets(text.split(), place=str) for text in (key, response)
    )
    response = counts.without_repeated(response, key)
    found = [
        counts.count_muc(key, response),
        counts.count_bcub(key, response),
        *counts.count_ceaf(key, response),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(counts.count_blanc(key, response), links)


def test_repeated_mentions_are_taken_away_where_the_key_has_them():
    assert counts.without_repeated(
        [[], ["a", "x", "a", "x"], ["a"], ["b", "a", "x"]], [["a"], ["b"]]
    ) == [["a", "x", "x"], ["b", "x"]]


def test_mentions_count_once():
    found = counts.count_mentions([["a", "b"], ["b"]], [["b", "x"], ["x", "y"]])
    np.testing.assert_array_equal(found, [1, 2, 1, 3])
