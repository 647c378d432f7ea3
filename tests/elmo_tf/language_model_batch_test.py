import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.config import BiLMConfig
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.language_model_batch import call_language_model
from elmo_tf.text.vocabulary import Vocabulary
from tests.reference import bilm as reference
from tests.reference import options as options_lib

VOCABULARY = Vocabulary(["<S>", "</S>", "<UNK>", "the", "naïve"])
# [directions, batch, time]
INPUTS = np.array(
    [
        [["<S>", "the", "naïve"], ["the", "the", "unknown"]],
        [["</S>", "naïve", "the"], ["the", "<S>", "</S>"]],
    ],
    object,
)
TARGETS = np.array(
    [
        [["the", "naïve", "</S>"], ["the", "unknown", "other"]],
        [["naïve", "the", "<S>"], ["<UNK>", "the", "the"]],
    ],
    object,
)
TARGET_IDS = [[[3, 4, 1], [3, 2, 2]], [[4, 3, 0], [2, 3, 3]]]
MASK = np.array([[[1, 1, 1], [1, 0, 0]], [[1, 1, 0], [1, 1, 1]]], dtype=bool)


def encoder(**options):
    options = options_lib.make_options(**options)
    options["n_tokens_vocab"] = len(VOCABULARY)
    return LanguageModelEncoder(BiLMConfig.from_dict(options), VOCABULARY)


def to_bytes(tokens):
    return np.vectorize(lambda token: token.encode(), otypes=[object])(tokens)


@pytest.mark.parametrize("mask", [None, MASK])
def test_characters(mask):
    batch = encoder(max_characters=12)(
        to_bytes(INPUTS), to_bytes(TARGETS), mask
    )
    assert sorted(batch) == [
        "character_ids",
        "n_words",
        "targets",
        "word_index",
    ]
    np.testing.assert_array_equal(batch["targets"], TARGET_IDS)
    # As many rows as positions and one for padding, whatever the words.
    assert batch["character_ids"].shape == (13, 12)
    found = batch["character_ids"].numpy()[batch["word_index"].numpy()]
    expected = np.array(
        [
            reference.word_character_ids(token, 12)
            for token in INPUTS.reshape(-1)
        ]
    ).reshape(2, 2, 3, 12)
    if mask is not None:
        expected[~mask] = 0
    np.testing.assert_array_equal(found, expected)
    # Padding, and five words of which the mask hides one.
    assert int(batch["n_words"]) == 1 + (5 if mask is None else 4)
    assert (batch["character_ids"].numpy()[int(batch["n_words"]) :] == 0).all()


@pytest.mark.parametrize("mask", [None, MASK])
def test_words(mask):
    batch = encoder(word_input=True)(to_bytes(INPUTS), to_bytes(TARGETS), mask)
    assert sorted(batch) == ["targets", "word_ids"]
    expected = np.array([[[1, 4, 5], [4, 4, 3]], [[2, 5, 4], [4, 1, 2]]])
    if mask is not None:
        expected[~mask] = 0
    np.testing.assert_array_equal(batch["word_ids"], expected)
    np.testing.assert_array_equal(batch["targets"], TARGET_IDS)


def test_shapes_are_static_and_the_same_for_all_windows():
    encode = encoder()
    specs = set()
    for tokens in (INPUTS, INPUTS[:, ::-1], np.full((2, 2, 3), "x", object)):
        batch = encode(to_bytes(tokens), to_bytes(TARGETS))
        specs.add(
            tuple(
                (name, tuple(value.shape), value.dtype)
                for name, value in sorted(batch.items())
            )
        )
    assert len(specs) == 1
    assert encode._encode.experimental_get_tracing_count() == 1


def test_unknown_id():
    assert encoder().unknown_id == 2


class Recorder:
    """Stands in for the model and keeps what it is called with."""

    def __call__(self, inputs, targets, **kwargs):
        self.inputs = inputs
        self.targets = targets
        self.kwargs = kwargs
        return "result"


def test_call_with_characters():
    batch = encoder()(to_bytes(INPUTS), to_bytes(TARGETS))
    model = Recorder()
    assert call_language_model(model, batch, training=True) == "result"
    # The rows that no word has are not encoded.
    assert model.inputs.shape == (6, 50)
    assert tf.reduce_all(tf.not_equal(model.inputs[1:], 0))
    assert sorted(model.kwargs) == ["training", "word_index"]
    np.testing.assert_array_equal(model.targets, TARGET_IDS)


def test_call_with_words():
    batch = encoder(word_input=True)(to_bytes(INPUTS), to_bytes(TARGETS))
    model = Recorder()
    assert call_language_model(model, batch, mask=MASK) == "result"
    np.testing.assert_array_equal(model.inputs, batch["word_ids"])
    assert list(model.kwargs) == ["mask"]
