import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.layers.attention_flow import AttentionFlow
from tests import layer_checks
from tests.reference import attention_flow as reference_lib

DIM = 4
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
SIMILARITY_SHAPES = {
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


def sequences():
    generator = np.random.default_rng(0)
    return {
        "context": generator.normal(size=(5, 5, DIM)).astype(np.float32),
        "question": generator.normal(size=(5, 3, DIM)).astype(np.float32),
    }


def masks():
    return {"context_mask": CONTEXT_MASK, "question_mask": QUESTION_MASK}


def make_layer(**arguments):
    return layer_checks.make_layer(AttentionFlow, arguments, sequences())


def reference_of(arguments):
    arguments = dict(arguments)
    kind = arguments.pop("similarity", "trilinear")

    def reference(weights, context, question, **masks):
        named = {
            name.replace("similarity/", "").replace("projection/", "fusion_"): (
                value
            )
            for name, value in weights.items()
        }
        return reference_lib.attention_flow(
            context, question, named, kind, **arguments, **masks
        )

    return reference


def check(arguments, inputs, folder):
    n_parts = 3 if arguments.get("query_to_context") is False else 4
    kind = arguments.get("similarity", "trilinear")
    shapes = {
        f"similarity/{name}": shape
        for name, shape in SIMILARITY_SHAPES[kind].items()
    }
    width = n_parts * DIM
    if arguments.get("fusion") == "mlp":
        shapes["projection/kernel"] = (width, DIM)
        shapes["projection/bias"] = (DIM,)
        width = DIM
    layer_checks.check_layer(
        AttentionFlow,
        arguments,
        inputs,
        shapes,
        output_shape=(5, 5, width),
        reference=reference_of(arguments),
        folder=folder,
    )


@pytest.mark.parametrize("kind", SIMILARITY_SHAPES)
def test_similarities(kind, tmp_path):
    check({"similarity": kind}, {**sequences(), **masks()}, tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        {"fusion": "mlp"},
        {"context_to_query": False},
        {"query_to_context": False},
        {"fusion": "mlp", "query_to_context": False},
    ],
    ids=["mlp", "no_c2q", "no_q2c", "mlp_no_q2c"],
)
def test_fusion_and_ablations(arguments, tmp_path):
    check(arguments, {**sequences(), **masks()}, tmp_path)


def test_without_masks(tmp_path):
    check({}, sequences(), tmp_path)


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
@pytest.mark.parametrize("context_to_query", [True, False])
def test_padding_makes_no_difference(value, context_to_query):
    inputs = sequences()
    layer = make_layer(fusion="mlp", context_to_query=context_to_query)
    expected = layer(**inputs, **masks())
    padded = {}
    for name in ("context", "question"):
        mask = masks()[f"{name}_mask"]
        filled = np.where(mask[:, :, None], inputs[name], np.float32(value))
        padded[name] = np.pad(
            filled, [(0, 0), (0, 2), (0, 0)], constant_values=value
        )
        padded[f"{name}_mask"] = np.pad(mask, [(0, 0), (0, 2)])
    outputs = layer(**padded)
    layer_checks.assert_close(outputs[:, :5], expected, 1e-6)
    assert not np.any(outputs[:, 5:])
    assert not np.any(expected.numpy()[~CONTEXT_MASK])


@pytest.mark.parametrize("context_to_query", [True, False])
def test_gradient_does_not_reach_padding(context_to_query):
    inputs = {k: tf.constant(v) for k, v in sequences().items()}
    layer = make_layer(context_to_query=context_to_query)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        total = tf.reduce_sum(layer(**inputs, **masks()) ** 2)
    gradients = tape.gradient(total, inputs)
    for name, mask in (("context", CONTEXT_MASK), ("question", QUESTION_MASK)):
        gradient = gradients[name].numpy()
        assert not gradient[~mask].any()
        rows = CONTEXT_MASK.any(axis=1)
        assert gradient[rows][mask[rows]].all()


