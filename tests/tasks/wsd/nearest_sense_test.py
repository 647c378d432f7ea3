"""The nearest sense, against cosines by hand."""

import numpy as np
import pytest

from tasks.wsd.nearest_sense import NearestSense
from tasks.wsd.sense_instance import SenseInstance
from tasks.wsd.sense_vectors import SenseVectors
from tests.tasks.wsd import vectors_by_hand
from tests.tasks.wsd.tiny_sentences import BANK

BANK_NOUN = SenseInstance("", "bank", "n", 0, 1)


def make(keys, vectors, wordnet):
    counts = np.ones(len(keys), np.int64)
    return NearestSense(
        SenseVectors(keys, counts, np.asarray(vectors, np.float32)), wordnet
    )


def test_against_cosines_by_hand(wordnet):
    generator = np.random.default_rng(0)
    senses = generator.normal(size=(3, 2, 5)).astype("f4")
    nearest_sense = make(sorted(BANK), senses, wordnet)
    means = {
        key: [*vectors, vectors.mean(axis=0)]
        for key, vectors in zip(sorted(BANK), senses, strict=True)
    }
    met = set()
    for _ in range(30):
        query = generator.normal(size=(2, 5)).astype("f4")
        keys, is_fallback = nearest_sense.predict(BANK_NOUN, query)
        assert not is_fallback
        assert keys == vectors_by_hand.nearest(
            [*query, query.mean(axis=0)], means, BANK
        )
        met.update(keys)
    assert met == set(BANK)


def test_lengths_do_not_count(wordnet):
    vectors = [[[1.0, 0.0]], [[30.0, 30.0]], [[0.1, 0.2]]]
    nearest_sense = make(BANK, vectors, wordnet)
    for query, number in (([5.0, 0.1], 0), ([1.0, 1.1], 1), ([0.1, 4.0], 2)):
        keys, _ = nearest_sense.predict(BANK_NOUN, np.array([query], "f4"))
        assert keys == [BANK[number]] * 2


@pytest.mark.parametrize("order", [BANK, BANK[::-1]])
def test_of_equals_the_first_sense(wordnet, order):
    """As in the token layer: all vectors alike, but for rounding."""
    vectors = np.full((3, 1, 4), 0.3, "f4")
    vectors[order.index(BANK[2])] += 1e-6 * np.arange(4)
    query = np.full((1, 4), 0.3, "f4") + 1e-6 * np.arange(4, dtype="f4")
    keys, _ = make(order, vectors, wordnet).predict(BANK_NOUN, query)
    assert keys == [BANK[0]] * 2


def test_only_senses_of_the_training_data(wordnet):
    nearest_sense = make(
        [BANK[2], "bank%2:40:00::"], np.eye(2)[:, None], wordnet
    )
    # Nearer to the verb, which is another word.
    keys, is_fallback = nearest_sense.predict(
        BANK_NOUN, np.array([[0.1, 1.0]], "f4")
    )
    assert (keys, is_fallback) == ([BANK[2]] * 2, False)


def test_fallback(wordnet):
    nearest_sense = make(["bank%2:40:00::"], np.ones((1, 3, 2)), wordnet)
    vectors = np.ones((3, 2), "f4")
    assert nearest_sense.predict(BANK_NOUN, vectors) == ([BANK[0]] * 4, True)
    unknown = SenseInstance("", "unknown", "n", 0, 1)
    assert nearest_sense.predict(unknown, vectors) == ([None] * 4, True)


def test_senses_that_wordnet_lacks_come_last(wordnet):
    nearest_sense = make(["bank%1:01:00::", *BANK], np.ones((4, 1, 2)), wordnet)
    assert nearest_sense.candidates("bank", "n") == [*BANK, "bank%1:01:00::"]
