"""What stands in the vectors of a task model's lowest layer."""

import keras
import numpy as np
import pytest

from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import TaskConfig
from tasks.config import WordVectorsConfig
from tasks.model_inputs import ModelInputs
from tasks.results import layer_weights
from tests.reference.weighted_layer_sum import weighted_layer_sum

FIELDS = ("premise", "hypothesis")
N_WORDS, WORD_DIM = 7, 5
N_LAYERS, ELMO_DIM = 3, 4
N_FILTERS = 6
SHAPE = (2, 3)


def make_inputs(filters, location, word_dim=WORD_DIM, **elmo):
    config = TaskConfig(
        elmo=ElmoConfig(location=location, **elmo),
        character_encoder=CharacterEncoderConfig(
            filters=filters // 2, embedding_dim=2, width=(2, 3)
        ),
    )
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    return ModelInputs(config, FIELDS, N_WORDS, word_dim, elmo_shape)


def make_values(inputs, seed=0):
    """Random values of all inputs, without padding."""
    generator = np.random.default_rng(seed)
    values = {}
    for name, tensor in inputs.keras_inputs.items():
        shape = [*SHAPE, *tensor.shape[2:]]
        if name.endswith("_mask"):
            values[name] = np.ones(shape, bool)
        elif name.endswith("_elmo"):
            values[name] = generator.normal(size=shape).astype(np.float32)
        else:
            values[name] = generator.integers(1, N_WORDS, shape, np.int32)
    return values


@pytest.mark.parametrize("filters", [0, N_FILTERS])
@pytest.mark.parametrize(
    "location", ["none", "input", "output", "input_and_output"]
)
def test_what_stands_where(filters, location):
    inputs = make_inputs(filters, location)
    vectors = {field: inputs.token_vectors(field) for field in FIELDS}
    outputs = {
        field: inputs.with_elmo_output(field, vectors[field])
        for field in FIELDS
    }
    model = keras.Model(inputs.keras_inputs, [vectors, outputs])
    generator = np.random.default_rng(1)
    for weight in model.weights:
        weight.assign(generator.normal(size=weight.shape))
    values = make_values(inputs)
    vectors, outputs = model(values)

    def elmo(field, place):
        layer = model.get_layer(f"elmo_{place}")
        return weighted_layer_sum(
            values[f"{field}_elmo"],
            layer.weights[0].numpy(),
            layer.gamma.numpy(),
        )

    embeddings = model.get_layer("word_embedding").embeddings.numpy()
    for field in FIELDS:
        parts = [embeddings[values[f"{field}_word_ids"]]]
        assert (f"{field}_character_ids" in values) == (filters > 0)
        if filters:
            encoder = model.get_layer("character_encoder")
            parts.append(encoder(values[f"{field}_character_ids"]))
            assert parts[1].shape == (*SHAPE, N_FILTERS)
        if location in ("input", "input_and_output"):
            parts.append(elmo(field, "input"))
        np.testing.assert_allclose(
            vectors[field], np.concatenate(parts, axis=-1), atol=1e-5
        )
        if location in ("output", "input_and_output"):
            parts.append(elmo(field, "output"))
        np.testing.assert_allclose(
            outputs[field], np.concatenate(parts, axis=-1), atol=1e-5
        )
    names = [layer.name for layer in model.layers]
    assert ("character_encoder" in names) == (filters > 0)
    assert any("elmo" in name for name in names) == (location != "none")


def test_a_model_that_reads_no_words():
    inputs = make_inputs(N_FILTERS, "input", word_dim=0)
    vectors = inputs.token_vectors("premise")
    assert vectors.shape[-1] == N_FILTERS + ELMO_DIM
    names = {"mask", "character_ids", "elmo"}
    assert inputs.keras_inputs.keys() == {
        f"{field}_{name}" for field in FIELDS for name in names
    }
    model = keras.Model(inputs.keras_inputs, vectors)
    assert "word_embedding" not in [layer.name for layer in model.layers]


@pytest.mark.parametrize(
    "layers, only_layer", [("top", N_LAYERS - 1), (0, 0), (1, 1)]
)
def test_one_layer_times_gamma(layers, only_layer):
    inputs = make_inputs(0, "input", word_dim=0, layers=layers)
    model = keras.Model(inputs.keras_inputs, inputs.token_vectors("premise"))
    (gamma,) = model.weights
    gamma.assign(1.5)
    values = make_values(inputs)
    np.testing.assert_allclose(
        model(values), 1.5 * values["premise_elmo"][:, :, only_layer], rtol=1e-6
    )
    found = layer_weights(model)
    assert found == {"elmo_input": {"gamma": 1.5}}


def test_one_layer_without_gamma():
    inputs = make_inputs(0, "input", word_dim=0, layers="top", use_gamma=False)
    model = keras.Model(inputs.keras_inputs, inputs.token_vectors("premise"))
    assert model.weights == []
    values = make_values(inputs)
    np.testing.assert_array_equal(
        model(values), values["premise_elmo"][:, :, -1]
    )
    assert layer_weights(model) == {"elmo_input": {}}


@pytest.mark.parametrize("location", ["none", "output"])
def test_a_model_that_reads_nothing_at_its_input_is_refused(location):
    with pytest.raises(
        ValueError,
        match=f"no word vectors .*, no characters .* and elmo.location="
        f"{location}, expected one of them at the model's input",
    ):
        TaskConfig(
            elmo=ElmoConfig(location=location),
            word_vectors=WordVectorsConfig(dim=0),
        )


@pytest.mark.parametrize(
    "values",
    [
        {"word_vectors": WordVectorsConfig(dim=0, input_path="glove.txt")},
        {"character_encoder": CharacterEncoderConfig(filters=1)},
        {"elmo": ElmoConfig(location="input_and_output")},
    ],
)
def test_one_input_is_enough(values):
    config = TaskConfig(
        **{
            "elmo": ElmoConfig(location="none"),
            "word_vectors": WordVectorsConfig(dim=0),
            **values,
        }
    )
    used = [
        config.word_vectors.is_used,
        config.character_encoder.is_used,
        config.elmo.at_input,
    ]
    assert sum(used) == 1
