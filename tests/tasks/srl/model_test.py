"""The tagger of semantic roles against NumPy."""

import numpy as np
import pytest
import tensorflow as tf

from tasks.config import ElmoConfig
from tasks.model_inputs import ModelInputs
from tasks.srl.experiments import SRLConfig
from tasks.srl.model import make_srl_tagger
from tasks.text.tags import start_mask
from tasks.text.tags import transition_mask
from tests.reference import crf as crf_reference
from tests.reference.highway_lstm import highway_lstm
from tests.reference.weighted_layer_sum import weighted_layer_sum

N_WORDS, WORD_DIM, N_LAYERS, ELMO_DIM = 9, 4, 3, 6
LENGTHS = (4, 1, 3)
PREDICATES = (2, 0, -1)
TIME = 5
MASK = np.arange(TIME) < np.array(LENGTHS)[:, None]
TAGS = ["O", "B-A0", "I-A0", "B-V", "I-V"]
NO_WEIGHTS = {
    "transitions": np.zeros((len(TAGS), len(TAGS))),
    "start_scores": np.zeros(len(TAGS)),
    "end_scores": np.zeros(len(TAGS)),
}


def make_model(location="input"):
    config = SRLConfig(
        elmo=ElmoConfig(location=location),
        predicate_dim=3,
        n_layers=3,
        units=2,
    )
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    inputs = ModelInputs(
        config,
        ("tokens",),
        N_WORDS,
        WORD_DIM,
        elmo_shape,
        {"predicate": tf.TensorSpec([None], tf.int32)},
    )
    model = make_srl_tagger(config, inputs, TAGS)
    generator = np.random.default_rng(0)
    for weight in model.trainable_weights:
        weight.assign(generator.normal(size=weight.shape))
    return model


def make_inputs(model, padding_seed=0, time=TIME):
    """A batch in whose padding anything stands."""
    generator = np.random.default_rng(1)
    noise = np.random.default_rng(padding_seed)
    mask = np.pad(MASK, [(0, 0), (0, time - TIME)])
    inputs = {
        "tokens_mask": mask,
        "tokens_word_ids": np.where(
            mask, noise.integers(N_WORDS, size=mask.shape), 0
        ).astype(np.int32),
        "predicate": np.array(PREDICATES, np.int32),
    }
    ids = generator.integers(N_WORDS, size=mask.sum())
    inputs["tokens_word_ids"][mask] = ids
    if "tokens_elmo" in model.input:
        layers = noise.normal(size=(*mask.shape, N_LAYERS, ELMO_DIM))
        layers[mask] = generator.normal(size=(mask.sum(), N_LAYERS, ELMO_DIM))
        inputs["tokens_elmo"] = layers.astype(np.float32)
    return inputs


def expected_scores(model, inputs, location):
    def weights(name):
        return model.get_layer(name).get_weights()

    def elmo(place, row, length):
        layer = model.get_layer(f"elmo_{place}")
        return weighted_layer_sum(
            inputs["tokens_elmo"][row : row + 1, :length],
            layer.weights[0].numpy(),
            layer.gamma.numpy(),
        )[0]

    rows = []
    for row, (length, predicate) in enumerate(
        zip(LENGTHS, PREDICATES, strict=True)
    ):
        (words,), (indicator,) = (
            weights("word_embedding"),
            weights("predicate_embedding"),
        )
        parts = [words[inputs["tokens_word_ids"][row, :length]]]
        if location in ("input", "input_and_output"):
            parts.append(elmo("input", row, length))
        flags = [int(place == predicate) for place in range(length)]
        vectors = np.concatenate([*parts, indicator[flags]], axis=1)
        for index in range(3):
            vectors = highway_lstm(
                vectors[None],
                weights(f"lstm_{index}"),
                go_backwards=index == 1,
            )[0]
            if index == 0 and location == "input_and_output":
                vectors = np.concatenate(
                    [vectors, elmo("output", row, length)], axis=1
                )
        kernel, bias = weights("scores")
        scores = vectors @ kernel + bias
        if predicate < 0:
            scores[:, 0], scores[:, 1:] = 0, -30
        rows.append(scores)
    return rows


@pytest.mark.parametrize("location", ["none", "input", "input_and_output"])
def test_equals_the_reference(location):
    model = make_model(location)
    inputs = make_inputs(model)
    outputs = model(inputs)
    for row, expected in enumerate(expected_scores(model, inputs, location)):
        length = LENGTHS[row]
        np.testing.assert_allclose(
            outputs["scores"][row, :length], expected, atol=1e-4
        )
        best = crf_reference.viterbi(
            expected,
            NO_WEIGHTS,
            transition_mask=transition_mask(TAGS, "BIO"),
            start_mask=start_mask(TAGS, "BIO"),
        )
        assert outputs["tags"][row, :length].numpy().tolist() == list(best)


def test_without_a_predicate_nothing_is_tagged():
    model = make_model()
    inputs = make_inputs(model)
    inputs["predicate"] = np.full(3, -1, np.int32)
    outputs = model(inputs)
    assert not outputs["tags"].numpy()[MASK].any()
    np.testing.assert_allclose(
        np.exp(outputs["log_probability"]), np.ones(3), atol=1e-6
    )


def test_padding_makes_no_difference():
    model = make_model()
    expected = model(make_inputs(model))
    padded = model(make_inputs(model, padding_seed=5, time=8))
    for name in ("scores", "marginals"):
        left, right = expected[name].numpy(), padded[name].numpy()
        np.testing.assert_allclose(left[MASK], right[:, :TIME][MASK], atol=1e-5)


def test_each_row_by_itself():
    model, order = make_model(), [2, 0, 1]
    inputs = make_inputs(model)
    expected = model(inputs)["scores"].numpy()
    found = model({name: value[order] for name, value in inputs.items()})
    np.testing.assert_allclose(
        found["scores"].numpy()[MASK[order]],
        expected[order][MASK[order]],
        atol=1e-5,
    )


def test_the_predicate_makes_a_difference():
    model = make_model()
    inputs = make_inputs(model)
    first = model(inputs)["scores"].numpy()
    inputs["predicate"] = np.array([1, 0, -1], np.int32)
    second = model(inputs)["scores"].numpy()
    assert np.abs(second - first)[0, :4].max() > 1e-3
    np.testing.assert_array_equal(second[1:], first[1:])


def test_every_weight_learns_but_the_decoders():
    model = make_model("input_and_output")
    inputs = make_inputs(model)
    with tf.GradientTape() as tape:
        scores = model(inputs, training=True)["scores"]
        loss = tf.reduce_sum(tf.nn.log_softmax(scores)[:, :, 0][MASK])
    weights = model.trainable_weights
    gradients = tape.gradient(loss, [weight.value for weight in weights])
    for weight, gradient in zip(weights, gradients, strict=True):
        assert np.abs(tf.convert_to_tensor(gradient)).max() > 0, weight.path
    decoder = model.get_layer("decoder")
    assert not decoder.trainable_weights
    assert not any(weight.numpy().any() for weight in decoder.weights)
