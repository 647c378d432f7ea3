import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.inference import inference_lstm
from elmo_tf.inference.inference_lstm import InferenceLSTM
from elmo_tf.inference.packed_sequences import PackedSequences
from elmo_tf.layers.projected_lstm import ProjectedLSTM
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


@pytest.fixture(params=["of few", "of many"])
def few_or_many(request, monkeypatch):
    """Lets the same sequences run both ways."""
    few = 100 if request.param == "of few" else 0
    monkeypatch.setattr(inference_lstm, "_FEW_SEQUENCES", few)


def make(options):
    lstm = ProjectedLSTM(**options)
    lstm.build((None, None, FEATURES))
    generator = np.random.default_rng(0)
    for variable in lstm.variables:
        variable.assign(generator.normal(size=variable.shape))
    return lstm


def inputs(lengths=LENGTHS):
    shape = (len(lengths), max(lengths, default=0), FEATURES)
    values = np.random.default_rng(1).normal(size=shape)
    return values.astype(np.float32)


def run(module, values, lengths, state=None):
    """Returns each sequence's outputs, and the packed row of zeros."""
    sequences = PackedSequences(tf.constant(lengths, tf.int32))
    packed = tf.pad(sequences.pack(tf.constant(values)), [[0, 1], [0, 0]])
    outputs = module(packed, sequences, state)
    rows = [
        tf.gather(
            outputs,
            sequences.row(tf.fill([n], index), tf.range(n)),
        ).numpy()
        for index, n in enumerate(lengths)
    ]
    return rows, outputs[-1].numpy()


def expected_outputs(lstm, options, values, lengths, state=None):
    mask = np.arange(values.shape[1]) < np.array(lengths)[:, np.newaxis]
    if state is not None:
        state = [np.repeat(part, len(lengths), axis=0) for part in state]
    outputs = reference.projected_lstm(
        values,
        np.concatenate([lstm.kernel.numpy(), lstm.recurrent_kernel.numpy()]),
        lstm.bias.numpy(),
        lstm.projection_kernel.numpy() if lstm.has_projection else None,
        options.get("cell_clip"),
        options.get("projection_clip"),
        state,
        mask,
    )[0]
    return [row[:n] for row, n in zip(outputs, lengths, strict=True)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("has_state", [False, True])
@pytest.mark.usefixtures("few_or_many")
def test_equals_the_reference(options, has_state):
    lstm = make(options)
    state = None
    if has_state:
        state = [
            np.full([1, UNITS], 0.2, np.float32),
            np.full([1, lstm.output_dim], -0.1, np.float32),
        ]
    values = inputs()
    rows, zeros = run(InferenceLSTM(lstm), values, LENGTHS, state)
    expected = expected_outputs(lstm, options, values, LENGTHS, state)
    for found, row in zip(rows, expected, strict=True):
        np.testing.assert_allclose(found, row, atol=1e-6)
    assert not zeros.any()


@pytest.mark.parametrize("lengths", [[], [0, 0]])
@pytest.mark.usefixtures("few_or_many")
def test_nothing_to_run_over(lengths):
    module = InferenceLSTM(make(OPTIONS["projected"]))
    values = np.zeros([len(lengths), 0, FEATURES], np.float32)
    rows, zeros = run(module, values, lengths)
    assert [row.shape for row in rows] == [(0, PROJECTION)] * len(lengths)
    assert not zeros.any()


def test_many_elements_are_not_hoisted(monkeypatch):
    """A long sequence by itself takes the way that holds no products."""
    lstm = make(OPTIONS["projected"])
    values = inputs([40])
    hoisted, _ = run(InferenceLSTM(lstm), values, [40])
    monkeypatch.setattr(inference_lstm, "_MAX_HOISTED", 39)
    others, _ = run(InferenceLSTM(lstm), values, [40])
    np.testing.assert_allclose(hoisted[0], others[0], atol=1e-6)


@pytest.mark.usefixtures("few_or_many")
def test_bfloat16():
    options = OPTIONS["projected"]
    lstm = make(options)
    module = InferenceLSTM(lstm, "bfloat16")
    assert {variable.dtype for variable in module.variables} == {
        *(tf.bfloat16, tf.float32),
    }
    values = inputs()
    rows, _ = run(module, values, LENGTHS)
    expected = expected_outputs(lstm, options, values, LENGTHS)
    for found, row in zip(rows, expected, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, row, atol=0.1)
    # Rounded indeed.
    assert np.abs(rows[1] - expected[1]).max() > 1e-4


def test_weights_are_copies_and_frozen():
    lstm = make(OPTIONS["projected"])
    module = InferenceLSTM(lstm)
    values = inputs()
    before, _ = run(module, values, LENGTHS)
    for variable in lstm.variables:
        variable.assign(tf.zeros_like(variable))
    after, _ = run(module, values, LENGTHS)
    np.testing.assert_array_equal(before[1], after[1])
    assert not module.trainable_variables
