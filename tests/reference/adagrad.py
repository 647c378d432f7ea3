"""Adagrad as TensorFlow 1 computed it (Duchi et al. 2011), in NumPy."""

import numpy as np


def dense_update(variable, accumulator, gradient, learning_rate):
    """Returns the variable and the accumulator after one step.

    The accumulator starts at 1.0 in the training of the original biLM, and
    there is no epsilon.
    """
    accumulator = np.float64(accumulator) + np.float64(gradient) ** 2
    variable = np.float64(variable) - learning_rate * gradient / np.sqrt(
        accumulator
    )
    return variable, accumulator


def sparse_update(variable, accumulator, rows, values, learning_rate):
    """The same for a gradient given as `values[k]` for row `rows[k]`.

    A row that comes more than once is summed before it is squared; a row that
    does not come keeps its variable and accumulator.
    """
    gradient = np.zeros(np.shape(variable))
    for row, value in zip(rows, values, strict=True):
        gradient[row] += value
    return dense_update(variable, accumulator, gradient, learning_rate)


def clip_by_global_norm(gradients, clip_norm):
    """Scales all gradients by one factor if their joint norm is too large."""
    norm = np.sqrt(sum((np.float64(g) ** 2).sum() for g in gradients))
    factor = min(1.0, clip_norm / norm) if norm else 1.0
    return [np.float64(g) * factor for g in gradients]
