import functools

import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.similarity import Similarity
from tests import layer_checks
from tests.reference import attention_flow as reference_lib

DIM = 4
WEIGHT_SHAPES = {
    "trilinear": {"kernel": (3 * DIM, 1)},
    "dot": {},
    "linear": {"kernel": (2 * DIM, 1)},
    "bilinear": {"kernel": (DIM, DIM)},
    "mlp": {
        "kernel": (2 * DIM, DIM),
        "bias": (DIM,),
        "output_kernel": (DIM, 1),
    },
}


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("kind", WEIGHT_SHAPES)
def test_layer(kind, tmp_path):
    layer_checks.check_layer(
        Similarity,
        dict(kind=kind),
        {"context": normal(2, 5, DIM), "question": normal(2, 3, DIM, seed=1)},
        WEIGHT_SHAPES[kind],
        output_shape=(2, 5, 3),
        reference=functools.partial(reference_lib.similarity_matrices, kind),
        folder=tmp_path,
    )


@pytest.mark.parametrize("kind", ["linear", "bilinear", "mlp"])
def test_vectors_of_different_widths(kind):
    context, question = normal(2, 5, 4), normal(2, 3, 6, seed=1)
    inputs = {"context": context, "question": question}
    layer = layer_checks.make_layer(Similarity, dict(kind=kind), inputs)
    weights = layer_checks.weight_values(layer)
    layer_checks.assert_close(
        layer(context, question),
        reference_lib.similarity_matrices(kind, weights, context, question),
        1e-5,
    )


@pytest.mark.parametrize("kind", ["trilinear", "linear", "bilinear"])
def test_no_tensor_is_larger_than_inputs_and_scores(kind):
    batch, time, n_words, width = 2, 40, 30, 20
    layer = Similarity(kind)

    @tf.function
    def step(context, question):
        with tf.GradientTape() as tape:
            tape.watch([context, question])
            total = tf.reduce_sum(layer(context, question) ** 2)
        return tape.gradient(total, [context, question, layer.weights[0].value])

    graph = step.get_concrete_function(
        tf.TensorSpec([batch, time, width]),
        tf.TensorSpec([batch, n_words, width]),
    ).graph
    sizes = [
        tensor.shape.num_elements()
        for operation in graph.get_operations()
        for tensor in operation.outputs
        if tensor.shape.is_fully_defined()
    ]
    assert max(sizes) == batch * time * n_words


def test_no_mask_goes_on():
    context = tf.constant(normal(2, 5, 4))
    context._keras_mask = tf.ones((2, 5), tf.bool)
    scores = Similarity()(context, normal(2, 3, 4))
    assert getattr(scores, "_keras_mask", None) is None


def test_starts_like_a_dense_layer():
    layer = Similarity("trilinear")
    layer.build((None, None, 300), (None, None, 300))
    weights = layer.get_weights()[0]
    limit = np.sqrt(6 / (900 + 1))
    assert 0.9 * limit < np.abs(weights).max() <= limit


def test_kind_error():
    with pytest.raises(
        ValueError,
        match=r"`kind` should be one of \('trilinear', 'dot', 'linear', "
        r"'bilinear', 'mlp'\). Received: kind='cosine'",
    ):
        Similarity("cosine")


@pytest.mark.parametrize("kind", ["trilinear", "dot"])
def test_width_error(kind):
    with pytest.raises(
        ValueError,
        match=f"the similarity '{kind}' needs vectors of one width. Received: "
        "context 4, question 6",
    ):
        Similarity(kind)(normal(2, 5, 4), normal(2, 3, 6))
