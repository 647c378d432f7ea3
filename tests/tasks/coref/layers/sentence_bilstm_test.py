import numpy as np
import pytest

from elmo_tf.layers.bilstm import BiLSTM
from tasks.coref.layers.sentence_bilstm import SentenceBiLSTM
from tests import layer_checks

LENGTHS = np.array([[3, 1, 2], [2, 0, 0], [1, 5, 0]], np.int32)
TIME = 6


def make_inputs():
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(3, TIME, 4)).astype(np.float32)
    return {"inputs": inputs, "sentence_lengths": LENGTHS}


def by_sentence(layer, inputs):
    """What a `BiLSTM` gives for each sentence by itself."""
    single = BiLSTM(layer.units)
    single.build((None, None, 4))
    single.set_weights(layer.get_weights())
    outputs = np.zeros((3, TIME, 2 * layer.units), np.float32)
    for row, lengths in enumerate(LENGTHS):
        start = 0
        for length in filter(None, lengths):
            part = slice(start, start + length)
            outputs[row, part] = single(inputs[row : row + 1, part])[0]
            start += length
    return outputs


def test_each_sentence_by_itself():
    inputs = make_inputs()
    layer = layer_checks.make_layer(SentenceBiLSTM, dict(units=3), inputs)
    np.testing.assert_allclose(
        layer_checks.call(layer, inputs),
        by_sentence(layer, inputs["inputs"]),
        atol=1e-6,
    )


def test_as_a_layer(tmp_path):
    inputs = make_inputs()
    layer_checks.check_config(SentenceBiLSTM, dict(units=3))
    layer = layer_checks.make_layer(SentenceBiLSTM, dict(units=3), inputs)
    layer_checks.check_symbolic_output(layer, inputs)
    layer_checks.check_computed_shape(layer, inputs)
    layer_checks.check_saved_model(layer, inputs, True, tmp_path)
    layer_checks.check_gradients(layer, inputs)
    layer_checks.check_mixed_precision(
        SentenceBiLSTM, dict(units=3), inputs, layer, None, 0.05
    )


@pytest.mark.parametrize("value", [1e30, np.nan])
def test_padding_makes_no_difference(value):
    inputs = make_inputs()
    layer = layer_checks.make_layer(SentenceBiLSTM, dict(units=3), inputs)
    expected = layer_checks.call(layer, inputs).numpy()
    is_token = np.arange(TIME) < LENGTHS.sum(axis=1)[:, None]
    padded = np.where(is_token[..., None], inputs["inputs"], value)
    found = layer(
        padded.astype(np.float32), np.pad(LENGTHS, [(0, 0), (0, 2)])
    ).numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not found[~is_token].any()


def test_recurrent_dropout():
    inputs = make_inputs()
    layer = layer_checks.make_layer(
        SentenceBiLSTM, dict(units=3, recurrent_dropout=0.5, seed=1), inputs
    )
    expected = layer_checks.call(layer, inputs).numpy()
    found = layer_checks.call(layer, inputs, training=True).numpy()
    # A sentence of one token has no recurrence.
    np.testing.assert_allclose(found[0, 3], expected[0, 3], atol=1e-6)
    assert np.abs(found - expected).max() > 1e-3
