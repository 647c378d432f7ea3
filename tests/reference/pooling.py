"""Pooling over the real steps of a sequence, one sequence at a time."""

import numpy as np

_FUNCTIONS = {"mean": np.mean, "max": np.max, "min": np.min}


def masked_pooling(inputs, mode, mask=None):
    """Mean, maximum or minimum over time.

    Args:
        inputs: `[batch, time, features]`.
        mode: "mean", "max" or "min".
        mask: `[batch, time]` bool, all True if None.

    Returns:
        `[batch, features]`, zeros for a sequence without a real step.
    """
    inputs = np.asarray(inputs, np.float64)
    outputs = np.zeros([len(inputs), inputs.shape[-1]])
    for row, sequence in enumerate(inputs):
        real = sequence if mask is None else sequence[mask[row]]
        if len(real):
            outputs[row] = _FUNCTIONS[mode](real, axis=0)
    return outputs


def self_attentive_pooling(inputs, kernel, mask=None):
    """The mean over time with the shares `softmax(X v)`.

    Args:
        inputs: `[batch, time, features]`.
        kernel: `v`, `[features, 1]`.
        mask: `[batch, time]` bool, all True if None.

    Returns:
        `[batch, features]`, zeros for a sequence without a real step.
    """
    inputs = np.asarray(inputs, np.float64)
    outputs = np.zeros([len(inputs), inputs.shape[-1]])
    for row, sequence in enumerate(inputs):
        real = sequence if mask is None else sequence[mask[row]]
        if len(real):
            factors = np.exp([vector @ kernel[:, 0] for vector in real])
            for factor, vector in zip(factors, real, strict=True):
                outputs[row] += factor / factors.sum() * vector
    return outputs
