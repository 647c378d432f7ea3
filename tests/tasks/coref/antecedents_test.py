"""The loss and the clusters against brute force."""

import numpy as np
import pytest
import tensorflow as tf

from tasks.coref.antecedents import antecedent_loss
from tasks.coref.antecedents import find_clusters
from tasks.coref.antecedents import mention_loss
from tests.reference import coreference_model as reference_lib

LEAST = np.finfo(np.float32).min


def random_scores(generator, n_spans, n_before, n_values):
    """Scores of some documents, as numbers and as objects."""
    lengths = generator.integers(n_spans + 1, size=20)
    lengths[0] = n_spans
    mask = np.arange(n_spans) < lengths[:, None]
    scores = np.full([20, n_spans, 1 + n_before], LEAST, np.float32)
    scores[:, :, 0] = 0
    documents = []
    for row, length in enumerate(lengths):
        candidates = []
        for i in range(length):
            candidates.append({-1: 0.0})
            for distance in range(1, min(n_before, i) + 1):
                score = 0.5 * generator.integers(-n_values, n_values + 1)
                scores[row, i, distance] = candidates[-1][i - distance] = score
        documents.append(candidates)
    return scores, mask, documents


@pytest.mark.parametrize("n_before", [1, 3, 8])
@pytest.mark.parametrize("n_values", [1, 6])
def test_loss_equals_brute_force(n_before, n_values):
    generator = np.random.default_rng([n_before, n_values])
    scores, mask, documents = random_scores(generator, 8, n_before, n_values)
    clusters = generator.integers(-1, 3, size=mask.shape).astype(np.int32)
    loss = antecedent_loss(
        tf.constant(scores), tf.constant(clusters), tf.constant(mask)
    )
    expected = [
        reference_lib.loss(candidates, row)
        for candidates, row in zip(documents, clusters, strict=True)
    ]
    np.testing.assert_allclose(loss, expected, rtol=1e-5, atol=1e-5)


def test_loss_by_hand():
    """The third span may choose either; the second one has none."""
    scores = tf.constant([[[0, LEAST, LEAST], [0, 1, LEAST], [0, 2, 3]]])
    clusters = tf.constant([[4, 7, 4]])
    e = np.e
    expected = np.log(1 + e) - np.log(e**3 / (1 + e**2 + e**3))
    found = antecedent_loss(scores, clusters, tf.constant([[True] * 3]))
    np.testing.assert_allclose(found, [expected], rtol=1e-6)
    same = antecedent_loss(
        scores, tf.constant([[4, 4, 4]]), tf.constant([[True, True, False]])
    )
    np.testing.assert_allclose(same, [np.log(1 + e) - 1], rtol=1e-5)


def test_gradient_is_finite_and_not_at_what_is_not_there():
    generator = np.random.default_rng(0)
    scores, mask, _ = random_scores(generator, 6, 3, 4)
    clusters = tf.constant(generator.integers(-1, 2, size=mask.shape), tf.int32)
    values = tf.constant(scores)
    with tf.GradientTape() as tape:
        tape.watch(values)
        loss = tf.reduce_sum(antecedent_loss(values, clusters, mask))
    gradient = tape.gradient(loss, values).numpy()
    assert np.isfinite(gradient).all()
    is_there = scores != LEAST
    assert not gradient[~is_there].any()
    assert gradient[is_there].any()


@pytest.mark.parametrize("n_before", [1, 3, 12])
@pytest.mark.parametrize("n_values", [1, 20])
def test_clusters_equal_the_reference(n_before, n_values):
    for seed in range(20):
        generator = np.random.default_rng([seed, n_before, n_values])
        scores, mask, documents = random_scores(
            generator, 12, n_before, n_values
        )
        numbers = find_clusters(tf.constant(scores), tf.constant(mask)).numpy()
        assert (numbers[~mask] == -1).all()
        for row, candidates in zip(numbers, documents, strict=True):
            found = {
                number: set(np.flatnonzero(row == number).tolist())
                for number in set(row.tolist()) - {-1}
            }
            expected = reference_lib.clusters(candidates)
            assert sorted(map(sorted, found.values())) == sorted(
                map(sorted, expected)
            )
            for number, spans in found.items():
                assert number == min(spans)


@pytest.mark.parametrize("n_before", [1, 4])
def test_mentions_that_are_alone(n_before):
    """They join the clusters that there are, and change none of these."""
    generator = np.random.default_rng(n_before)
    scores, mask, _ = random_scores(generator, 9, n_before, 3)
    scores, mask = tf.constant(scores), tf.constant(mask)
    is_mention = generator.integers(2, size=mask.shape) > 0
    without = find_clusters(scores, mask).numpy()
    found = find_clusters(scores, mask, tf.constant(is_mention)).numpy()
    places = np.broadcast_to(np.arange(9), mask.shape)
    is_single = (without < 0) & is_mention & mask.numpy()
    assert is_single.any() and (without >= 0).any()
    np.testing.assert_array_equal(found, np.where(is_single, places, without))


def test_mention_loss_by_hand():
    scores = tf.constant([[[1.0, -2.0], [3.0, LEAST]], [[np.nan, 0.0]] * 2])
    clusters = tf.constant([[[5, -1], [-1, -1]], [[-1, 0], [-1, -1]]])
    candidates = tf.constant(
        [[[True, True], [True, False]], [[False, True], [False, False]]]
    )
    e = np.e
    expected = [
        np.log(1 + 1 / e) + np.log(1 + e**-2) + np.log(1 + e**3),
        np.log(2),
    ]
    found = mention_loss(scores, clusters, candidates)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_long_chain():
    scores = np.full([1, 100, 2], LEAST, np.float32)
    scores[:, :, 0] = 0
    scores[0, 1:, 1] = 1
    mask = np.ones([1, 100], bool)
    found = find_clusters(tf.constant(scores), tf.constant(mask))
    assert (found.numpy() == 0).all()
