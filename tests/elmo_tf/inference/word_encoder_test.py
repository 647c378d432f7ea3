import threading

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.inference import word_encoder
from elmo_tf.inference.word_encoder import WordEncoder
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.text.characters import character_ids

MAX_CHARACTERS = 12
WORDS = ["the", "naïve", "", "x" * 40, "<S>", "</S>", "bank", "a", "b", "river"]


@pytest.fixture(scope="module")
def cnn():
    layer = CharacterCNN(
        [(1, 3), (2, 4), (5, 2)], embedding_dim=4, n_highway=1, projection_dim=3
    )
    layer.build((None, MAX_CHARACTERS))
    generator = np.random.default_rng(0)
    for variable in layer.variables:
        variable.assign(generator.normal(size=variable.shape))
    return layer


def expected(cnn, words):
    return cnn(character_ids(tf.constant(words), MAX_CHARACTERS)).numpy()


def close(found, wanted, tolerance=1e-6):
    np.testing.assert_allclose(found, wanted, atol=tolerance, rtol=1e-5)


def size(encoder):
    return int(encoder._cache.size())


@pytest.mark.parametrize("n_at_once", [1, 3, 256])
@pytest.mark.parametrize("cache_size", [0, 4, 100])
def test_equals_the_layer(cnn, n_at_once, cache_size, monkeypatch):
    monkeypatch.setattr(word_encoder, "_WORDS_AT_ONCE", n_at_once)
    encoder = WordEncoder(cnn, MAX_CHARACTERS, cache_size=cache_size)
    # The second time some, none or all of the words are known.
    for words in (WORDS[:6], WORDS, WORDS[::-1]):
        close(encoder.encode(tf.constant(words)), expected(cnn, words))
    assert size(encoder) == min(cache_size, len(WORDS))


def test_known_words_are_not_read_again(cnn):
    encoder = WordEncoder(cnn, MAX_CHARACTERS)
    before = encoder.encode(tf.constant(WORDS)).numpy()
    for variable in encoder.variables:
        if variable.dtype.is_floating:
            variable.assign(tf.zeros_like(variable))
    np.testing.assert_array_equal(encoder.encode(tf.constant(WORDS)), before)
    assert np.abs(encoder.encode(tf.constant(["new"]))).max() == 0.0


def test_the_cache_is_bounded_and_its_bound_can_change(cnn):
    encoder = WordEncoder(cnn, MAX_CHARACTERS, cache_size=3)
    for index in range(20):
        encoder.encode(tf.constant([f"w{index}", f"v{index}"]))
    assert size(encoder) == 3
    encoder.cache_size.assign(5)
    encoder.encode(tf.constant(WORDS))
    assert size(encoder) == 5
    # A smaller one forgets nothing, and takes nothing more.
    encoder.cache_size.assign(1)
    close(encoder.encode(tf.constant(WORDS)), expected(cnn, WORDS))
    assert size(encoder) == 5


def test_in_a_graph(cnn):
    encoder = WordEncoder(cnn, MAX_CHARACTERS, cache_size=4)
    encode = tf.function(
        encoder.encode, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    for words in (WORDS[:3], WORDS, []):
        found = encode(tf.constant(words, tf.string))
        close(found, expected(cnn, words or ["x"])[: len(words)])
    assert size(encoder) == 4


def test_several_threads(cnn):
    encoder = WordEncoder(cnn, MAX_CHARACTERS, cache_size=150)
    encode = tf.function(
        encoder.encode, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    words = [f"word{index}" for index in range(300)]
    wanted = expected(cnn, words)
    errors = []

    def work(seed):
        generator = np.random.default_rng(seed)
        for _ in range(30):
            chosen = generator.choice(300, size=40, replace=False)
            found = encode(tf.constant([words[index] for index in chosen]))
            errors.append(np.abs(found.numpy() - wanted[chosen]).max())

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 120
    assert max(errors) < 1e-5


def test_bfloat16(cnn):
    encoder = WordEncoder(cnn, MAX_CHARACTERS, "bfloat16")
    found = encoder.encode(tf.constant(WORDS))
    wanted = expected(cnn, WORDS)
    assert found.dtype == tf.float32
    close(found, wanted, 0.05 * np.abs(wanted).max())
    assert np.abs(found - wanted).max() > 1e-4
