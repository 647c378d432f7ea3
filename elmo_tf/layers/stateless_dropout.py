"""Dropout whose mask is a function of an explicit seed."""

import tensorflow as tf


def stateless_dropout(inputs, rate, seed, noise_shape=None):
    """Zeroes a fraction of the inputs and scales the rest up to match.

    The mask depends on `seed` alone, so a resumed training draws the masks of
    an uninterrupted one without any saved generator.

    Args:
        inputs: Float tensor of any shape.
        rate: The fraction to drop, in [0, 1); 0: the inputs are returned.
        seed: Two integers, tensor or tuple.
        noise_shape: Shape of the mask, which is broadcast to the inputs';
            None: a value for each input.

    Returns:
        A tensor of the inputs' shape and dtype.
    """
    if not rate:
        return inputs
    return tf.nn.experimental.stateless_dropout(
        inputs, rate, seed=seed, noise_shape=noise_shape
    )
