"""The places after each place, up to a number of them."""

import tensorflow as tf


def windows(inputs, width, fill=0):
    """Puts beside each place those that come after it.

    Args:
        inputs: `[batch, time, …]`.
        width: How many places a window has, the first one among them.
        fill: What stands in the place of those after the end.

    Returns:
        `[batch, time, width, …]`.
    """
    time = tf.shape(inputs)[1]
    paddings = [[0, 0], [0, width - 1]] + [[0, 0]] * (len(inputs.shape) - 2)
    padded = tf.pad(inputs, paddings, constant_values=fill)
    stacked = tf.stack(
        [padded[:, shift : shift + time] for shift in range(width)], axis=2
    )
    return tf.ensure_shape(
        stacked, [*inputs.shape[:2], width, *inputs.shape[2:]]
    )
