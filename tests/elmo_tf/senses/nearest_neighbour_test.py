"""The sense of the nearest neighbour, against a count by hand."""

import numpy as np
import pytest

from elmo_tf.senses.nearest_neighbour import leave_one_out_accuracy
from elmo_tf.senses.nearest_neighbour import nearest_neighbour_accuracy
from elmo_tf.senses.occurrence import Occurrence


def unit(angles):
    """Vectors `[n, 1, 2]` of one layer."""
    return np.stack([np.cos(angles), np.sin(angles)], -1)[:, None].astype("f4")


def brute_force(vectors, senses, queries, candidates):
    result = np.zeros((len(queries), vectors.shape[1]))
    for row, query in enumerate(queries):
        for layer in range(vectors.shape[1]):
            cosines = {
                other: float(vectors[query, layer] @ vectors[other, layer])
                for other in candidates
                if other != query
            }
            best = max(cosines, key=cosines.get)
            result[row, layer] = senses[best] == senses[query]
    return result


def test_against_brute_force():
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(30, 3, 5)).astype("f4")
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    senses = generator.choice(["a", "b", "c"], size=30).tolist()
    for queries, candidates in (
        (range(30), range(30)),
        (range(8), range(8, 30)),
    ):
        np.testing.assert_array_equal(
            nearest_neighbour_accuracy(vectors, senses, queries, candidates),
            brute_force(vectors, senses, queries, candidates),
        )


def test_ties_are_a_choice_by_lot():
    """As in the token layer: all vectors alike, but for rounding."""
    vectors = unit([0.3] * 4)
    vectors[1] += 1e-7
    accuracy = nearest_neighbour_accuracy(
        vectors, ["a", "a", "a", "b"], range(4), range(4)
    )
    # Of the three others two, or none, are of the same sense.
    np.testing.assert_allclose(accuracy[:, 0], [2 / 3, 2 / 3, 2 / 3, 0])


def test_leave_one_out():
    occurrences = [
        Occurrence(word, sense, ("x",), 0)
        for word, sense in ["pa", "qa", "pb", "pa", "qa", "pb", "pb"]
    ]
    # The word p: two senses apart from each other, but for the last.
    vectors = unit([0.0, 0.5, 1.5, 0.1, 1.0, 1.6, 0.25])
    accuracies = leave_one_out_accuracy(vectors, occurrences)
    assert list(accuracies) == ["p", "q"]
    assert accuracies["p"] == {
        "layers": pytest.approx([0.8]),
        "most_frequent_sense": 0.6,
    }
    assert accuracies["q"] == {
        "layers": [1.0],
        "most_frequent_sense": 1.0,
    }
