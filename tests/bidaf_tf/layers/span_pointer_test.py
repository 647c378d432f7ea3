import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.span_pointer import SpanPointer
from tests import layer_checks
from tests.reference import attention_flow as reference_lib

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
    logits = np.asarray(inputs, np.float64) @ weights["kernel"][:, 0]
    return logits if mask is None else np.where(mask, logits, -1e30)


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_layer(mask, dropout, tmp_path):
    inputs = {"inputs": inputs_of()}
    if mask is not None:
        inputs["mask"] = mask
    layer_checks.check_layer(
        SpanPointer,
        dict(dropout=dropout, seed=3),
        inputs,
        weight_shapes={"kernel": (5, 1)},
        output_shape=(3, 4),
        reference=reference,
        training=False,
        bfloat16_output=False,
        folder=tmp_path,
    )


def test_probabilities():
    inputs = inputs_of()
    layer = layer_checks.make_layer(SpanPointer, {}, {"x": inputs})
    shares = tf.nn.softmax(layer(inputs, mask=MASK)).numpy()
    expected = reference_lib.pointer(inputs, layer.get_weights()[0], MASK)
    np.testing.assert_allclose(shares[:2], expected[:2], rtol=1e-5)
    # Nothing but padding: no NaN.
    np.testing.assert_allclose(shares[2], 0.25)


def test_loss_of_masked_logits():
    inputs = inputs_of()
    layer = layer_checks.make_layer(SpanPointer, {}, {"x": inputs})
    with tf.GradientTape() as tape:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            [1, 2, 0], layer(inputs, mask=MASK)
        )
    expected = reference_lib.pointer(inputs, layer.get_weights()[0], MASK)
    np.testing.assert_allclose(
        loss[:2], -np.log(expected[[0, 1], [1, 2]]), rtol=1e-5
    )
    assert np.isfinite(tape.gradient(loss, layer.kernel.value)).all()


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    inputs = inputs_of()
    layer = layer_checks.make_layer(SpanPointer, {}, {"x": inputs})
    padded = tf.constant(np.where(MASK[:, :, None], inputs, np.float32(value)))
    layer_checks.assert_equal(
        layer(padded, mask=MASK), layer(inputs, mask=MASK)
    )
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.nn.softmax(layer(padded, mask=MASK)) ** 2)
    assert np.isfinite(tape.gradient(total, layer.kernel.value)).all()


def test_dropout():
    layer = SpanPointer(dropout=0.25, seed=1)
    inputs = np.ones((40, 50, 30), np.float32)
    layer.build(inputs.shape)
    layer.set_weights([np.ones((30, 1))])
    np.testing.assert_array_equal(layer(inputs), 30.0)
    dropped = layer(inputs, training=True).numpy()
    assert abs(dropped.mean() - 30) < 0.2
    # Of 30 features, those kept count 4/3 each.
    np.testing.assert_allclose(dropped.var(), 30 / 3, rtol=0.1)
    assert not np.array_equal(layer(inputs, training=True), dropped)
    again = SpanPointer(dropout=0.25, seed=1)
    again.build(inputs.shape)
    again.set_weights([np.ones((30, 1))])
    np.testing.assert_array_equal(again(inputs, training=True), dropped)


def test_mask_of_keras_is_used_and_ends_here():
    layer = SpanPointer()
    inputs = tf.constant(inputs_of())
    inputs._keras_mask = tf.constant(MASK)
    logits = layer(inputs)
    layer_checks.assert_equal(logits, layer(inputs_of(), mask=MASK))
    assert getattr(logits, "_keras_mask", None) is None


@pytest.mark.parametrize("dropout", [-0.1, 1.0])
def test_dropout_error(dropout):
    with pytest.raises(
        ValueError,
        match=rf"`dropout` should be in \[0, 1\). Received: dropout={dropout}",
    ):
        SpanPointer(dropout)
