"""A slow, obvious highway LSTM, one step of one sequence at a time.

Written from He et al. (2017), "Deep semantic role labeling: what works and
what's next", section 2.2.
"""

import numpy as np

from tests.reference.bilm import sigmoid


def highway_lstm(inputs, weights, mask=None, go_backwards=False, scale=None):
    """Runs over the real steps of each sequence.

    Args:
        inputs: `[batch, time, features]`.
        weights: The kernel `[features, 6 · units]`, the bias `[5 · units]` and
            the recurrent kernel `[units, 5 · units]`.
        mask: `[batch, time]` bool; None: all True.
        go_backwards: Whether each sequence is read from its end.
        scale: `[batch, units]`, factors of the output of all steps, as of a
            dropout; None: 1.

    Returns:
        `[batch, time, units]`.
    """
    kernel, bias, recurrent = (np.asarray(w, np.float64) for w in weights)
    inputs = np.asarray(inputs, np.float64)
    batch, time, _ = inputs.shape
    units = len(recurrent)
    if mask is None:
        mask = np.ones((batch, time), bool)
    if scale is None:
        scale = np.ones((batch, units))
    outputs = np.zeros((batch, time, units))
    for row in range(batch):
        steps = list(np.flatnonzero(mask[row]))
        if go_backwards:
            steps.reverse()
        cell = hidden = np.zeros(units)
        for step in steps:
            x = inputs[row, step] @ kernel
            gates = x[: 5 * units] + hidden @ recurrent + bias
            i, j, f, o, r = np.split(gates, 5)
            cell = sigmoid(f + 1) * cell + sigmoid(i) * np.tanh(j)
            candidate = sigmoid(o) * np.tanh(cell)
            hidden = sigmoid(r) * candidate + (1 - sigmoid(r)) * x[5 * units :]
            hidden = hidden * scale[row]
            outputs[row, step] = hidden
    return outputs
