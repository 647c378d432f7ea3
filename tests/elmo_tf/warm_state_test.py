import numpy as np
import pytest
import tensorflow as tf

from elmo_tf import warm_state as warm_state_lib
from elmo_tf.warm_state import warm_state
from elmo_tf.weights import load_bilm
from tests.elmo_tf.conftest import WORDS
from tests.reference import bilm as reference

SENTENCES = [
    *(["the", "bank"], [], ["river", "naïve", "."], ["x" * 60]),
    *(["a", "b", "c"], ["the"], ["."]),
]


def mean_of_final_states(files, sentences, n_rows):
    """Rows side by side, each carrying its state from batch to batch."""
    states = [None] * n_rows
    finals = []
    for start in range(0, len(sentences), n_rows):
        for row, tokens in enumerate(sentences[start : start + n_rows]):
            if "char_cnn" in files.options:
                ids = reference.sentences_character_ids([tokens])
            else:
                words = [
                    word if word in WORDS else "<UNK>"
                    for word in ["<S>", *tokens, "</S>"]
                ]
                ids = np.array([[WORDS.index(word) + 1 for word in words]])
            outputs = reference.bilm(
                ids, files.options, files.weights, states[row]
            )
            states[row] = outputs["final_state"]
            finals.append(outputs["final_state"])
    return tf.nest.map_structure(
        lambda *parts: np.mean(parts, axis=0),
        *[tf.nest.map_structure(np.asarray, as_lists(f)) for f in finals],
    )


def as_lists(state):
    return [[list(layer) for layer in direction] for direction in state]


def close(actual, expected):
    for left, right in zip(
        tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True
    ):
        np.testing.assert_allclose(left, right, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("n_rows", [2, 3, 32])
def test_reference(official_files, monkeypatch, n_rows):
    monkeypatch.setattr(warm_state_lib, "_ROWS", n_rows)
    state = warm_state(load_bilm(*official_files.paths), iter(SENTENCES))
    expected = mean_of_final_states(official_files, SENTENCES, n_rows)
    tf.nest.assert_same_structure(state, expected)
    close(state, expected)
    assert state[0][0][0].shape == (1, 12) and state[1][1][1].shape == (1, 4)


def test_bytes_and_at_most_so_many(official_files):
    bilm = load_bilm(*official_files.paths)
    sentences = [[word.encode() for word in words] for words in SENTENCES]
    close(
        warm_state(bilm, sentences, max_sentences=3),
        mean_of_final_states(official_files, SENTENCES[:3], 32),
    )


def test_word_input(word_files):
    bilm = load_bilm(*word_files.paths)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant(WORDS), tf.range(len(WORDS))
        ),
        WORDS.index("<UNK>"),
    )
    close(
        warm_state(bilm, SENTENCES, lookup=table.lookup),
        mean_of_final_states(word_files, SENTENCES, 32),
    )


def test_no_sentences(official_files):
    with pytest.raises(ValueError, match="no sentences to warm up on"):
        warm_state(load_bilm(*official_files.paths), [])