def test_each_row_by_itself():
    layer = make_layer()
    inputs = {**sequences(), **masks()}
    expected = layer(**inputs).numpy()
    order = np.array([3, 1, 4, 0, 2])
    layer_checks.assert_close(
        layer(**{k: v[order] for k, v in inputs.items()}), expected[order], 1e-6
    )
    alone = layer(**{k: v[:1] for k, v in inputs.items()})
    layer_checks.assert_close(alone, expected[:1], 1e-6)


def test_masks_of_keras_are_used():
    inputs = sequences()
    layer = make_layer()
    with_masks = {}
    for name, value in inputs.items():
        with_masks[name] = tf.constant(value)
        with_masks[name]._keras_mask = tf.constant(masks()[f"{name}_mask"])
    outputs = layer(**with_masks)
    layer_checks.assert_equal(outputs, layer(**inputs, **masks()))
    layer_checks.assert_equal(outputs._keras_mask, CONTEXT_MASK)


@pytest.mark.parametrize("context_to_query", [True, False])
def test_no_words_at_all(context_to_query):
    layer = make_layer(context_to_query=context_to_query)
    context = tf.constant(sequences()["context"])
    with tf.GradientTape() as tape:
        tape.watch(context)
        outputs = layer(context, np.zeros((5, 0, DIM), np.float32))
    expected = np.concatenate([context] + 3 * [np.zeros_like(context)], -1)
    np.testing.assert_array_equal(outputs, expected)
    np.testing.assert_array_equal(tape.gradient(outputs, context), 1)
    outputs = layer(context[:, :0], sequences()["question"])
    assert outputs.shape == (5, 0, 4 * DIM)


def test_large_scores():
    inputs = {k: 1e10 * v for k, v in sequences().items()}
    outputs = AttentionFlow("dot")(**inputs, **masks())
    assert np.isfinite(outputs).all()


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_attention(policy):
    inputs = sequences()
    layer = make_layer(dtype=policy)
    to_query, to_context = layer.attention(**inputs, **masks())
    for shares in (to_query, to_context):
        assert shares.dtype == tf.float32
        assert not np.isnan(shares).any()
    kernel = layer.similarity.get_weights()[0]
    scores = reference_lib.similarity_matrices(
        "trilinear", {"kernel": kernel}, *inputs.values()
    )
    tolerance = 1e-5 if policy == "float32" else 0.05
    for row in range(5):
        words = CONTEXT_MASK[row]
        question = QUESTION_MASK[row]
        expected = np.zeros((5, 3))
        expected_row = np.zeros(5)
        if words.any() and question.any():
            real = scores[row][np.ix_(words, question)]
            expected[np.ix_(words, question)] = [
                reference_lib.softmax(word) for word in real
            ]
            expected_row[words] = reference_lib.softmax(real.max(axis=1))
        layer_checks.assert_close(to_query[row], expected, tolerance)
        layer_checks.assert_close(to_context[row], expected_row, tolerance)


def test_fusion_error():
    with pytest.raises(
        ValueError,
        match=r"`fusion` should be one of \('concat', 'mlp'\). "
        r"Received: fusion='sum'",
    ):
        AttentionFlow(fusion="sum")


def test_similarity_error():
    with pytest.raises(ValueError, match="`kind` should be one of"):
        AttentionFlow(similarity="cosine")


def test_no_attention_error():
    with pytest.raises(
        ValueError,
        match="one of `context_to_query` and `query_to_context` should be "
        "true. Received: both false",
    ):
        AttentionFlow(context_to_query=False, query_to_context=False)


def test_width_error():
    with pytest.raises(
        ValueError,
        match="context and question should have vectors of one width. "
        "Received: context 4, question 6",
    ):
        AttentionFlow("bilinear")(np.ones((1, 2, 4)), np.ones((1, 2, 6)))
