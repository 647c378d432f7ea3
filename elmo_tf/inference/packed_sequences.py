"""Sequences of different lengths without padding."""

import tensorflow as tf


class PackedSequences:
    """Where the elements of a batch of sequences stand, time step by time step.

    The longest sequence comes first, and sequences that have ended drop out:
    step t holds the t-th elements of the first `batch_sizes[t]` sequences, so
    an LSTM over the steps never computes padding.

    Args:
        lengths: int32 `[batch]`, not negative.

    Attributes:
        n_elements: Scalar, the sum of the lengths.
        n_sequences: Scalar, how many sequences are not empty.
        n_steps: Scalar, the largest length.
        batch_sizes: int32 `[n_steps]`, falling.
        offsets: int32 `[n_steps]`: where each step begins in a packed tensor.
    """

    def __init__(self, lengths):
        self._lengths = lengths
        # [batch]: the sequences, longest first, and each one's place among them
        self._order = tf.argsort(lengths, direction="DESCENDING", stable=True)
        self._rank = tf.math.invert_permutation(self._order)
        self.n_elements = tf.reduce_sum(lengths)
        self.n_sequences = tf.math.count_nonzero(lengths, dtype=tf.int32)
        # Of no sequences at all the maximum is the least integer.
        self.n_steps = tf.maximum(tf.reduce_max(lengths), 0)
        # [n_steps, batch]
        present = (
            tf.range(self.n_steps)[:, tf.newaxis]
            < tf.gather(lengths, self._order)[tf.newaxis]
        )
        self.batch_sizes = tf.reduce_sum(tf.cast(present, tf.int32), axis=1)
        self.offsets = tf.cumsum(self.batch_sizes, exclusive=True)
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
