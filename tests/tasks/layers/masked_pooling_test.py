import numpy as np
import pytest
import tensorflow as tf

from tasks.layers.masked_pooling import MaskedPooling
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


def inputs_of(shape=(3, 4, 5), seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize(
    "modes", [["mean"], ["max"], ["min"], ["max", "mean", "min"]], ids="+".join
)
def test_layer(modes, mask, tmp_path):
    def reference(weights, inputs, mask=None):
        return np.concatenate(
            [reference_lib.masked_pooling(inputs, m, mask) for m in modes],
            axis=-1,
        )

    inputs = {"inputs": inputs_of()}
    if mask is not None:
        inputs["mask"] = mask
    layer_checks.check_layer(
        MaskedPooling,
        dict(modes=modes),
        inputs,
        weight_shapes={},
        output_shape=(3, 5 * len(modes)),
        reference=reference,
        folder=tmp_path,
    )


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    layer = MaskedPooling(["mean", "max", "min"])
    inputs = inputs_of()
    expected = layer(inputs, mask=MASK)
    padded = np.where(MASK[:, :, None], inputs, np.float32(value))
    padded = np.pad(padded, [(0, 0), (0, 2), (0, 0)], constant_values=value)
    mask = np.pad(MASK, [(0, 0), (0, 2)])
    layer_checks.assert_equal(layer(padded, mask=mask), expected)


def test_gradient_does_not_reach_padding():
    inputs = tf.constant(inputs_of())
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = MaskedPooling(["mean", "max", "min"])(inputs, mask=MASK)
        loss = tf.reduce_sum(outputs**2)
    gradient = tape.gradient(loss, inputs).numpy()
    assert not gradient[~MASK].any()
    assert gradient[0].any() and gradient[1].any()


@pytest.mark.parametrize("modes", [[], ["mean", "median"]])
def test_modes_error(modes):
    with pytest.raises(
        ValueError, match="`modes` should be a sequence of 'mean', 'max' and"
    ):
        MaskedPooling(modes)
