import dataclasses
import math

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.text.vocabulary import Vocabulary
from tests.reference import bilm as reference
from tests.reference import options as options_lib
from tests.reference import sampled_softmax

WORDS = ["the", "naïve", "cat", ".", "sat", "<S>", "on"]
VOCABULARY = Vocabulary(["</S>", "<UNK>", *WORDS])
SENTENCES = [
    "the cat sat on the naïve cat .",
    "",
    "the dog sat",
    "cat",
    "on . . . the " + "long" * 20,
    "<UNK> sat </S> <S> .",
    "the naïve naïve naïve naïve cat",
]


class Model:
    """A language model and all that computes its losses twice."""

    def __init__(self, **shape):
        self.options = options_lib.make_options(cell_clip=0.5, **shape)
        self.options["n_tokens_vocab"] = len(VOCABULARY)
        self.model = BiLanguageModel(BiLMConfig.from_dict(self.options))
        self.model.build()
        generator = np.random.default_rng(0)
        for variable in self.model.variables:
            variable.assign(0.7 * generator.normal(size=variable.shape))
        self.encoder = LanguageModelEncoder(self.model.config, VOCABULARY)

    def meter(self, **kwargs):
        return PerplexityMeter(self.model, self.encoder, **kwargs)

    def brute_force(self, sentences, block_sentences, state=None):
        """Each direction's losses, one token at a time, in NumPy.

        Returns one list of losses a direction.
        """
        weights = official_weights(self.model)
        kernel = self.model.softmax.kernel.numpy()
        bias = self.model.softmax.bias.numpy()
        losses = []
        for direction in range(self.model.config.n_directions):
            losses.append([])
            for number, sentence in enumerate(sentences):
                if number % block_sentences == 0:
                    layers = self.first_state(direction, state)
                tokens = ["<S>", *sentence.split(), "</S>"]
                if direction == 1:
                    tokens.reverse()
                for token, target in zip(tokens[:-1], tokens[1:], strict=True):
                    x = reference.token_vectors(
                        self.ids(token), self.options, weights
                    )[0, 0]
                    for layer, layer_state in enumerate(layers):
                        x = self.step(weights, direction, layer, layer_state, x)
                    (loss,) = -sampled_softmax.full_log_probabilities(
                        x[None], [VOCABULARY.id(target)], kernel, bias
                    )
                    losses[-1].append(loss)
        return losses

    def first_state(self, direction, state):
        lstm = self.options["lstm"]
        if state is not None:
            return [[part[0] for part in layer] for layer in state[direction]]
        return [
            [np.zeros(lstm["dim"]), np.zeros(lstm["projection_dim"])]
            for _ in range(lstm["n_layers"])
        ]

    def ids(self, token):
        if "char_cnn" in self.options:
            return np.array([[reference.word_character_ids(token)]])
        return np.array([[VOCABULARY.id(token) + 1]])

    def step(self, weights, direction, layer, layer_state, x):
        lstm = self.options["lstm"]
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        layer_state[:] = reference.lstm_step(
            x,
            *layer_state,
            weights[f"{cell}/W_0"],
            weights[f"{cell}/B"],
            weights.get(f"{cell}/W_P_0"),
            lstm["cell_clip"],
            lstm["proj_clip"],
        )
        skips = lstm["use_skip_connections"] and layer > 0
        return layer_state[1] + x if skips else layer_state[1]


def official_weights(model):
    """The weights under the official names, assembled by hand."""
    bilm = model.bilm
    encoder = bilm.token_encoder
    weights = {}
    if model.config.char_cnn is None:
        weights["embedding"] = encoder.embeddings.numpy()
    else:
        weights["char_embed"] = encoder.character_embedding.numpy()
        for i, (kernel, bias) in enumerate(
            zip(encoder.kernels, encoder.biases, strict=True)
        ):
            weights[f"CNN/W_cnn_{i}"] = kernel.numpy()[None]
            weights[f"CNN/b_cnn_{i}"] = bias.numpy()
        for i, highway in enumerate(encoder.highways):
            for name in ("carry", "transform"):
                for letter, kind in (("W", "kernel"), ("b", "bias")):
                    weights[f"CNN_high_{i}/{letter}_{name}"] = getattr(
                        highway, f"{name}_{kind}"
                    ).numpy()
        weights["CNN_proj/W_proj"] = encoder.projection_kernel.numpy()
        weights["CNN_proj/b_proj"] = encoder.projection_bias.numpy()
    for direction, stack in enumerate(bilm.stacks):
        for layer, lstm in enumerate(stack.lstms):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            weights[f"{cell}/W_0"] = np.concatenate(
                [lstm.kernel.numpy(), lstm.recurrent_kernel.numpy()]
            )
            weights[f"{cell}/B"] = lstm.bias.numpy()
            if lstm.has_projection:
                weights[f"{cell}/W_P_0"] = lstm.projection_kernel.numpy()
    return weights


def tokens_of(sentences):
    return [sentence.encode().split() for sentence in sentences]


@pytest.fixture(scope="module")
def model():
    return Model()


