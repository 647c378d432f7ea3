import keras
import numpy as np
import pytest
import tensorflow as tf

from tasks.layers import highway_lstm as highway_lstm_module
from tasks.layers.highway_lstm import HighwayLSTM
from tests import layer_checks
from tests.reference.highway_lstm import highway_lstm

BATCH, TIME, FEATURES, UNITS = 3, 6, 5, 4
SHAPES = {
    "kernel": (FEATURES, 6 * UNITS),
    "bias": (5 * UNITS,),
    "recurrent_kernel": (UNITS, 5 * UNITS),
}
RIGHT_PADDED = np.array(
    [[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], bool
)
WITH_HOLES = np.array(
    [[0, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0]], bool
)
MASKS = pytest.mark.parametrize(
    "mask", [None, RIGHT_PADDED, WITH_HOLES], ids=["all", "right", "holes"]
)
DIRECTIONS = pytest.mark.parametrize("go_backwards", [False, True])


def inputs():
    values = np.random.default_rng(0).normal(size=[BATCH, TIME, FEATURES])
    return values.astype(np.float32)


def make_layer(**kwargs):
    return layer_checks.make_layer(
        HighwayLSTM, dict(units=UNITS, **kwargs), {"inputs": inputs()}
    )


def reference(weights, inputs, mask=None, **kwargs):
    return highway_lstm(inputs, weights.values(), mask, **kwargs)


@MASKS
@DIRECTIONS
def test_layer(mask, go_backwards, tmp_path):
    layer_checks.check_layer(
        HighwayLSTM,
        dict(units=UNITS, go_backwards=go_backwards),
        {"inputs": inputs(), **({} if mask is None else {"mask": mask})},
        SHAPES,
        (BATCH, TIME, UNITS),
        reference=lambda weights, **arguments: reference(
            weights, **arguments, go_backwards=go_backwards
        ),
        folder=tmp_path,
    )


@MASKS
@DIRECTIONS
def test_the_gradient_is_the_loops(mask, go_backwards):
    """Against TensorFlow's of the same loop, which runs outside training."""
    layer = make_layer(go_backwards=go_backwards)
    x = tf.constant(inputs())
    factors = tf.constant(
        np.random.default_rng(1).normal(size=[BATCH, TIME, UNITS]), tf.float32
    )
    gradients = []
    for training in (True, False):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x, mask=mask, training=training)
            total = tf.reduce_sum(factors * outputs**2)
        sources = [x, *(weight.value for weight in layer.trainable_weights)]
        gradients.append(tape.gradient(total, sources))
    for own, expected in zip(*gradients, strict=True):
        assert np.abs(expected).max() > 0.01
        np.testing.assert_allclose(own, expected, atol=1e-5)


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    layer = make_layer(go_backwards=True)
    expected = layer(inputs(), mask=RIGHT_PADDED)
    padded = np.where(RIGHT_PADDED[..., None], inputs(), np.float32(value))
    padded = np.pad(padded, [(0, 0), (0, 2), (0, 0)], constant_values=value)
    x = tf.constant(padded)
    mask = np.pad(RIGHT_PADDED, [(0, 0), (0, 2)])
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = layer(x, mask=mask, training=True)
        total = tf.reduce_sum(outputs**2)
    layer_checks.assert_close(outputs[:, :TIME], expected, 1e-6)
    np.testing.assert_array_equal(outputs.numpy()[~mask], 0.0)
    gradient = tape.gradient(total, x).numpy()
    np.testing.assert_array_equal(gradient[~mask], 0.0)
    assert (np.abs(gradient[mask]).max(axis=-1) > 0).all()


def test_each_row_by_itself():
    layer, order = make_layer(), [2, 0, 1]
    expected = layer(inputs(), mask=RIGHT_PADDED).numpy()
    layer_checks.assert_close(
        layer(inputs()[order], mask=RIGHT_PADDED[order]), expected[order], 1e-6
    )


def test_initial_values():
    layer = HighwayLSTM(units=20)
    layer.build((None, None, 30))
    kernel, bias, recurrent_kernel = layer.get_weights()
    np.testing.assert_array_equal(bias, 0.0)
    blocks = np.split(kernel, 6, axis=1)
    for block in blocks:
        np.testing.assert_allclose(block.T @ block, np.eye(20), atol=1e-5)
    for block in np.split(recurrent_kernel, 5, axis=1):
        np.testing.assert_allclose(block.T @ block, np.eye(20), atol=1e-5)
    assert not np.allclose(blocks[0], blocks[1])


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_recurrent_dropout(monkeypatch, dtype):
    scales = []
    original = highway_lstm_module.stateless_dropout

    def recording(*args, **kwargs):
        scales.append(original(*args, **kwargs))
        return scales[-1]

    monkeypatch.setattr(highway_lstm_module, "stateless_dropout", recording)
    layer = make_layer(recurrent_dropout=0.4, seed=1, dtype=dtype)
    outputs = layer(inputs(), mask=RIGHT_PADDED, training=True)
    (scale,) = scales
    np.testing.assert_allclose(np.unique(scale), [0.0, 1 / 0.6], rtol=1e-6)
    expected = reference(
        layer_checks.weight_values(layer),
        inputs(),
        RIGHT_PADDED,
        scale=scale.numpy(),
    )
    np.testing.assert_allclose(
        tf.cast(outputs, tf.float32),
        expected,
        atol=1e-5 if dtype == "float32" else 0.05,
    )
    # Other masks in the next call, none outside training.
    layer(inputs(), training=True)
    assert not np.array_equal(*scales)
    layer(inputs())
    assert len(scales) == 2


def test_no_sequences_and_no_steps():
    layer = make_layer()
    for training in (False, True):
        none = layer(inputs()[:0], training=training)
        assert none.shape == (0, TIME, UNITS)
        empty = layer(inputs()[:, :0], training=training)
        assert empty.shape == (BATCH, 0, UNITS)


def test_no_steps_in_a_graph():
    """Where there are none is known when it runs, as in a SavedModel."""
    layer = make_layer()
    run = tf.function(
        layer, input_signature=[tf.TensorSpec([None, None, FEATURES])]
    )
    for shape in ((2, 0), (0, 0)):
        assert run(tf.zeros([*shape, FEATURES])).shape == (*shape, UNITS)
    np.testing.assert_allclose(run(inputs()), layer(inputs()), atol=1e-6)


def test_mask_from_a_layer_before():
    layer, x = make_layer(), inputs()
    x[~RIGHT_PADDED] = 0
    symbolic = keras.Input((None, FEATURES))
    model = keras.Model(symbolic, layer(keras.layers.Masking()(symbolic)))
    np.testing.assert_allclose(model(x), layer(x, mask=RIGHT_PADDED), atol=1e-6)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(units=0), "`units` should be positive. Received: units=0"),
        (
            dict(units=1, recurrent_dropout=1.0),
            r"`recurrent_dropout` should be in \[0, 1\). "
            "Received: recurrent_dropout=1.0",
        ),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        HighwayLSTM(**arguments)
