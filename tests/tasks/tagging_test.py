"""What taggers have in common, against NumPy."""

import numpy as np
import pytest
import tensorflow as tf

from tasks import tagging

N_TAGS = 4
LABELS = ("DT", "JJ", "NN", "VB")
LENGTHS = (3, 1)
MASK = np.arange(3) < np.array(LENGTHS)[:, None]


def random_scores(seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(2, 3, N_TAGS)).astype(np.float32)


def probabilities(scores):
    values = np.exp(np.float64(scores))
    return values / values.sum(axis=-1, keepdims=True)


def test_targets():
    found = tagging.tag_targets([("NN", "VB", "DT"), ("JJ",)], LABELS)
    assert found.dtype == np.int32
    assert found.tolist() == [[2, 3, 0], [1, 0, 0]]


def test_softmax_loss():
    scores = random_scores()
    tags = np.array([[1, 3, 0], [2, 0, 0]], np.int32)
    loss = tagging.softmax_loss(
        {"scores": tf.constant(scores), "mask": tf.constant(MASK)},
        tf.constant(tags),
    )
    expected = [
        -sum(
            np.log(probabilities(scores[row, place])[tags[row, place]])
            for place in range(length)
        )
        for row, length in enumerate(LENGTHS)
    ]
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


def test_mean_scores():
    members = [random_scores(seed) for seed in range(3)]
    members[0][0, 0] = [0, 0, 0, 1000]
    found = tagging.mean_scores(
        [{"scores": tf.constant(scores)} for scores in members]
    )
    members[0][0, 0] = [-1e9, -1e9, -1e9, 0]
    np.testing.assert_allclose(
        tf.exp(found),
        np.mean([probabilities(scores) for scores in members], axis=0),
        rtol=1e-5,
    )


def test_mean_scores_stay_finite():
    sure = np.array([[[1000.0, 0.0]]], np.float32)
    assert np.isfinite(
        tagging.mean_scores([{"scores": tf.constant(sure)}])
    ).all()


def test_best_tags():
    scores = random_scores()
    found = tagging.best_tags(tf.constant(scores), tf.constant(MASK))
    expected = probabilities(scores)
    assert found["tags"].dtype == tf.int32
    np.testing.assert_array_equal(
        found["tags"], np.where(MASK, expected.argmax(axis=-1), 0)
    )
    np.testing.assert_allclose(
        found["marginals"],
        np.where(MASK[:, :, None], expected, 0),
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        tf.exp(found["log_probability"]),
        [
            np.prod(expected[row, :length].max(axis=-1))
            for row, length in enumerate(LENGTHS)
        ],
        rtol=1e-5,
    )


def test_decoded():
    scores = random_scores()
    outputs = {
        "mask": tf.constant(MASK),
        **tagging.best_tags(tf.constant(scores), tf.constant(MASK)),
    }
    found = tagging.decode_tags(outputs, LABELS)
    for row, length in enumerate(LENGTHS):
        expected = probabilities(scores[row])
        assert found["tags"][row].numpy().astype(str).tolist() == [
            *(LABELS[tag] for tag in expected[:length].argmax(axis=-1)),
            *[""] * (3 - length),
        ]
        np.testing.assert_allclose(
            found["tag_probabilities"][row],
            [*expected[:length].max(axis=-1), *[0] * (3 - length)],
            rtol=1e-5,
        )
        assert float(found["probability"][row]) == pytest.approx(
            expected[:length].max(axis=-1).prod(), rel=1e-5
        )
