import itertools

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.inference import inference_lstm
from elmo_tf.inference import input_stretches
from elmo_tf.inference import packed_sequences
from elmo_tf.inference.frozen_weights import LSTMWeights
from elmo_tf.inference.inference_lstm import InferenceLSTM
from elmo_tf.inference.packed_layer import PackedLayer
from elmo_tf.inference.packed_sequences import PackedSequences
from tests.reference import bilm as reference

FEATURES, UNITS, PROJECTION = 5, 4, 3
LENGTHS = [3, 6, 0, 1, 6]

OPTIONS = {
    "plain": dict(units=UNITS),
    "projected": dict(units=UNITS, projection_dim=PROJECTION),
    "clipped": dict(
        units=UNITS,
        projection_dim=PROJECTION,
        cell_clip=0.5,
        projection_clip=0.3,
    ),
}


# From which number of sequences on a step counts as full: none, the first
# ones, all of them; and from which on steps are of few sizes.
@pytest.fixture(params=itertools.product([100, 3, 0], [64, 1]))
def few_or_many(request, monkeypatch):
    """Lets the same sequences run in every way."""
    few, exact = request.param
    monkeypatch.setattr(inference_lstm, "_FEW_SEQUENCES", few)
    monkeypatch.setattr(packed_sequences, "_EXACT_SIZES", exact)


def random_weights(options):
    generator = np.random.default_rng(0)
    output_dim = options.get("projection_dim", UNITS)
    projection_kernel = None
    if "projection_dim" in options:
        projection_kernel = generator.normal(size=[UNITS, output_dim])
        projection_kernel = projection_kernel.astype(np.float32)
    return LSTMWeights(
        generator.normal(size=[FEATURES + output_dim, 4 * UNITS]).astype("f"),
        generator.normal(size=[4 * UNITS]).astype("f"),
        projection_kernel,
    )


def make(options, dtype="float32"):
    return InferenceLSTM(
        random_weights(options),
        options.get("cell_clip"),
        options.get("projection_clip"),
        dtype,
    )


def inputs(lengths=LENGTHS):
    """The element that all begin with, `[1, FEATURES]`, and the others."""
    shape = (len(lengths), max(lengths, default=0), FEATURES)
    generator = np.random.default_rng(1)
    return [
        generator.normal(size=size).astype(np.float32)
        for size in ([1, FEATURES], shape)
    ]


def run(module, values, lengths, state=None):
    """Returns each sequence's outputs, and the packed row of zeros."""
    first, others = values
    sequences = PackedSequences(tf.constant(lengths, tf.int32))
    packed = tf.concat(
        [first, sequences.pack(tf.constant(others)), tf.zeros([1, FEATURES])],
        axis=0,
    )
    outputs = module(PackedLayer(packed), sequences, state)
    assert outputs.shape[0] == packed.shape[0]
    rows = []
    for index, n in enumerate(lengths):
        steps = 1 + sequences.row(tf.fill([n], index), tf.range(n))
        rows.append(tf.gather(outputs, tf.concat([[0], steps], axis=0)).numpy())
    return rows, outputs[-1].numpy()