SHAPES = {
    "character input": {},
    "one direction": {"bidirectional": False, "n_layers": 1},
    "word input": {"word_input": True, "n_layers": 1, "dim": 4},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_against_one_token_at_a_time(shape):
    model = Model(**shape)
    # 7 sentences in blocks of 3, in batches of 2 with windows of 4 tokens.
    found = model.meter(batch_size=2, block_sentences=3, window=4).measure(
        tokens_of(SENTENCES)
    )
    losses = model.brute_force(SENTENCES, block_sentences=3)
    perplexities = [np.exp(np.mean(direction)) for direction in losses]
    assert found.forward_perplexity == pytest.approx(perplexities[0], rel=1e-5)
    if model.model.config.bidirectional:
        assert found.backward_perplexity == pytest.approx(
            perplexities[1], rel=1e-5
        )
    else:
        assert found.backward_perplexity is None
    assert found.average_perplexity == pytest.approx(
        np.mean(perplexities), rel=1e-5
    )
    assert found.geometric_perplexity == pytest.approx(
        np.exp(np.mean(losses)), rel=1e-5
    )
    # A token is a word or the end of a sentence.
    assert found.tokens == len(losses[0])
    assert found.tokens == sum(len(s.split()) + 1 for s in SENTENCES)
    # "dog", "longlong…", "<UNK>": what the vocabulary lacks, or is <UNK>.
    assert found.unknown_tokens == 3


@pytest.mark.parametrize("batch_size, window", [(1, 50), (3, 7), (100, 20)])
def test_the_batch_size_has_no_influence(model, batch_size, window):
    sentences = tokens_of(SENTENCES * 3)
    expected = model.meter(batch_size=4, block_sentences=2).measure(sentences)
    found = model.meter(
        batch_size=batch_size, block_sentences=2, window=window
    ).measure(sentences)
    assert dataclasses.astuple(found) == pytest.approx(
        dataclasses.astuple(expected), rel=1e-5
    )


def test_more_blocks_than_are_sorted_together(model):
    """Groups of 16 batches are read at a time; none is left out."""
    sentences = SENTENCES * 6
    found = model.meter(batch_size=1, block_sentences=2).measure(
        iter(tokens_of(sentences))
    )
    expected = model.brute_force(sentences, block_sentences=2)
    assert len(expected[0]) == found.tokens
    assert found.forward_perplexity == pytest.approx(
        np.exp(np.mean(expected[0])), rel=1e-5
    )


def test_state_is_carried_in_a_block(model):
    sentences = tokens_of(SENTENCES)
    carried, alone = (
        model.meter(block_sentences=size).measure(sentences) for size in (9, 1)
    )
    assert carried.forward_perplexity != pytest.approx(
        alone.forward_perplexity, rel=1e-4
    )
    expected = model.brute_force(SENTENCES, block_sentences=1)
    assert alone.forward_perplexity == pytest.approx(
        np.exp(np.mean(expected[0])), rel=1e-5
    )
    assert alone.backward_perplexity == pytest.approx(
        np.exp(np.mean(expected[1])), rel=1e-5
    )


def test_initial_state(model):
    generator = np.random.default_rng(1)
    state = tf.nest.map_structure(
        lambda part: generator.uniform(-0.5, 0.5, part.shape).astype("f"),
        model.model.zero_state(1),
    )
    found = model.meter(batch_size=3, block_sentences=2).measure(
        tokens_of(SENTENCES), state
    )
    expected = model.brute_force(SENTENCES, 2, state)
    assert found.geometric_perplexity == pytest.approx(
        np.exp(np.mean(expected)), rel=1e-5
    )


def test_files(model, tmp_path):
    (tmp_path / "1.txt").write_text(
        "\n".join(SENTENCES[:4]) + "\n", encoding="utf-8"
    )
    (tmp_path / "2.txt").write_text("\n".join(SENTENCES[4:]), encoding="utf-8")
    meter = model.meter(block_sentences=3)
    assert meter.measure_files(f"{tmp_path}/*.txt") == meter.measure(
        tokens_of(SENTENCES)
    )
    with pytest.raises(InputError, match="none.txt: no such file"):
        meter.measure_files(f"{tmp_path}/none.txt")


def test_progress(model):
    calls = []
    found = model.meter(batch_size=2, block_sentences=1).measure(
        tokens_of(SENTENCES), progress=lambda *call: calls.append(call)
    )
    assert len(calls) == 4
    assert calls[-1][0] == sum(new for _, new in calls) == found.tokens


def test_no_sentence(model):
    with pytest.raises(ValueError, match="no sentence to measure"):
        model.meter().measure([])


def test_a_very_bad_model():
    """A perplexity beyond all numbers is infinite, not an error."""
    model = Model(bidirectional=False, n_layers=1)
    model.model.softmax.bias.assign([0.0] * (len(VOCABULARY) - 1) + [2000.0])
    found = model.meter().measure(tokens_of(["the cat"]))
    assert found.forward_perplexity == math.inf


def test_one_graph_for_all_batches(model):
    meter = model.meter(batch_size=2, block_sentences=1, window=4)
    meter.measure(tokens_of(SENTENCES))
    assert meter._step.experimental_get_tracing_count() == 1
