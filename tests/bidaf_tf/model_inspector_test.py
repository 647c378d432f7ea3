"""What the inspector shows is what the model computes."""

import keras
import numpy as np
import pytest

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.bidaf import make_bidaf
from bidaf_tf.model_inspector import ModelInspector
from bidaf_tf.self_attention import BiDAFSelfAttentionConfig
from bidaf_tf.self_attention import make_bidaf_self_attention
from tests.bidaf_tf.given_vectors import CONTEXT_LENGTHS
from tests.bidaf_tf.given_vectors import QUESTION_LENGTHS
from tests.bidaf_tf.given_vectors import GivenVectors
from tests.bidaf_tf.given_vectors import randomize

HIDDEN = 3


def make_plain(inputs):
    return make_bidaf(BiDAFConfig(hidden_size=HIDDEN), inputs)


def make_without_context_to_query(inputs):
    config = BiDAFConfig(hidden_size=HIDDEN, context_to_query=False)
    return make_bidaf(config, inputs)


def make_with_self_attention(inputs):
    config = BiDAFSelfAttentionConfig(gru_units=HIDDEN, linear_units=4)
    return make_bidaf_self_attention(config, inputs)


def softmax(values):
    exponentials = np.exp(values - values.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("output_width", [None, 2])
@pytest.mark.parametrize(
    "make",
    [make_plain, make_without_context_to_query, make_with_self_attention],
)
def test_inspect(make, output_width):
    inputs = GivenVectors(4, output_width)
    model = make(inputs)
    randomize(model)
    values = inputs.values(n_padding=1, padding=7.0)
    assert ModelInspector.can_inspect(model)
    found = {
        name: value.numpy()
        for name, value in ModelInspector(model)(values).items()
    }
    for name, expected in model(values).items():
        np.testing.assert_allclose(found[name], expected, atol=1e-5)
    (kernel,) = model.get_layer("attention_flow").similarity.weights
    kernel = np.asarray(kernel)[:, 0]
    encoder = model.get_layer("contextual")
    vectors = {}
    for field in ("context", "question"):
        read = values[f"{field}_vectors"]
        for index in range(2 if make is not make_with_self_attention else 0):
            read = model.get_layer(f"highway_{index}")(read)
        encoded = np.asarray(encoder(read, mask=values[f"{field}_mask"]))
        np.testing.assert_allclose(
            found[f"{field}_contextual_vectors"], encoded, atol=1e-5
        )
        assert encoded.shape[-1] == 2 * HIDDEN
        if output_width is not None:
            encoded = np.concatenate(
                [encoded, values[f"{field}_more"]], axis=-1
            )
        vectors[field] = encoded
    # Equation 1, word by word.
    for row, (t, j) in enumerate(
        zip(CONTEXT_LENGTHS, QUESTION_LENGTHS, strict=True)
    ):
        scores = np.array(
            [
                [
                    np.concatenate([h, u, h * u]) @ kernel
                    for u in vectors["question"][row, :j]
                ]
                for h in vectors["context"][row, :t]
            ]
        )
        to_query, to_context = (
            found[name][row]
            for name in ("context_to_query", "query_to_context")
        )
        np.testing.assert_allclose(to_query[:t, :j], softmax(scores), atol=1e-5)
        np.testing.assert_allclose(
            to_context[:t], softmax(scores.max(axis=-1)), atol=1e-5
        )
        assert not to_query[t:].any() and not to_query[:, j:].any()
        assert not to_context[t:].any()
        for field, length in (("context", t), ("question", j)):
            assert not found[f"{field}_contextual_vectors"][row, length:].any()


def test_a_model_without_an_attention_matrix():
    inputs = GivenVectors(4)
    model = keras.Model(
        inputs.keras_inputs,
        keras.layers.Dense(1)(inputs.token_vectors("context")),
    )
    assert not ModelInspector.can_inspect(model)
