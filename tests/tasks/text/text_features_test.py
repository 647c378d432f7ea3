import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.text.characters import character_ids
from tasks.text.text_features import TextFeatures
from tasks.text.word_lookup import WordLookup
from tasks.text.word_vocabulary import WordVocabulary

SENTENCES = [["the", "Bank", "naïve", "x" * 60], [], ["—", "of"]]
LENGTHS = [4, 0, 2]


@pytest.fixture
def vocabulary(tmp_path):
    words = WordVocabulary(["the", "bank", "naïve"], lowercase=True)
    words.save(str(tmp_path / "vocab.txt"))
    return words


@pytest.fixture
def make(tmp_path, vocabulary):
    def make_features(uses_characters=True):
        return TextFeatures(
            WordLookup(str(tmp_path / "vocab.txt"), lowercase=True),
            uses_characters,
        )

    return make_features


def padded(filler="", time=5):
    return tf.constant(
        [tokens + [filler] * (time - len(tokens)) for tokens in SENTENCES]
    )


def test_each_sentence_by_itself(make, vocabulary):
    features = make()(padded(), tf.constant(LENGTHS))
    assert sorted(features) == ["character_ids", "mask", "word_ids"]
    assert features["mask"].dtype == tf.bool
    assert features["word_ids"].dtype == tf.int32
    assert features["character_ids"].dtype == tf.int32
    for row, tokens in enumerate(SENTENCES):
        length, n_padding = len(tokens), 5 - len(tokens)
        assert features["mask"][row].numpy().tolist() == (
            [True] * length + [False] * n_padding
        )
        assert features["word_ids"][row].numpy().tolist() == [
            *vocabulary.ids(tokens),
            *[0] * n_padding,
        ]
        characters = features["character_ids"][row].numpy()
        np.testing.assert_array_equal(
            characters[:length],
            character_ids(tf.constant(tokens, tf.string, [length])),
        )
        np.testing.assert_array_equal(
            characters[length:], np.zeros([n_padding, 50])
        )
    # Of the first sentence, a word in its lower-case form and an unknown one.
    assert features["word_ids"][0].numpy().tolist() == [2, 3, 4, 1, 0]


def test_padding_may_be_anything(make):
    features = make()
    lengths = tf.constant(LENGTHS)
    for filler in ("the", "</S>", "\xff"):
        for name, value in features(padded(filler), lengths).items():
            np.testing.assert_array_equal(
                value, features(padded(), lengths)[name]
            )


def test_without_characters(make):
    features = make(uses_characters=False)(padded(), tf.constant(LENGTHS))
    assert sorted(features) == ["mask", "word_ids"]


def test_in_the_graph(make):
    features = make()
    function = tf.function(
        features,
        input_signature=[
            tf.TensorSpec([None, None], tf.string),
            tf.TensorSpec([None], tf.int32),
        ],
    )
    for time in (5, 7):
        expected = features(padded(time=time), tf.constant(LENGTHS))
        for name, value in function(
            padded(time=time), tf.constant(LENGTHS)
        ).items():
            np.testing.assert_array_equal(value, expected[name])
    # The model is built on what the graph knows of the shapes.
    shapes = function.get_concrete_function().structured_outputs
    assert shapes["character_ids"].shape.as_list() == [None, None, 50]


def test_no_token_at_all(make):
    features = make()(tf.zeros([2, 0], tf.string), tf.constant([0, 0]))
    assert features["mask"].shape == features["word_ids"].shape == (2, 0)
    assert features["character_ids"].shape == (2, 0, 50)
