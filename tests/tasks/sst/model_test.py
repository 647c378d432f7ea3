import numpy as np
import pytest
import tensorflow as tf

from tasks.config import ElmoConfig
from tasks.model_inputs import ModelInputs
from tasks.sst.experiments import SSTConfig
from tasks.sst.model import make_classifier
from tests.reference import bcn

N_LABELS = 3
N_WORDS = 9
WORD_DIM = 4
N_LAYERS = 3
ELMO_DIM = 6
LENGTHS = (5, 1, 3)
TIME = 6
MASK = np.arange(TIME) < np.array(LENGTHS)[:, None]
LOCATIONS = pytest.mark.parametrize(
    "location, elmo_output",
    [
        ("none", "encoder"),
        ("input", "encoder"),
        ("output", "encoder"),
        ("input_and_output", "encoder"),
        ("input_and_output", "integrator"),
    ],
)


def make_model(location="input_and_output", elmo_output="encoder"):
    """A tiny network with random weights."""
    config = SSTConfig(
        elmo=ElmoConfig(location=location),
        elmo_output=elmo_output,
        projection_dim=5,
        lstm_units=3,
        hidden_units=(8, 7),
    )
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    inputs = ModelInputs(config, ("tokens",), N_WORDS, WORD_DIM, elmo_shape)
    model = make_classifier(config, inputs, N_LABELS)
    generator = np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(generator.normal(size=weight.shape))
    return model


def make_inputs(model, padding_seed=0, time=TIME):
    """A batch in whose padding anything stands."""
    generator = np.random.default_rng(1)
    padding = np.random.default_rng(padding_seed)
    mask = np.pad(MASK, [(0, 0), (0, time - TIME)])
    elmo_shape = (N_LAYERS, ELMO_DIM)
    word_ids = padding.integers(N_WORDS, size=mask.shape)
    word_ids[mask] = generator.integers(N_WORDS, size=mask.sum())
    elmo = 9 * padding.normal(size=(*mask.shape, *elmo_shape))
    elmo[mask] = generator.normal(size=(mask.sum(), *elmo_shape))
    inputs = {
        "tokens_word_ids": word_ids.astype(np.int32),
        "tokens_mask": mask,
        "tokens_elmo": elmo.astype(np.float32),
    }
    return {
        name: tf.constant(value)
        for name, value in inputs.items()
        if name in model.input
    }


def weights_of(model, name):
    return model.get_layer(name).get_weights()


def expected_scores(model, inputs, location, elmo_output):
    weights = {
        name: weights_of(model, name) for name in ("projection", "scores")
    }
    weights["hidden"] = [weights_of(model, f"hidden_{i}") for i in range(2)]
    for name in ("encoder", "integrator"):
        forward_and_backward = weights_of(model, name)
        weights[name] = forward_and_backward[:3], forward_and_backward[3:]
    (weights["attention"],) = weights_of(model, "self_attentive_pooling")
    (table,) = weights_of(model, "word_embedding")
    rows = []
    for row, length in enumerate(LENGTHS):
        elmo = {}
        if location in ("input", "input_and_output"):
            elmo["input_elmo"] = "elmo_input"
        if location in ("output", "input_and_output"):
            elmo[f"{elmo_output}_elmo"] = "elmo_output"
        for argument, name in elmo.items():
            layers = inputs["tokens_elmo"][row, :length].numpy()
            elmo[argument] = bcn.elmo(layers, *weights_of(model, name))
        words = table[inputs["tokens_word_ids"][row, :length].numpy()]
        rows.append(bcn.classify(words, weights, **elmo))
    return rows


@LOCATIONS
def test_equals_the_reference(location, elmo_output):
    model = make_model(location, elmo_output)
    inputs = make_inputs(model)
    np.testing.assert_allclose(
        model(inputs)["scores"],
        expected_scores(model, inputs, location, elmo_output),
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("elmo_output", ["encoder", "integrator"])
def test_padding_makes_no_difference(elmo_output):
    model = make_model(elmo_output=elmo_output)
    expected = model(make_inputs(model))["scores"]
    other = model(make_inputs(model, padding_seed=5, time=TIME + 3))["scores"]
    np.testing.assert_allclose(other, expected, rtol=1e-5, atol=1e-5)


def test_every_weight_learns():
    model = make_model()
    inputs = make_inputs(model)
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        loss = tf.reduce_sum(outputs["scores"] ** 2)
    gradients = tape.gradient(
        loss, [weight.value for weight in model.trainable_weights]
    )
    for weight, gradient in zip(
        model.trainable_weights, gradients, strict=True
    ):
        assert tf.reduce_any(tf.convert_to_tensor(gradient) != 0), weight.path


def test_drops_in_training_only():
    model = make_model()
    inputs = make_inputs(model)

    def differs(training):
        first, second = (
            model(inputs, training=training)["scores"].numpy() for _ in range(2)
        )
        return (first != second).any()

    assert differs(True)
    assert not differs(False)


def test_a_text_without_words():
    model = make_model()
    inputs = make_inputs(model)
    inputs["tokens_mask"] = tf.zeros_like(inputs["tokens_mask"])
    scores = model(inputs)["scores"].numpy()
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores, scores[[0, 0, 0]])
