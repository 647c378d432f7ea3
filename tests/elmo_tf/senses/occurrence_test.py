"""Vectors of words in sentences."""

import numpy as np

from elmo_tf.senses.occurrence import Occurrence
from elmo_tf.senses.occurrence import occurrence_vectors


def test_vectors(elmo):
    sentences = [("word1", "naïve", "a"), ("word2",), ("word1", "naïve", "a")]
    places = [(0, 2), (0, 0), (1, 0), (2, 1)]
    vectors = occurrence_vectors(
        elmo, [Occurrence("w", "s", sentences[i], j) for i, j in places]
    )
    assert vectors.shape == (4, 3, 8) and vectors.dtype == np.float32
    for vector, (i, j) in zip(vectors, places, strict=True):
        expected = elmo.embed([list(sentences[i])])[0][:, j]
        expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
        np.testing.assert_allclose(vector, expected, atol=1e-5)
