"""BiDAF for the cloze test against NumPy."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.cloze import make_cloze_bidaf
from tests.bidaf_tf.given_vectors import CONTEXT_LENGTHS
from tests.bidaf_tf.given_vectors import QUESTION_LENGTHS
from tests.bidaf_tf.given_vectors import GivenVectors
from tests.bidaf_tf.given_vectors import randomize
from tests.reference.attention_flow import attention_flow
from tests.reference.bilm import highway
from tests.reference.bilstm import bilstm
from tests.reference.cloze import entity_probabilities
from tests.reference.cloze import windows

WIDTH = 6
WINDOW = 3
# Of the contexts' five words, one and three.
ENTITIES = ([0, -1, 1, 0, 2], [0], [-1, 0, -1])


def make_inputs(output_width=None):
    inputs = GivenVectors(WIDTH, output_width)
    inputs.keras_inputs["context_entities"] = keras.Input(
        [None], dtype="int32", name="context_entities"
    )
    return inputs


def make_model(output_width=None, **options):
    config = BiDAFConfig(hidden_size=3, **options)
    inputs = make_inputs(output_width)
    model = make_cloze_bidaf(config, WINDOW, inputs)
    randomize(model)
    return model, inputs


def values_of(inputs, n_padding=0, padding=0.0):
    values = inputs.values(n_padding, padding)
    time = max(CONTEXT_LENGTHS) + n_padding
    # Whatever stands at padding.
    entities = np.full([len(ENTITIES), time], 1 if padding else -1, np.int32)
    for row, numbers in zip(entities, ENTITIES, strict=True):
        row[: len(numbers)] = numbers
    return {**values, "context_entities": entities}


def expected_probabilities(model, values):
    """Each row's dictionary from entities to probabilities."""

    def weights(name):
        return model.get_layer(name).get_weights()

    def run(name, vectors):
        found = weights(name)
        return bilstm(vectors[None], (found[:3], found[3:]))[0]

    def encode(field, row, place):
        vectors = values[f"{field}_vectors"][row, place].astype(np.float64)
        for index in range(2):
            vectors = highway(vectors, *weights(f"highway_{index}"))
        encoded = run("contextual", vectors)
        if f"{field}_more" in values:
            more = values[f"{field}_more"][row, place]
            encoded = np.concatenate([encoded, more], axis=-1)
        return encoded

    attention_weights = {"kernel": weights("attention_flow")[0]}
    (start,) = weights("start")
    rows = []
    for row, numbers in enumerate(ENTITIES):
        question = encode("question", row, slice(QUESTION_LENGTHS[row]))
        logits, entities = [], []
        for first, last in windows(numbers, WINDOW):
            context = encode("context", row, slice(first, last))
            attended = attention_flow(
                context[None], question[None], attention_weights
            )[0]
            modeled = run("modeling_1", run("modeling_0", attended))
            scores = np.concatenate([attended, modeled], axis=1) @ start
            logits.append(scores[:, 0])
            entities.append(numbers[first:last])
        rows.append(entity_probabilities(logits, entities))
    return rows


def shares_of(outputs):
    return tf.nn.softmax(outputs["entities"]).numpy()


@pytest.mark.parametrize("output_width", [None, 4])
@pytest.mark.parametrize("n_padding", [0, 3])
def test_equals_the_reference(output_width, n_padding):
    model, inputs = make_model(output_width)
    values = values_of(inputs, n_padding, 7.0 if n_padding else 0.0)
    shares = shares_of(model(values))
    assert shares.shape == (3, 3)
    expected = expected_probabilities(model, values)
    # They tell the entities apart.
    assert max(expected[0].values()) < 0.99
    for row, found in enumerate(shares):
        for entity, share in enumerate(found):
            assert share == pytest.approx(
                expected[row].get(entity, 0.0), abs=1e-5
            )


def test_rows_make_no_difference_to_each_other():
    model, inputs = make_model()
    values = values_of(inputs)
    expected = model(values)["entities"].numpy()
    order = [2, 0, 1]
    found = model({name: value[order] for name, value in values.items()})
    np.testing.assert_allclose(found["entities"], expected[order], rtol=1e-4)
    for row in range(3):
        alone = model({k: v[row : row + 1] for k, v in values.items()})
        alone = alone["entities"].numpy()[0]
        np.testing.assert_allclose(
            alone, expected[row, : len(alone)], rtol=1e-4
        )


def test_words_outside_of_all_windows_are_not_read():
    model, inputs = make_model()
    values = values_of(inputs)
    values["context_entities"][0] = [-1, -1, -1, -1, 0]
    # The window holds the last two words of five.
    expected = model(values)["entities"][0]
    values["context_vectors"][0, :3] = 99.0
    np.testing.assert_allclose(model(values)["entities"][0], expected)
    values["context_vectors"][0, 3] = 9.0
    assert abs(model(values)["entities"][0, 0] - expected[0]) > 1e-3


def test_dynamic_attention():
    model, inputs = make_model(dynamic_attention=True)
    shares = shares_of(model(values_of(inputs)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    names = {layer.name for layer in model.layers}
    assert "attention_flow" not in names


def test_every_weight_learns():
    model, inputs = make_model(output_width=2)
    with tf.GradientTape() as tape:
        outputs = model(values_of(inputs))
        loss = tf.reduce_sum(tf.nn.log_softmax(outputs["entities"])[:, 0])
    weights = model.trainable_weights
    gradients = tape.gradient(loss, [weight.value for weight in weights])
    for weight, gradient in zip(weights, gradients, strict=True):
        gradient = tf.convert_to_tensor(gradient)
        assert np.abs(gradient).max() > 0, weight.path


def test_drops_in_training_only():
    model, inputs = make_model()
    values = values_of(inputs)
    first, again = shares_of(model(values)), shares_of(model(values))
    np.testing.assert_array_equal(first, again)
    dropped = shares_of(model(values, training=True))
    assert np.abs(dropped - first).max() > 0.01


def test_saved_and_loaded(tmp_path):
    model, inputs = make_model()
    values = values_of(inputs)
    expected = model(values)["entities"]
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras", safe_mode=True)
    np.testing.assert_array_equal(loaded(values)["entities"], expected)
