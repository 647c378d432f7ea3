"""What loops over time with gradients of their own have in common."""

import tensorflow as tf


def n_steps(time_major):
    """Returns the number of time steps, static where it can be: XLA needs that.

    Args:
        time_major: Tensor `[time, …]`.
    """
    static_steps = time_major.shape[0]
    return tf.shape(time_major)[0] if static_steps is None else static_steps


def step_array(size, example, dtype=tf.float32):
    """Makes an empty TensorArray of elements that may be read many times.

    Args:
        size: Number of elements.
        example: A tensor of their shape.
        dtype: Their dtype.
    """
    return tf.TensorArray(
        dtype,
        size=size,
        element_shape=example.shape,
        clear_after_read=False,
    )


def over_steps(function, time_major):
    """Applies a function of rows to all rows of all steps at once.

    Args:
        function: From `[time · batch, features]` to `[time · batch, …]`.
        time_major: Tensor `[time, batch, features]`.

    Returns:
        A tensor `[time, batch, …]`.
    """
    shape = tf.shape(time_major)
    rows = function(tf.reshape(time_major, [-1, time_major.shape[-1]]))
    result = tf.reshape(rows, [shape[0], shape[1], rows.shape[-1]])
    return tf.ensure_shape(result, [*time_major.shape[:2], rows.shape[-1]])


def weight_gradient(inputs, output_gradients):
    """Computes `Σ inputsᵀ · output_gradients` over all steps and rows.

    It is one product, where a loop would add up one for each step.

    Args:
        inputs: `[time, batch, a]`.
        output_gradients: `[time, batch, b]`.

    Returns:
        A tensor `[a, b]`.
    """
    inputs = tf.reshape(inputs, [-1, inputs.shape[-1]])
    output_gradients = tf.reshape(
        output_gradients, [-1, output_gradients.shape[-1]]
    )
    return tf.matmul(inputs, output_gradients, transpose_a=True)