def expected_outputs(options, values, lengths, state=None):
    first, others = values
    values = np.concatenate(
        [np.repeat(first[np.newaxis], len(lengths), axis=0), others], axis=1
    )
    mask = np.arange(values.shape[1]) <= np.array(lengths)[:, np.newaxis]
    if state is not None:
        state = [np.repeat(part, len(lengths), axis=0) for part in state]
    weights = random_weights(options)
    outputs = reference.projected_lstm(
        values,
        weights.kernel,
        weights.bias,
        weights.projection_kernel,
        options.get("cell_clip"),
        options.get("projection_clip"),
        state,
        mask,
    )[0]
    return [row[: n + 1] for row, n in zip(outputs, lengths, strict=True)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("has_state", [False, True])
@pytest.mark.usefixtures("few_or_many")
def test_equals_the_reference(options, has_state):
    state = None
    if has_state:
        state = [
            np.full([1, UNITS], 0.2, np.float32),
            np.full(
                [1, options.get("projection_dim", UNITS)], -0.1, np.float32
            ),
        ]
    values = inputs()
    rows, zeros = run(make(options), values, LENGTHS, state)
    expected = expected_outputs(options, values, LENGTHS, state)
    for found, row in zip(rows, expected, strict=True):
        np.testing.assert_allclose(found, row, atol=1e-6)
    assert not zeros.any()


@pytest.mark.parametrize("lengths", [[], [0, 0]])
@pytest.mark.usefixtures("few_or_many")
def test_nothing_to_run_over(lengths):
    module = make(OPTIONS["projected"])
    rows, zeros = run(module, inputs(lengths), lengths)
    assert [row.shape for row in rows] == [(1, PROJECTION)] * len(lengths)
    assert not zeros.any()


@pytest.mark.parametrize("most", [1, 5, 39])
def test_no_more_inputs_are_hoisted_than_the_memory_is_for(monkeypatch, most):
    module = make(OPTIONS["projected"])
    values = inputs([40])
    hoisted, _ = run(module, values, [40])
    products = []
    product = module._product

    def watched(values, kernel, bias=None):
        # With a bias those with the inputs, and the first step's.
        if bias is not None:
            products.append(values.shape[0])
        return product(values, kernel, bias)

    monkeypatch.setattr(module, "_product", watched)
    monkeypatch.setattr(inference_lstm, "_HOISTED_UNIT", 1)
    monkeypatch.setattr(input_stretches, "_MAX_INPUTS", most)
    others, _ = run(module, values, [40])
    np.testing.assert_allclose(hoisted[0], others[0], atol=1e-6)
    assert max(products) == most
    assert sum(products) == 4 * (1 + 40)


# Most inputs of a stretch, most elements searched for them, most frequent ones.
@pytest.mark.parametrize(
    "bounds", itertools.product([1, 2, 100], [1, 4, 100], [0, 1, 2])
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_elements_that_share_their_inputs(monkeypatch, bounds, dtype):
    for name, bound in zip(
        ["_MAX_INPUTS", "_MAX_ELEMENTS", "_MAX_FREQUENT"], bounds, strict=True
    ):
        monkeypatch.setattr(input_stretches, name, bound)
    monkeypatch.setattr(input_stretches, "_FREQUENT_UNIT", 1)
    monkeypatch.setattr(packed_sequences, "_EXACT_SIZES", 1)
    module = make(OPTIONS["clipped"], dtype)
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=[4, FEATURES]).astype(np.float32)
    words = generator.integers(0, 4, [len(LENGTHS), max(LENGTHS)], np.int32)
    rows, zeros = run(module, [vectors[1:2], vectors[words]], LENGTHS)
    sequences = PackedSequences(tf.constant(LENGTHS))
    shared = module(
        PackedLayer(
            tf.constant(vectors),
            tf.concat([[1], sequences.pack(words), [0]], axis=0),
        ),
        sequences,
    ).numpy()
    for sequence, n in enumerate(LENGTHS):
        steps = 1 + sequences.row(tf.fill([n], sequence), tf.range(n)).numpy()
        tolerance = 1e-6 if dtype == "float32" else 0.05
        np.testing.assert_allclose(
            shared[[0, *steps]], rows[sequence], atol=tolerance
        )
    assert not shared[-1].any()
    assert not zeros.any()


def test_with_large_weights_more_sequences_are_few(monkeypatch):
    """Bfloat16's are half as large."""
    size = 4 * FEATURES * UNITS
    for limit, expected in ((size + 1, [32, 32]), (size, [128, 32])):
        monkeypatch.setattr(inference_lstm, "_LARGE_WEIGHTS_BYTES", limit)
        assert [
            make(OPTIONS["projected"], dtype)._few_sequences
            for dtype in ("float32", "bfloat16")
        ] == expected


@pytest.mark.usefixtures("few_or_many")
def test_bfloat16():
    options = OPTIONS["projected"]
    module = make(options, "bfloat16")
    assert {variable.dtype for variable in module.variables} == {
        *(tf.bfloat16, tf.float32),
    }
    values = inputs()
    rows, _ = run(module, values, LENGTHS)
    expected = expected_outputs(options, values, LENGTHS)
    for found, row in zip(rows, expected, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, row, atol=0.1)
    # Rounded indeed.
    assert np.abs(rows[1] - expected[1]).max() > 1e-4


def test_weights_are_frozen():
    assert not make(OPTIONS["projected"]).trainable_variables
