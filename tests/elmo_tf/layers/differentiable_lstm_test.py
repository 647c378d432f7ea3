"""What `ProjectedLSTM` does not use of the loop; its test has the rest."""

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.differentiable_lstm import differentiable_lstm
from tests import layer_checks

TIME, BATCH, FEATURES, UNITS, PROJECTION = 6, 3, 5, 4, 2
# `[batch, time]`
MASK = np.array(
    [[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0]], bool
)


def normal(*shape, seed):
    return tf.constant(
        np.random.default_rng(seed).normal(size=shape), tf.float32
    )


def arguments(projection_dim):
    width = projection_dim or UNITS
    weights = [
        normal(FEATURES, 4 * UNITS, seed=1),
        normal(4 * UNITS, seed=2),
        normal(width, 4 * UNITS, seed=3),
    ]
    if projection_dim:
        weights.append(normal(UNITS, projection_dim, seed=4))
    state = (normal(BATCH, UNITS, seed=5), normal(BATCH, width, seed=6))
    return normal(TIME, BATCH, FEATURES, seed=0), weights, state


def unrolled(inputs, weights, state, mask, hidden_scale):
    """The same step by step in plain TensorFlow operations."""
    kernel, bias, recurrent_kernel, *projection_kernel = weights
    cell, hidden = state
    outputs = []
    for x, present in zip(inputs, mask, strict=True):
        z = x @ kernel + (hidden * hidden_scale) @ recurrent_kernel + bias
        i, j, f, o = tf.split(z, 4, axis=1)
        new_cell = tf.sigmoid(f + 1) * cell + tf.sigmoid(i) * tf.tanh(j)
        new_hidden = tf.sigmoid(o) * tf.tanh(new_cell)
        for matrix in projection_kernel:
            new_hidden = new_hidden @ matrix
        outputs.append(tf.where(present, new_hidden, 0))
        cell = tf.where(present, new_cell, cell)
        hidden = tf.where(present, new_hidden, hidden)
    return tf.stack(outputs), cell, hidden


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("projection_dim", [None, PROJECTION])
def test_hidden_scale(projection_dim, training):
    inputs, weights, state = arguments(projection_dim)
    mask = MASK.T[:, :, None]
    scale = tf.cast(state[1] > 0, tf.float32) * 2
    sources = [inputs, *weights, *state]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        results = [
            differentiable_lstm(
                inputs,
                weights,
                state,
                mask,
                hidden_scale=scale,
                training=training,
            ),
            unrolled(inputs, weights, state, mask, scale),
        ]
        totals = [
            sum(tf.reduce_sum(part**2) for part in result) for result in results
        ]
    layer_checks.assert_close(*results, 1e-5)
    layer_checks.assert_close(
        *[tape.gradient(total, sources) for total in totals], 1e-4
    )


def test_outside_training_a_saved_model_holds_it(tmp_path):
    inputs, weights, state = arguments(PROJECTION)
    module = tf.Module()
    module.run = tf.function(
        lambda inputs: differentiable_lstm(
            inputs, weights, state, training=False
        ),
        input_signature=[tf.TensorSpec([None, BATCH, FEATURES])],
    )
    # With custom gradients, unless told otherwise.
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    layer_checks.assert_close(
        loaded.run(inputs), differentiable_lstm(inputs, weights, state), 1e-6
    )
