import dataclasses

import keras
import numpy as np
import pytest

from elmo_tf.layers.bilstm import BiLSTM
from tasks.config import ElmoConfig
from tasks.model_inputs import ModelInputs
from tasks.snli.experiments import SNLIConfig
from tasks.snli.model import make_classifier
from tests.reference import esim as reference_lib
from tests.reference.weighted_layer_sum import weighted_layer_sum

N_LAYERS, ELMO_DIM = 3, 4
N_WORDS, WORD_DIM = 9, 5
FIELDS = ("premise", "hypothesis")
# Neither all of one length, nor the longest at the same place in both.
LENGTHS = {"premise": (4, 1, 3), "hypothesis": (2, 5, 1)}
LOCATIONS = ("none", "input", "output", "input_and_output")


def make_config(location="input_and_output", **kwargs):
    elmo = ElmoConfig(location=location, layer_norm="bilm_tf", l2=0.001)
    return SNLIConfig(elmo=elmo, lstm_units=3, feed_forward_units=4, **kwargs)


def make_model(config):
    """A model whose weights, biases among them, are random."""
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    model = make_classifier(
        config,
        ModelInputs(config, FIELDS, N_WORDS, WORD_DIM, elmo_shape),
    )
    generator = np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(0.7 * generator.normal(size=weight.shape))
    return model


def make_inputs(config, n_padding=0, padding=0):
    """Inputs of the lengths above.

    Args:
        config: The configuration.
        n_padding: Steps after those that the longest sentence needs.
        padding: What the ELMo vectors hold at padding.
    """
    inputs = {}
    for seed, (field, lengths) in enumerate(LENGTHS.items()):
        generator = np.random.default_rng(seed)
        time = max(lengths)
        mask = np.arange(time) < np.array(lengths)[:, None]
        word_ids = generator.integers(1, N_WORDS, size=mask.shape) * mask
        elmo = generator.normal(size=(*mask.shape, N_LAYERS, ELMO_DIM))
        elmo = np.where(mask[:, :, None, None], elmo, padding)
        more = [(0, 0), (0, n_padding)]
        inputs[f"{field}_mask"] = np.pad(mask, more)
        inputs[f"{field}_word_ids"] = np.pad(word_ids, more).astype(np.int32)
        if config.elmo.is_used:
            inputs[f"{field}_elmo"] = np.pad(
                elmo, [*more, (0, 0), (0, 0)], constant_values=padding
            ).astype(np.float32)
    return inputs


def expected_scores(config, model, inputs):
    weights = {
        name: [np.asarray(w) for w in model.get_layer(name).weights]
        for name in ("projection", "hidden", "scores")
    }
    for name in ("encoder", "composition"):
        weights[name] = [
            [np.asarray(w) for w in direction]
            for direction in model.get_layer(name).directions
        ]
    table = np.asarray(model.get_layer("word_embedding").embeddings)

    def elmo(field, is_used, name):
        if not is_used:
            return None
        layer = model.get_layer(name)
        return weighted_layer_sum(
            inputs[f"{field}_elmo"],
            layer.layer_weights.numpy(),
            layer.gamma.numpy(),
            inputs[f"{field}_mask"],
            config.elmo.layer_norm,
        )

    vectors = {
        field: (
            table[inputs[f"{field}_word_ids"]],
            elmo(field, config.elmo.at_input, "elmo_input"),
            elmo(field, config.elmo.at_output, "elmo_output"),
        )
        for field in FIELDS
    }

    def of(field, row):
        real = inputs[f"{field}_mask"][row]
        return tuple(
            None if part is None else part[row][real] for part in vectors[field]
        )

    return np.array(
        [
            reference_lib.esim(
                of("premise", row), of("hypothesis", row), weights
            )
            for row in range(len(LENGTHS["premise"]))
        ]
    )


@pytest.mark.parametrize("location", LOCATIONS)
def test_scores_are_those_of_the_papers(location):
    config = make_config(location)
    model = make_model(config)
    inputs = make_inputs(config)
    np.testing.assert_allclose(
        model(inputs)["scores"],
        expected_scores(config, model, inputs),
        atol=1e-5,
    )


def test_padding_makes_no_difference():
    config = make_config()
    model = make_model(config)
    expected = model(make_inputs(config))["scores"]
    padded = model(make_inputs(config, n_padding=3, padding=50.0))["scores"]
    np.testing.assert_allclose(padded, expected, atol=1e-5)


def test_both_texts_share_their_layers():
    model = make_model(make_config())
    names = [weight.path for weight in model.weights]
    # Word vectors; a biLSTM's 6 weights, twice; 3 dense layers; 2 layer sums.
    assert len(names) == len(set(names)) == 1 + 12 + 6 + 4
    inputs = make_inputs(make_config())
    swapped = {
        f"{FIELDS[1 - FIELDS.index(field)]}_{name}": value
        for field, name, value in (
            (*key.split("_", 1), value) for key, value in inputs.items()
        )
    }
    # Yet which is which, matters.
    assert not np.allclose(
        model(swapped)["scores"], model(inputs)["scores"], atol=1e-3
    )


def test_penalty_of_all_weight_matrices():
    model = make_model(make_config())
    matrices = [
        weight.numpy()
        for weight in model.weights
        if weight.path.endswith("kernel")
    ]
    assert len(matrices) == 2 * 4 + 3
    layer_weights = [
        model.get_layer(name).layer_weights.numpy()
        for name in ("elmo_input", "elmo_output")
    ]
    expected = sum(0.0001 * (matrix**2).sum() for matrix in matrices)
    expected += sum(0.001 * (weights**2).sum() for weights in layer_weights)
    np.testing.assert_allclose(sum(model.losses), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "location, given, dropout, l2",
    [
        ("input_and_output", {}, 0.5, 0.0001),
        ("none", {}, 0.0, None),
        ("input", dict(attention_dropout=0.0, l2=0.0), 0.0, None),
        ("none", dict(attention_dropout=0.2, l2=0.5), 0.2, 0.5),
    ],
)
def test_regularization_depends_on_elmo(location, given, dropout, l2):
    model = make_model(make_config(location, **given))
    assert model.get_layer("attention_dropout").rate == dropout
    for layer in ("projection", "hidden", "scores", "encoder", "composition"):
        regularizer = model.get_layer(layer).kernel_regularizer
        assert (regularizer and regularizer.l2) == l2, layer


def test_places_of_dropout():
    model = make_model(make_config(dropout=0.3, attention_dropout=0.2))
    rates = {"encoder": 0.3, "composition": 0.3}
    assert {
        layer.name: layer.dropout
        for layer in model.layers
        if isinstance(layer, BiLSTM)
    } == rates
    rates = {"attention_dropout": 0.2, "pooled_dropout": 0.3}
    rates["hidden_dropout"] = 0.3
    assert {
        layer.name: layer.rate
        for layer in model.layers
        if isinstance(layer, keras.layers.Dropout)
    } == rates


@pytest.mark.parametrize("rate", ["dropout", "attention_dropout"])
def test_dropout_is_applied_in_training_only(rate):
    config = make_config("none", **{"dropout": 0.0, rate: 0.5})
    model = make_model(config)
    inputs = make_inputs(config)
    expected = model(inputs)["scores"].numpy()
    dropped = model(inputs, training=True)["scores"].numpy()
    assert not np.allclose(dropped, expected, atol=1e-3)
    without = make_model(dataclasses.replace(config, **{rate: 0.0}))
    np.testing.assert_allclose(
        without(inputs, training=True)["scores"], expected, atol=1e-6
    )
