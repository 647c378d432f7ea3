"""The whole coreference model against NumPy, layer by layer."""

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.bilstm import BiLSTM
from tasks.config import ElmoConfig
from tasks.coref.antecedents import find_clusters
from tasks.coref.experiments import CorefConfig
from tasks.coref.model import make_coref_model
from tasks.coref.task import CorefTask
from tasks.model_inputs import ModelInputs
from tests import layer_checks
from tests.reference import coreference_model as reference_lib
from tests.reference.weighted_layer_sum import weighted_layer_sum

N_WORDS, WORD_DIM, N_LAYERS, ELMO_DIM = 9, 4, 3, 6
LENGTHS = np.array([[3, 4, 2], [2, 0, 0], [1, 5, 0]], np.int32)
TIME = 9
MASK = np.arange(TIME) < LENGTHS.sum(axis=1)[:, None]
WIDTH, RATIO, MAX_ANTECEDENTS = 3, 0.6, 2
LEAST = np.finfo(np.float32).min


def make_model(location="input", singletons=False):
    config = CorefConfig(
        elmo=ElmoConfig(location=location),
        max_span_width=WIDTH,
        spans_per_token=RATIO,
        max_antecedents=MAX_ANTECEDENTS,
        singletons=singletons,
        genres=("nw",),
        lstm_units=2,
        units=3,
        feature_dim=2,
    )
    elmo_shape = (N_LAYERS, ELMO_DIM) if config.elmo.is_used else None
    inputs = ModelInputs(
        config,
        ("tokens",),
        N_WORDS,
        WORD_DIM,
        elmo_shape,
        CorefTask(config).model_inputs,
    )
    model = make_coref_model(config, inputs)
    generator = np.random.default_rng(0)
    for weight in model.trainable_weights:
        weight.assign(generator.normal(size=weight.shape))
    return model


def make_inputs(model, padding_seed=0, more_time=0, more_sentences=0):
    """A batch in whose padding anything stands."""
    generator = np.random.default_rng(1)
    noise = np.random.default_rng(padding_seed)
    mask = np.pad(MASK, [(0, 0), (0, more_time)])
    numbers = np.full(mask.shape, -1, np.int32)
    for row, lengths in zip(numbers, LENGTHS, strict=True):
        row[: lengths.sum()] = np.repeat(range(3), lengths)
    inputs = {
        "tokens_mask": mask,
        "tokens_word_ids": noise.integers(N_WORDS, size=mask.shape),
        "speakers": noise.integers(3, size=mask.shape),
        "sentence_numbers": numbers,
        "sentence_lengths": np.pad(LENGTHS, [(0, 0), (0, more_sentences)]),
        "genre": np.array([0, 1, 1]),
    }
    n_tokens = mask.sum()
    inputs["tokens_word_ids"][mask] = generator.integers(N_WORDS, size=n_tokens)
    inputs["speakers"][mask] = generator.integers(2, size=n_tokens)
    if "tokens_elmo" in model.input:
        layers = noise.normal(size=(*mask.shape, N_LAYERS, ELMO_DIM))
        layers[mask] = generator.normal(size=(n_tokens, N_LAYERS, ELMO_DIM))
        inputs["tokens_elmo"] = layers.astype(np.float32)
    return {
        name: value.astype(np.int32) if value.dtype == np.int64 else value
        for name, value in inputs.items()
    }


def encode(model, tokens, lengths):
    """The biLSTM, each sentence by itself."""
    layer = BiLSTM(2)
    layer.build((None, None, tokens.shape[-1]))
    layer.set_weights(model.get_layer("bilstm").get_weights())
    pieces = np.split(tokens, np.cumsum(lengths)[:-1])
    return np.concatenate(
        [layer(piece[None].astype(np.float32))[0] for piece in pieces]
    )


