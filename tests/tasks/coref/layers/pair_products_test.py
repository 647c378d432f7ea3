"""Products of pairs, block by block, against all pairs at once."""

import numpy as np
import pytest
import tensorflow as tf

from tasks.coref.layers.pair_products import pair_products

SPAN_DIM, UNITS = 5, 3


def make_inputs(batch, n_spans, n_before):
    generator = np.random.default_rng(0)
    before = np.arange(n_spans)[:, None] - np.arange(1, n_before + 1)
    return (
        tf.constant(
            generator.normal(size=(batch, n_spans, SPAN_DIM)), tf.float32
        ),
        np.maximum(before, 0).astype(np.int32),
        tf.constant(generator.normal(size=(SPAN_DIM, UNITS)), tf.float32),
    )


def plain(spans, before, kernel):
    pairs = spans[:, :, tf.newaxis] * tf.gather(spans, before, axis=1)
    return tf.tensordot(pairs, kernel, axes=1)


def with_gradients(function, spans, before, kernel, *more):
    with tf.GradientTape() as tape:
        tape.watch([spans, kernel])
        outputs = function(spans, before, kernel, *more)
        factors = np.random.default_rng(1).normal(size=outputs.shape)
        total = tf.reduce_sum(outputs * factors)
    return outputs, *tape.gradient(total, [spans, kernel])


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(
    # Whole blocks, a part of one, and documents that share one.
    "batch, n_spans, n_before",
    [(1, 1, 1), (1, 16, 4), (1, 40, 40), (3, 7, 5), (2, 32, 9), (1, 33, 2)],
)
def test_equals_all_pairs_at_once(training, batch, n_spans, n_before):
    inputs = make_inputs(batch, n_spans, n_before)
    expected = with_gradients(plain, *inputs)
    found = with_gradients(pair_products, *inputs, training)
    assert found[0].shape == (batch, n_spans, n_before, UNITS)
    for actual, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(actual, value, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(
    "batch, n_spans, n_before", [(0, 3, 2), (2, 0, 2), (1, 0, 0)]
)
def test_nothing(batch, n_spans, n_before, training):
    """Also where no shape is known before."""
    spans, before, kernel = make_inputs(batch, n_spans, n_before)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, SPAN_DIM]),
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec(kernel.shape),
        ]
    )
    def run(spans, before, kernel):
        with tf.GradientTape() as tape:
            tape.watch(kernel)
            outputs = pair_products(spans, before, kernel, training)
        return outputs, tape.gradient(outputs, kernel)

    outputs, gradient = run(spans, before, kernel)
    assert outputs.shape == (batch, n_spans, n_before, UNITS)
    np.testing.assert_array_equal(gradient, np.zeros([SPAN_DIM, UNITS]))


def test_gradients_are_summed_in_float32():
    """In bfloat16 a sum of many small numbers stops growing."""
    n_spans = 1000
    before = np.maximum(np.arange(n_spans)[:, None] - 1, 0).astype(np.int32)
    spans = tf.ones([1, n_spans, SPAN_DIM], tf.bfloat16)
    kernel = tf.ones([SPAN_DIM, UNITS], tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch(kernel)
        total = tf.reduce_sum(
            tf.cast(pair_products(spans, before, kernel, True), tf.float32)
        )
    gradient = tape.gradient(total, kernel)
    assert gradient.dtype == tf.bfloat16
    np.testing.assert_allclose(
        tf.cast(gradient, tf.float32), n_spans, rtol=0.01
    )
