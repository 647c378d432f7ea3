"""Sequences of different lengths without padding."""

import tensorflow as tf

# From here to twice as many, sizes are even; from there to four times as many,
# multiples of four; and so on.
_EXACT_SIZES = 64


class PackedSequences:
    """Where the elements of a batch of sequences stand, time step by time step.

    The longest sequence comes first, and sequences that have ended drop out:
    step t holds the t-th elements of the first `batch_sizes[t]` sequences, so
    an LSTM over the steps never computes padding.

    Args:
        lengths: int32 `[batch]`, not negative.

    Attributes:
        n_elements: Scalar, the sum of the lengths.
        n_steps: Scalar, the largest length.
        batch_sizes: int32 `[n_steps]`, falling.
        offsets: int32 `[n_steps]`: where each step begins in a packed tensor.
        rounded_sizes: int32 `[n_steps]`, falling: `batch_sizes` rounded up by
            3 % at most, as far as there are elements. TensorFlow prepares a
            matrix product for each number of rows, and remembers it: with
            these there are few. The rows too many are the next step's.
    """

    def __init__(self, lengths):
        self._lengths = lengths
        # [batch]: the sequences, longest first, and each one's place among them
        self._order = tf.argsort(lengths, direction="DESCENDING", stable=True)
        self._rank = tf.math.invert_permutation(self._order)
        self.n_elements = tf.reduce_sum(lengths)
        # Of no sequences at all the maximum is the least integer.
        self.n_steps = tf.maximum(tf.reduce_max(lengths), 0)
        # [n_steps, batch]
        present = (
            tf.range(self.n_steps)[:, tf.newaxis]
            < tf.gather(lengths, self._order)[tf.newaxis]
        )
        self.batch_sizes = tf.reduce_sum(tf.cast(present, tf.int32), axis=1)
        self.offsets = tf.cumsum(self.batch_sizes, exclusive=True)
        self.rounded_sizes = tf.minimum(
            _rounded(self.batch_sizes), self.n_elements - self.offsets
        )
        # [n]: each element's step and sequence
        step, rank = tf.unstack(tf.cast(tf.where(present), tf.int32), axis=1)
        self._step = step
        self._sequence = tf.gather(self._order, rank)

    def pack(self, values, reverse=False):
        """Takes a batch's elements in packed order.

        Args:
            values: `[batch, time, …]`, `time` at least `n_steps`.
            reverse: Whether each sequence shall run from its end to its begin.

        Returns:
            `[n_elements, …]`.
        """
        step = self._step
        if reverse:
            step = tf.gather(self._lengths, self._sequence) - 1 - step
        return tf.gather_nd(values, tf.stack([self._sequence, step], axis=1))

    def row(self, sequence, step, reverse=False):
        """Finds elements in packed order.

        Args:
            sequence: int32, any shape: which sequence of the batch.
            step: int32 of the same or a broadcast shape: which element of it,
                counted from its begin. Of a sequence without elements take 0,
                and do not use the result.
            reverse: Whether the sequences were packed from their ends.

        Returns:
            int32: the places of the elements.
        """
        if reverse:
            length = tf.gather(self._lengths, sequence)
            step = tf.maximum(length - 1 - step, 0)
        # Of no sequences at all there are no offsets to gather from.
        offsets = tf.pad(self.offsets, [[0, 1]])
        return tf.gather(offsets, step) + tf.gather(self._rank, sequence)


def _rounded(sizes):
    """Rounds sizes up to one of few."""
    octave = tf.math.log(tf.cast(sizes, tf.float32) / _EXACT_SIZES)
    octave = tf.floor(octave / tf.math.log(2.0))
    unit = tf.cast(2.0 ** tf.maximum(octave + 1.0, 0.0), tf.int32)
    return (sizes + unit - 1) // unit * unit