def expected_scores(model, inputs, row):
    """The kept spans, and for each its antecedents' scores."""
    lengths = [n for n in LENGTHS[row] if n]
    n_tokens = sum(lengths)

    def elmo(place):
        layer = model.get_layer(f"elmo_{place}")
        return weighted_layer_sum(
            inputs["tokens_elmo"][row : row + 1, :n_tokens],
            layer.weights[0].numpy(),
            layer.gamma.numpy(),
        )[0]

    (words,) = model.get_layer("word_embedding").get_weights()
    tokens = words[inputs["tokens_word_ids"][row, :n_tokens]]
    if "tokens_elmo" in inputs:
        tokens = np.concatenate([tokens, elmo("input")], axis=1)
    encoded = encode(model, tokens, lengths)
    if "elmo_output" in {layer.name for layer in model.layers}:
        encoded = np.concatenate([encoded, elmo("output")], axis=1)
    spans = reference_lib.candidate_spans(lengths, WIDTH)
    vectors = [
        reference_lib.span_vector(
            span, encoded, tokens, *model.get_layer("spans").get_weights()
        )
        for span in spans
    ]
    *hidden, kernel, bias = model.get_layer("mention_scores").get_weights()
    hidden = list(zip(hidden[::2], hidden[1::2], strict=True))
    scores = [
        reference_lib.feed_forward(vector, hidden, kernel, bias)
        for vector in vectors
    ]
    kept = reference_lib.top_spans(spans, scores, int(n_tokens * RATIO))
    chosen = [spans.index(span) for span in kept]
    weights = layer_checks.weight_values(model.get_layer("antecedent_scores"))
    rows = []
    for i in range(len(kept)):
        rows.append([0.0])
        for j in range(i - 1, max(i - MAX_ANTECEDENTS, 0) - 1, -1):
            rows[-1].append(
                reference_lib.pair_score(
                    *(i, j, [vectors[place] for place in chosen]),
                    [scores[place] for place in chosen],
                    [inputs["speakers"][row, first] for first, _ in kept],
                    *(inputs["genre"][row], weights),
                )
            )
    return kept, rows


@pytest.mark.parametrize("location", ["none", "input", "input_and_output"])
def test_equals_the_reference(location):
    model = make_model(location)
    inputs = make_inputs(model)
    outputs = {name: value.numpy() for name, value in model(inputs).items()}
    for row in range(3):
        kept, scores = expected_scores(model, inputs, row)
        mask = outputs["mask"][row]
        bounds = [outputs[name][row, mask] for name in ("first", "last")]
        assert kept == list(zip(*bounds, strict=True))
        for found, expected in zip(
            outputs["scores"][row, mask], scores, strict=True
        ):
            np.testing.assert_allclose(
                found[: len(expected)], expected, rtol=1e-3, atol=1e-3
            )
            assert (found[len(expected) :] == LEAST).all()


def test_scores_of_mentions():
    """The best candidate of each document is kept."""
    model = make_model("none", singletons=True)
    outputs = model(make_inputs(model))
    candidates = outputs["candidates"].numpy()
    np.testing.assert_array_equal(candidates[:, :, 0], MASK)
    scores = outputs["mention_scores"].numpy()
    assert scores.shape == candidates.shape == (*MASK.shape, WIDTH)
    for row in range(3):
        kept = outputs["places"][row][outputs["mask"][row]]
        best = scores[row][candidates[row]].max()
        assert np.take(scores[row], kept).max() == best


def test_padding_makes_no_difference():
    model = make_model()
    expected = model(make_inputs(model))
    padded = model(make_inputs(model, 5, more_time=4, more_sentences=2))
    mask = expected["mask"].numpy()
    more = padded["mask"].numpy()
    assert mask.sum(axis=1).tolist() == more.sum(axis=1).tolist()
    for name in ("first", "last", "scores"):
        np.testing.assert_allclose(
            padded[name].numpy()[more],
            expected[name].numpy()[mask],
            atol=1e-4,
        )


def test_each_row_by_itself():
    model, order = make_model(), [2, 0, 1]
    inputs = make_inputs(model)
    expected = model(inputs)
    found = model({name: value[order] for name, value in inputs.items()})
    for name in ("first", "last", "mask", "scores"):
        np.testing.assert_allclose(
            found[name].numpy(), expected[name].numpy()[order], atol=1e-4
        )


def test_every_weight_learns():
    model = make_model("input_and_output")
    inputs = make_inputs(model)
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        scores = outputs["scores"]
        loss = tf.reduce_sum(tf.where(scores > LEAST, tf.sin(scores), 0.0))
    weights = model.trainable_weights
    gradients = tape.gradient(loss, [weight.value for weight in weights])
    for weight, gradient in zip(weights, gradients, strict=True):
        gradient = tf.convert_to_tensor(gradient).numpy()
        assert np.isfinite(gradient).all(), weight.path
        assert np.abs(gradient).max() > 0, weight.path


def test_empty_documents():
    """No token, or one, by itself: no span has an antecedent."""
    model = make_model()
    run = tf.function(
        model,
        input_signature=[
            {
                name: tf.TensorSpec(tensor.shape, tensor.dtype)
                for name, tensor in model.input.items()
            }
        ],
    )
    inputs = make_inputs(model)
    for n_tokens in (0, 1):
        document = {
            name: value[:1] if name == "genre" else value[:1, :n_tokens]
            for name, value in inputs.items()
        }
        document["sentence_lengths"] = np.ones([1, n_tokens], np.int32)
        outputs = run(document)
        assert outputs["scores"].shape[2] == 1 + outputs["mask"].shape[1]
        assert not np.any(
            find_clusters(outputs["scores"], outputs["mask"]) >= 0
        )
