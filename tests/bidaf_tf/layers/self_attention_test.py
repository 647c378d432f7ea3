import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.self_attention import SelfAttention
from tests import layer_checks
from tests.reference import attention_flow as reference_lib

# A mask with a hole, with two real tokens, with one, and without any.
MASK = np.array(
    [
        [True, True, True, True, True],
        [True, False, True, True, False],
        [True, True, False, False, False],
        [False, True, False, False, False],
        [False, False, False, False, False],
    ]
)


def inputs_of():
    generator = np.random.default_rng(0)
    return generator.normal(size=(5, 5, 4)).astype(np.float32)


def make_layer(units=6):
    return layer_checks.make_layer(
        SelfAttention, dict(units=units), {"x": inputs_of()}
    )


def reference(weights, inputs, mask=None):
    named = {
        "kernel": weights["similarity/kernel"],
        "output_kernel": weights["projection/kernel"],
        "output_bias": weights["projection/bias"],
    }
    return reference_lib.self_attention(inputs, named, mask)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
def test_layer(mask, tmp_path):
    inputs = {"inputs": inputs_of()}
    if mask is not None:
        inputs["mask"] = mask
    layer_checks.check_layer(
        SelfAttention,
        dict(units=6),
        inputs,
        {
            "similarity/kernel": (12, 1),
            "projection/kernel": (12, 6),
            "projection/bias": (6,),
        },
        output_shape=(5, 5, 6),
        reference=reference,
        folder=tmp_path,
    )


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    inputs = inputs_of()
    layer = make_layer()
    expected = layer(inputs, mask=MASK)
    padded = np.where(MASK[:, :, None], inputs, np.float32(value))
    padded = np.pad(padded, [(0, 0), (0, 2), (0, 0)], constant_values=value)
    outputs = layer(padded, mask=np.pad(MASK, [(0, 0), (0, 2)]))
    layer_checks.assert_close(outputs[:, :5], expected, 1e-6)
    assert not np.any(outputs[:, 5:])
    assert not np.any(expected.numpy()[~MASK])


def test_each_row_by_itself():
    layer = make_layer()
    inputs, order = inputs_of(), np.array([3, 1, 4, 0, 2])
    expected = layer(inputs, mask=MASK).numpy()
    layer_checks.assert_close(
        layer(inputs[order], mask=MASK[order]), expected[order], 1e-6
    )


def test_no_token_attends_to_itself():
    inputs = inputs_of()
    layer = SelfAttention(4)
    layer.build((None, None, 4))
    # The output is what is attended to.
    kernel = np.zeros((12, 4))
    kernel[4:8] = np.eye(4)
    layer.set_weights([np.ones((12, 1)), kernel, np.full(4, 100.0)])
    outputs = layer(inputs, mask=MASK).numpy() - 100
    # Of two tokens, each attends to the other alone.
    np.testing.assert_allclose(outputs[2, :2], inputs[2, 1::-1], atol=1e-4)
    # One alone attends to nothing.
    np.testing.assert_array_equal(outputs[3, 1], 0)


def test_gradient_does_not_reach_padding():
    inputs = tf.constant(inputs_of())
    layer = make_layer(units=20)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        total = tf.reduce_sum(layer(inputs, mask=MASK) ** 2)
    gradient = tape.gradient(total, inputs).numpy()
    assert not gradient[~MASK].any()
    assert gradient[MASK].all()


def test_units_error():
    with pytest.raises(
        ValueError, match="`units` should be positive. Received: units=0"
    ):
        SelfAttention(0)
