"""What the attention layers do about padding."""

import tensorflow as tf


def without_padding(inputs, mask=None):
    """Zeroes what stands at padding, were it not a number even.

    Args:
        inputs: Float `[batch, time, features]`.
        mask: `[batch, time]`, true for real tokens; None: all are real.

    Returns:
        The inputs, and the mask as bool `[batch, time]`.
    """
    if mask is None:
        return inputs, tf.ones(tf.shape(inputs)[:2], tf.bool)
    mask = tf.cast(mask, tf.bool)
    return tf.where(mask[:, :, tf.newaxis], inputs, 0), mask


def masked_softmax(scores, mask):
    """A softmax over the last axis of float32 that leaves masked ones out.

    Args:
        scores: Float tensor of any rank.
        mask: Bool, of a shape that broadcasts to the scores'.

    Returns:
        Float32 of the scores' shape: shares that are zero where the mask is
        false. They sum to one, or to zero where the mask is false everywhere.
    """
    scores = tf.where(mask, tf.cast(scores, tf.float32), tf.float32.min)
    return tf.where(mask, tf.nn.softmax(scores), 0.0)
