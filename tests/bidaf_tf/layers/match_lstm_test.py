import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.match_lstm import MatchLSTM
from tests import layer_checks
from tests.reference.match_lstm import match_lstm

CONTEXT_DIM, QUESTION_DIM, UNITS = 4, 3, 2
# Masks with a hole, with one real token, and without any.
CONTEXT_MASK = np.array(
    [
        [True, True, True, True, True],
        [True, False, True, True, False],
        [True, False, False, False, False],
        [False, False, False, False, False],
        [True, True, True, False, False],
    ]
)
QUESTION_MASK = np.array(
    [
        [True, True, True],
        [True, False, True],
        [True, False, False],
        [True, True, False],
        [False, False, False],
    ]
)
SHAPES = {
    f"{direction}_{name}": shape
    for direction in ("forward", "backward")
    for name, shape in {
        "question_kernel": (QUESTION_DIM, UNITS),
        "context_kernel": (CONTEXT_DIM, UNITS),
        "state_kernel": (UNITS, UNITS),
        "attention_bias": (UNITS,),
        "attention_output_kernel": (UNITS, 1),
        "kernel": (CONTEXT_DIM + QUESTION_DIM, 4 * UNITS),
        "bias": (4 * UNITS,),
        "recurrent_kernel": (UNITS, 4 * UNITS),
    }.items()
}


def sequences():
    generator = np.random.default_rng(0)
    return {
        "context": generator.normal(size=(5, 5, CONTEXT_DIM)),
        "question": generator.normal(size=(5, 3, QUESTION_DIM)),
    }


def masks():
    return {"context_mask": CONTEXT_MASK, "question_mask": QUESTION_MASK}


def make_layer():
    return layer_checks.make_layer(MatchLSTM, dict(units=UNITS), sequences())


def reference(
    weights, context, question, context_mask=None, question_mask=None
):
    """Each row without what its masks leave out."""
    values = list(weights.values())
    outputs = np.zeros((*context.shape[:2], 2 * UNITS))
    for row in range(len(context)):
        steps, words = (
            np.arange(text.shape[1]) if mask is None else mask[row]
            for text, mask in (
                (context, context_mask),
                (question, question_mask),
            )
        )
        if np.any(steps):
            outputs[row, steps] = match_lstm(
                context[row, steps],
                question[row, words],
                (values[:8], values[8:]),
            )
    return outputs


@pytest.mark.parametrize("masked", [False, True])
def test_layer(masked, tmp_path):
    inputs = {
        name: values.astype(np.float32) for name, values in sequences().items()
    }
    layer_checks.check_layer(
        MatchLSTM,
        dict(units=UNITS),
        {**inputs, **(masks() if masked else {})},
        SHAPES,
        output_shape=(5, 5, 2 * UNITS),
        reference=reference,
        folder=tmp_path,
    )


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    layer, inputs = make_layer(), sequences()
    expected = layer(**inputs, **masks())
    padded, padded_masks = {}, {}
    for name, mask in (("context", CONTEXT_MASK), ("question", QUESTION_MASK)):
        padded[name] = np.pad(
            np.where(mask[:, :, None], inputs[name], value),
            [(0, 0), (0, 2), (0, 0)],
            constant_values=value,
        )
        padded_masks[f"{name}_mask"] = np.pad(mask, [(0, 0), (0, 2)])
    outputs = layer(**padded, **padded_masks)
    layer_checks.assert_close(outputs[:, :5], expected, 1e-6)
    assert not np.any(outputs[:, 5:])
    assert not np.any(expected.numpy()[~CONTEXT_MASK])


def test_the_attention_remembers():
    """What a step attends to depends on what was read before it."""
    layer, inputs = make_layer(), sequences()
    before = layer(**inputs).numpy()
    inputs["context"][:, 0] += 1.0
    after = layer(**inputs).numpy()
    assert (np.abs(after - before)[:, 4, :UNITS] > 1e-6).all()


def test_gradient_does_not_reach_padding():
    inputs = {
        name: tf.constant(value, tf.float32)
        for name, value in sequences().items()
    }
    layer = make_layer()
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        total = tf.reduce_sum(layer(**inputs, **masks()) ** 2)
    gradients = tape.gradient(total, inputs)
    assert not gradients["context"].numpy()[~CONTEXT_MASK].any()
    assert not gradients["question"].numpy()[~QUESTION_MASK].any()
    assert gradients["context"].numpy()[CONTEXT_MASK].all()


def test_units_error():
    with pytest.raises(
        ValueError, match="`units` should be positive. Received: units=0"
    ):
        MatchLSTM(0)
