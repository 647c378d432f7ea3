import numpy as np
import pytest
import tensorflow as tf

from tasks.text.sentences import join_sentences
from tasks.text.sentences import sentence_numbers
from tasks.text.sentences import split_sentences

LENGTHS = np.array([[3, 1, 2], [2, 0, 0], [0, 0, 0], [1, 0, 4]], np.int32)
TIME = 7


def test_numbers():
    assert sentence_numbers(LENGTHS, TIME).numpy().tolist() == [
        [0, 0, 0, 1, 2, 2, -1],
        [0, 0, -1, -1, -1, -1, -1],
        [-1] * 7,
        [0, 2, 2, 2, 2, -1, -1],
    ]


@pytest.mark.parametrize("more", [(), (2, 3)])
def test_split_and_join(more):
    values = np.random.default_rng(0).normal(size=(4, TIME, *more))
    rows = tf.function(split_sentences)(values, LENGTHS).numpy()
    assert rows.shape == (12, 4, *more)
    expected = np.zeros_like(values)
    for row, lengths in enumerate(LENGTHS):
        start = 0
        for number, length in enumerate(lengths):
            sentence = values[row, start : start + length]
            np.testing.assert_array_equal(
                rows[3 * row + number, :length], sentence
            )
            expected[row, start : start + length] = sentence
            start += length
    joined = tf.function(join_sentences)(rows, LENGTHS, TIME)
    np.testing.assert_array_equal(joined, expected)
    # What stands behind a sentence's end is not read.
    for row, length in zip(rows, LENGTHS.reshape(-1), strict=True):
        row[length:] = np.nan
    np.testing.assert_array_equal(join_sentences(rows, LENGTHS, TIME), expected)


@pytest.mark.parametrize("n_sentences", [0, 2])
def test_no_token(n_sentences):
    lengths = np.zeros([3, n_sentences], np.int32)
    for values in (tf.zeros([3, 0], tf.string), tf.zeros([3, 0, 4])):
        rows = split_sentences(values, lengths)
        assert rows.shape == (3 * n_sentences, 1, *values.shape[2:])
    assert join_sentences(rows, lengths, 0).shape == (3, 0, 4)


def test_no_text():
    numbers = tf.function(
        sentence_numbers,
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([], tf.int32),
        ],
    )
    for time in (0, 4):
        for n_sentences in (0, 2):
            lengths = tf.zeros([0, n_sentences], tf.int32)
            assert numbers(lengths, time).shape == (0, time)


def test_strings():
    tokens = tf.constant([["a", "b", "c"], ["d", "", ""]])
    lengths = tf.constant([[2, 1], [1, 0]])
    rows = split_sentences(tokens, lengths)
    assert rows[0].numpy().tolist() == [b"a", b"b"]
    assert rows[1, 0].numpy() == b"c" and rows[2, 0].numpy() == b"d"
