import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.variational_dropout import VariationalDropout
from tests import layer_checks

SEED = (1, 2)


def ones(batch=50, time=6, features=40):
    return np.ones((batch, time, features), np.float32)


@pytest.mark.parametrize("rate", [0.0, 0.25])
def test_layer(rate, tmp_path):
    layer_checks.check_layer(
        VariationalDropout,
        dict(rate=rate, seed=7),
        {"inputs": np.random.default_rng(0).normal(size=(2, 3, 4))},
        weight_shapes={},
        output_shape=(2, 3, 4),
        # Outside training nothing changes.
        reference=lambda weights, inputs: inputs,
        training=False,
        folder=tmp_path,
    )


def test_one_mask_for_all_time_steps():
    outputs = VariationalDropout(0.25)(
        ones(), training=True, dropout_seed=SEED
    ).numpy()
    np.testing.assert_array_equal(outputs, outputs[:, :1].repeat(6, axis=1))
    kept = outputs[:, 0] != 0
    np.testing.assert_allclose(outputs[:, 0][kept], 1 / 0.75, rtol=1e-6)
    assert abs(kept.mean() - 0.75) < 0.03
    # Each sentence and each feature has a value of its own.
    for axis in (0, 1):
        assert kept.any(axis=axis).all()
        assert not kept.all(axis=axis).any()


def test_mask_is_a_function_of_the_seed():
    layer = VariationalDropout(0.25)
    outputs = layer(ones(), training=True, dropout_seed=SEED)
    for same in (SEED, np.array(SEED, np.int32), tf.constant(SEED)):
        np.testing.assert_array_equal(
            layer(ones(), training=True, dropout_seed=same), outputs
        )
    other = layer(ones(), training=True, dropout_seed=(1, 3))
    assert not np.array_equal(other, outputs)


def test_seed_of_int64():
    layer = VariationalDropout(0.25)
    outputs = layer(
        ones(), training=True, dropout_seed=np.array(SEED, np.int64)
    )
    assert outputs.shape == (50, 6, 40)


def test_own_sequence_of_masks():
    def two(seed):
        layer = VariationalDropout(0.25, seed=seed)
        return [layer(ones(), training=True).numpy() for _ in range(2)]

    first, second = two(5)
    assert not np.array_equal(first, second)
    layer_checks.assert_equal(two(5), [first, second])
    assert not np.array_equal(two(6)[0], first)


def test_own_masks_in_a_graph():
    layer = VariationalDropout(0.25, seed=5)
    run = tf.function(lambda x: layer(x, training=True))
    first, second = run(ones()), run(ones())
    assert not np.array_equal(first, second)


def test_gradient_passes_where_kept():
    inputs = tf.constant(ones())
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = VariationalDropout(0.25)(
            inputs, training=True, dropout_seed=SEED
        )
    gradient = tape.gradient(outputs, inputs)
    np.testing.assert_array_equal(gradient, outputs)


@pytest.mark.parametrize("rate", [-0.1, 1.0, 1.5])
def test_rate_error(rate):
    with pytest.raises(
        ValueError,
        match=rf"`rate` should be in \[0, 1\). Received: rate={rate}",
    ):
        VariationalDropout(rate)
