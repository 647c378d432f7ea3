"""A slow, obvious bidirectional LSTM, one step of one sequence at a time."""

import numpy as np

from tests.reference.bilm import lstm_step


def bilstm(inputs, weights, mask=None, input_scale=None, hidden_scales=None):
    """Runs both directions over the real steps of each sequence.

    Args:
        inputs: `[batch, time, features]`.
        weights: For each direction the kernel, the bias and the recurrent
            kernel.
        mask: `[batch, time]` bool; None: all True.
        input_scale: `[batch, features]`, factors of the input at all steps, as
            of a dropout; None: 1.
        hidden_scales: `[2, batch, units]`, factors of what each direction's
            recurrent kernel reads at all steps; None: 1.

    Returns:
        `[batch, time, 2 · units]`.
    """
    inputs = np.asarray(inputs, np.float64)
    batch, time, features = inputs.shape
    units = len(weights[0][1]) // 4
    if mask is None:
        mask = np.ones((batch, time), bool)
    if input_scale is None:
        input_scale = np.ones((batch, features))
    if hidden_scales is None:
        hidden_scales = np.ones((2, batch, units))
    outputs = np.zeros((batch, time, 2, units))
    for direction in (0, 1):
        kernel, bias, recurrent_kernel = (
            np.asarray(weight, np.float64) for weight in weights[direction]
        )
        w = np.concatenate([kernel, recurrent_kernel])
        for row in range(batch):
            steps = list(np.flatnonzero(mask[row]))
            if direction == 1:
                steps.reverse()
            cell = hidden = np.zeros(units)
            for step in steps:
                cell, hidden = lstm_step(
                    inputs[row, step] * input_scale[row],
                    cell,
                    hidden * hidden_scales[direction][row],
                    w,
                    bias,
                )
                outputs[row, step, direction] = hidden
    return outputs.reshape(batch, time, 2 * units)
