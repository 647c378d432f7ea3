"""BiDAF with self-attention against NumPy."""

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.self_attention import BiDAFSelfAttentionConfig
from bidaf_tf.self_attention import make_bidaf_self_attention
from tests.bidaf_tf.given_vectors import CONTEXT_LENGTHS
from tests.bidaf_tf.given_vectors import QUESTION_LENGTHS
from tests.bidaf_tf.given_vectors import GivenVectors
from tests.bidaf_tf.given_vectors import randomize
from tests.bidaf_tf.given_vectors import trimmed
from tests.reference.attention_flow import attention_flow
from tests.reference.attention_flow import self_attention
from tests.reference.bigru import bigru
from tests.reference.bilm import relu


def make_model(output_width=None):
    inputs = GivenVectors(6, output_width)
    model = make_bidaf_self_attention(
        BiDAFSelfAttentionConfig(gru_units=3, linear_units=5), inputs
    )
    randomize(model)
    return model, inputs


def expected_logits(model, values):
    """The two logits of each row, padding left out."""

    def weights(name):
        return model.get_layer(name).get_weights()

    def run(name, vectors):
        return bigru(vectors, weights(name))

    def linear(name, vectors):
        kernel, bias = weights(name)
        return relu(vectors @ kernel + bias)

    def encode(field, row, length):
        encoded = run("contextual", values[f"{field}_vectors"][row, :length])
        if f"{field}_more" in values:
            more = values[f"{field}_more"][row, :length]
            encoded = np.concatenate([encoded, more], axis=-1)
        return encoded

    starts, ends = [], []
    for row, lengths in enumerate(
        zip(CONTEXT_LENGTHS, QUESTION_LENGTHS, strict=True)
    ):
        context, question = (
            encode(field, row, length)
            for field, length in zip(
                ("context", "question"), lengths, strict=True
            )
        )
        (kernel,) = weights("attention_flow")
        vectors = linear(
            "attention_linear",
            attention_flow(context[None], question[None], {"kernel": kernel})[
                0
            ],
        )
        kernel, output_kernel, output_bias = weights("self_attention")
        vectors = (
            vectors
            + self_attention(
                run("self_attention_gru", vectors)[None],
                {
                    "kernel": kernel,
                    "output_kernel": output_kernel,
                    "output_bias": output_bias,
                },
            )[0]
        )
        vectors = linear("self_attention_linear", vectors)
        first = run("start_gru", vectors)
        last = run("end_gru", np.concatenate([vectors, first], axis=1))
        starts.append((first @ weights("start")[0])[:, 0])
        ends.append((last @ weights("end")[0])[:, 0])
    return starts, ends


@pytest.mark.parametrize("output_width", [None, 4])
def test_equals_the_reference(output_width):
    model, inputs = make_model(output_width)
    values = inputs.values()
    outputs = model(values)
    for name, expected in zip(
        ("start", "end"), expected_logits(model, values), strict=True
    ):
        for found, row in zip(trimmed(outputs[name]), expected, strict=True):
            np.testing.assert_allclose(found, row, atol=1e-4)


def test_padding_makes_no_difference():
    model, inputs = make_model()
    expected = model(inputs.values())
    padded = model(inputs.values(n_padding=3, padding=7.0))
    for name in ("start", "end"):
        for left, right in zip(
            trimmed(expected[name]), trimmed(padded[name]), strict=True
        ):
            np.testing.assert_allclose(left, right, atol=1e-5)


def test_every_weight_learns():
    model, inputs = make_model(output_width=2)
    with tf.GradientTape() as tape:
        outputs = model(inputs.values())
        loss = sum(
            tf.reduce_sum(tf.nn.log_softmax(outputs[name])[:, 0])
            for name in ("start", "end")
        )
    weights = model.trainable_weights
    gradients = tape.gradient(loss, [weight.value for weight in weights])
    for weight, gradient in zip(weights, gradients, strict=True):
        assert np.abs(gradient).max() > 0, weight.path


def test_drops_in_training_only():
    model, inputs = make_model()
    values = inputs.values()
    first, again = model(values), model(values)
    np.testing.assert_array_equal(first["end"], again["end"])
    dropped = model(values, training=True)
    assert np.abs(dropped["start"] - first["start"]).max() > 0.01
