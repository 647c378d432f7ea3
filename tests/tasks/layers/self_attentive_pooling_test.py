import numpy as np
import pytest
import tensorflow as tf

from tasks.layers.self_attentive_pooling import SelfAttentivePooling
from tests import layer_checks
from tests.reference import pooling as reference_lib

# A mask with a hole, and one without a real step.
MASK = np.array(
    [
        [True, True, True, True],
        [True, False, True, False],
        [False, False, False, False],
    ]
)


def inputs_of():
    generator = np.random.default_rng(0)
    return generator.normal(size=(3, 4, 5)).astype(np.float32)


def reference(weights, inputs, mask=None):
    return reference_lib.self_attentive_pooling(inputs, weights["kernel"], mask)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
def test_layer(mask, tmp_path):
    inputs = {"inputs": inputs_of()}
    if mask is not None:
        inputs["mask"] = mask
    layer_checks.check_layer(
        SelfAttentivePooling,
        {},
        inputs,
        weight_shapes={"kernel": (5, 1)},
        output_shape=(3, 5),
        reference=reference,
        folder=tmp_path,
    )


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    inputs = inputs_of()
    layer = layer_checks.make_layer(SelfAttentivePooling, {}, {"x": inputs})
    expected = layer(inputs, mask=MASK)
    padded = np.where(MASK[:, :, None], inputs, np.float32(value))
    padded = np.pad(padded, [(0, 0), (0, 2), (0, 0)], constant_values=value)
    mask = np.pad(MASK, [(0, 0), (0, 2)])
    layer_checks.assert_close(layer(padded, mask=mask), expected, 1e-6)


def test_gradient_does_not_reach_padding():
    inputs = tf.constant(inputs_of())
    layer = layer_checks.make_layer(SelfAttentivePooling, {}, {"x": inputs})
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        total = tf.reduce_sum(layer(inputs, mask=MASK) ** 2)
    gradient = tape.gradient(total, inputs).numpy()
    assert not gradient[~MASK].any()
    assert gradient[MASK].all()


def test_large_scores():
    layer = SelfAttentivePooling()
    layer.build((None, None, 1))
    layer.set_weights([np.array([[1.0]])])
    np.testing.assert_allclose(
        layer(np.array([[[1e4], [1e4 - 1], [-1e4]]], np.float32)),
        [[1e4 - 1 / (1 + np.e)]],
        rtol=1e-6,
    )
