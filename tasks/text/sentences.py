"""Texts of several sentences, in the graph."""

import tensorflow as tf


def split_sentences(values, sentence_lengths):
    """Gives each sentence a row of its own.

    Args:
        values: `[batch, time, …]`, one value for each token of a text.
        sentence_lengths: int32 `[batch, sentences]`, how many tokens each
            sentence has; 0 where there are no more. A text's sentences have
            not more tokens than `time`.

    Returns:
        `[batch · sentences, longest, …]`, with any values behind the end of a
        sentence; `longest` is at least 1.
    """
    longest = tf.maximum(tf.reduce_max(sentence_lengths), 1)
    starts = tf.cumsum(sentence_lengths, axis=1, exclusive=True)
    # [batch, sentences, longest]
    places = starts[:, :, tf.newaxis] + tf.range(longest)
    # There may be no token.
    paddings = [[0, 0], [0, 1]] + [[0, 0]] * (len(values.shape) - 2)
    places = tf.minimum(places, tf.shape(values)[1])
    rows = tf.gather(tf.pad(values, paddings), places, batch_dims=1)
    return tf.reshape(
        rows, tf.concat([[-1, longest], tf.shape(values)[2:]], axis=0)
    )


def join_sentences(rows, sentence_lengths, time):
    """Puts the sentences of each text one after the other again.

    Args:
        rows: `[batch · sentences, longest, …]`, as `split_sentences` gives
            them.
        sentence_lengths: int32 `[batch, sentences]`.
        time: Number of tokens of the longest text.

    Returns:
        `[batch, time, …]`, zeros at padding.
    """
    batch, n_sentences = tf.unstack(tf.shape(sentence_lengths))
    numbers = sentence_numbers(sentence_lengths, time)
    is_token = numbers >= 0
    numbers = tf.maximum(numbers, 0)
    starts = tf.cumsum(sentence_lengths, axis=1, exclusive=True)
    places = tf.range(time) - tf.gather(starts, numbers, batch_dims=1)
    numbers += n_sentences * tf.range(batch)[:, tf.newaxis]
    # [batch, time, 2]: the row, and the place in it
    indices = tf.stack([numbers, tf.where(is_token, places, 0)], axis=-1)
    values = tf.gather_nd(rows, indices)
    n_more = len(rows.shape) - 2
    is_token = tf.reshape(
        is_token, tf.concat([tf.shape(is_token), [1] * n_more], axis=0)
    )
    return tf.where(is_token, values, tf.zeros([], values.dtype))


def sentence_numbers(sentence_lengths, time):
    """Tells of each token which sentence it is in.

    Args:
        sentence_lengths: int32 `[batch, sentences]`.
        time: Number of tokens of the longest text.

    Returns:
        int32 `[batch, time]`, counted from 0; −1 at padding.
    """
    ends = tf.cumsum(sentence_lengths, axis=1)
    # A column more in both, as `searchsorted` takes none without columns.
    bounds = tf.pad(ends, [[0, 0], [0, 1]], constant_values=tf.int32.max)
    # [batch, time + 1]
    places = tf.range(time + 1) + tf.zeros_like(bounds[:, :1])
    # [batch, time]
    numbers = tf.searchsorted(bounds, places, side="right")[:, :-1]
    return tf.where(numbers < tf.shape(ends)[1], numbers, -1)
