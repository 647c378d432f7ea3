"""Comparison of a word's occurrences, with vectors made by hand."""

import numpy as np
import pytest

from elmo_tf import quickstart_vectors
from elmo_tf.embedder_results import Neighbour


class FakeElmo:
    """Token layer: all alike; upper layer: one direction for each use."""

    def tokenize(self, sentences):
        return [text.rstrip(".").lower().split() for text in sentences]

    def embed(self, sentences):
        directions = np.eye(3, dtype=np.float32)
        arrays = []
        for tokens in sentences:
            is_noun = tokens[0] in ("a", "the", "each")
            array = np.zeros((2, len(tokens), 3), np.float32)
            array[0] = directions[0]
            array[1, tokens.index("call")] = 2 * directions[1 if is_noun else 2]
            arrays.append(array)
        return arrays

    def neighbours(self, sentence, position, sentences, n, same_word):
        assert sentence[position] == "call" and same_word
        return [
            Neighbour(0.5, index, tokens.index("call"), "call")
            for index, tokens in enumerate(sentences)
        ][:n]


def test_similarities():
    similarities = quickstart_vectors.occurrence_similarities(FakeElmo())
    assert similarities.shape == (2, 6, 6)
    np.testing.assert_allclose(similarities[0], 1, atol=1e-6)
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    np.testing.assert_allclose(similarities[1], blocks, atol=1e-6)


def test_means():
    similarities = quickstart_vectors.occurrence_similarities(FakeElmo())
    means = quickstart_vectors.mean_similarities(similarities)
    assert means == {
        "noun and noun": pytest.approx([1, 1]),
        "verb and verb": pytest.approx([1, 1]),
        "noun and verb": pytest.approx([1, 0]),
    }


def test_nearest():
    text = [
        "no such word".split(),
        "one two three four five six call a b c d e f".split(),
        ["call"],
    ]
    nearest = quickstart_vectors.nearest_occurrences(FakeElmo(), text)
    expected = [
        (0.5, "two three four five six [call] a b c d e"),
        (0.5, "[call]"),
    ]
    assert nearest == {"noun": expected, "verb": expected}
