"""BiDAF against NumPy, with the paper's number of parameters."""

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.bidaf import make_bidaf
from tests.bidaf_tf.given_vectors import CONTEXT_LENGTHS
from tests.bidaf_tf.given_vectors import QUESTION_LENGTHS
from tests.bidaf_tf.given_vectors import GivenVectors
from tests.bidaf_tf.given_vectors import randomize
from tests.bidaf_tf.given_vectors import trimmed
from tests.reference.attention_flow import attention_flow
from tests.reference.attention_flow import softmax
from tests.reference.bilm import highway
from tests.reference.bilstm import bilstm
from tests.reference.match_lstm import match_lstm

WIDTH = 6


def make_model(output_width=None, **options):
    config = BiDAFConfig(hidden_size=3, **options)
    inputs = GivenVectors(WIDTH, output_width)
    model = make_bidaf(config, inputs)
    randomize(model)
    return model, inputs


def expected_logits(model, values, fusion, dynamic_attention):
    """The two logits of each row, padding left out."""

    def weights(name):
        return model.get_layer(name).get_weights()

    def run(name, vectors):
        found = weights(name)
        return bilstm(vectors[None], (found[:3], found[3:]))[0]

    def encode(field, row, length):
        vectors = values[f"{field}_vectors"][row, :length].astype(np.float64)
        for index in range(2):
            vectors = highway(vectors, *weights(f"highway_{index}"))
        encoded = run("contextual", vectors)
        if f"{field}_more" in values:
            more = values[f"{field}_more"][row, :length]
            encoded = np.concatenate([encoded, more], axis=-1)
        return encoded

    def attend(context, question):
        """The vectors that stand for G, and the lower modeling layer's."""
        if dynamic_attention:
            found = weights("modeling_0")
            modeled = match_lstm(context, question, (found[:8], found[8:]))
            return context, modeled
        found = weights("attention_flow")
        named = {"kernel": found[0]}
        if fusion == "mlp":
            named.update(fusion_kernel=found[1], fusion_bias=found[2])
        attended = attention_flow(
            context[None], question[None], named, fusion=fusion
        )[0]
        return attended, run("modeling_0", attended)

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
        attended, modeled = attend(context, question)
        modeled = run("modeling_1", modeled)
        (start,) = weights("start")
        start = (np.concatenate([attended, modeled], axis=1) @ start)[:, 0]
        chosen = np.tile(softmax(start) @ modeled, (len(modeled), 1))
        last = run(
            "end_encoder",
            np.concatenate(
                [attended, modeled, chosen, modeled * chosen], axis=1
            ),
        )
        (end,) = weights("end")
        starts.append(start)
        ends.append((np.concatenate([attended, last], axis=1) @ end)[:, 0])
    return starts, ends


@pytest.mark.parametrize(
    "fusion, dynamic_attention",
    [("concat", False), ("mlp", False), ("concat", True)],
)
@pytest.mark.parametrize("output_width", [None, 4])
def test_equals_the_reference(fusion, dynamic_attention, output_width):
    model, inputs = make_model(
        output_width, fusion=fusion, dynamic_attention=dynamic_attention
    )
    values = inputs.values()
    outputs = model(values)
    for name, expected in zip(
        ("start", "end"),
        expected_logits(model, values, fusion, dynamic_attention),
        strict=True,
    ):
        for found, row in zip(trimmed(outputs[name]), expected, strict=True):
            np.testing.assert_allclose(found, row, atol=1e-4)


@pytest.mark.parametrize("dynamic_attention", [False, True])
def test_padding_makes_no_difference(dynamic_attention):
    model, inputs = make_model(dynamic_attention=dynamic_attention)
    expected = model(inputs.values())
    padded = model(inputs.values(n_padding=3, padding=7.0))
    for name in ("start", "end"):
        for left, right in zip(
            trimmed(expected[name]), trimmed(padded[name]), strict=True
        ):
            np.testing.assert_allclose(left, right, atol=1e-5)
        mask = inputs.values(n_padding=3)["context_mask"]
        np.testing.assert_allclose(padded[name].numpy()[~mask], -1e30)


@pytest.mark.parametrize("dynamic_attention", [False, True])
def test_every_weight_learns(dynamic_attention):
    model, inputs = make_model(
        output_width=2, dynamic_attention=dynamic_attention
    )
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


def test_the_papers_number_of_parameters():
    """About 2.6 million, with 100 filters of width 5 over 16 numbers a
    character, and vectors of 100 numbers for the words, which are fixed."""
    model = make_bidaf(BiDAFConfig(), GivenVectors(200))

    def bilstm_size(n_in):
        return 2 * 4 * 100 * (n_in + 100 + 1)

    assert model.count_params() == sum(
        [
            2 * 2 * (200 * 200 + 200),
            bilstm_size(200),
            3 * 200,
            bilstm_size(800) + bilstm_size(200),
            bilstm_size(800 + 3 * 200),
            2 * (800 + 200),
        ]
    )
    n_characters = 260 * 16 + 5 * 16 * 100 + 100
    assert round((model.count_params() + n_characters) / 1e6, 1) == 2.6
    # An attention that is missing is not paid for.
    without = make_bidaf(BiDAFConfig(query_to_context=False), GivenVectors(200))
    assert without.count_params() < model.count_params()


@pytest.mark.parametrize(
    "name, value, default",
    [
        ("similarity", "dot", "trilinear"),
        ("fusion", "mlp", "concat"),
        ("context_to_query", False, True),
        ("query_to_context", False, True),
    ],
)
def test_options_without_an_attention_flow(name, value, default):
    with pytest.raises(
        ValueError,
        match=f"found {name}={value} with dynamic_attention=True, expected "
        f"{default}: there is no attention flow",
    ):
        BiDAFConfig(dynamic_attention=True, **{name: value})
