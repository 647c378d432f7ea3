"""A slow, obvious bidirectional GRU, a sentence at a time.

Source: Cho et al. (2014), "Learning phrase representations using RNN encoder-
decoder", with the reset gate after the product, as in cuDNN and Keras.
"""

import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gru(inputs, kernel, recurrent_kernel, bias):
    """One direction: `[time, features]` → `[time, units]`.

    Args:
        inputs: The vectors.
        kernel: `[features, 3 · units]`: update gate, reset gate, candidate.
        recurrent_kernel: `[units, 3 · units]`.
        bias: `[2, 3 · units]`, for the input and for the state.
    """
    state = np.zeros(recurrent_kernel.shape[0])
    outputs = []
    for vector in inputs:
        of_input = np.split(vector @ kernel + bias[0], 3)
        of_state = np.split(state @ recurrent_kernel + bias[1], 3)
        update = sigmoid(of_input[0] + of_state[0])
        reset = sigmoid(of_input[1] + of_state[1])
        candidate = np.tanh(of_input[2] + reset * of_state[2])
        state = update * state + (1.0 - update) * candidate
        outputs.append(state)
    return np.array(outputs)


def bigru(inputs, weights):
    """Both directions: `[time, features]` → `[time, 2 · units]`.

    Args:
        inputs: The vectors.
        weights: What `gru` takes for the forward direction, and then for the
            backward one: six arrays.
    """
    inputs = np.asarray(inputs, np.float64)
    forward = gru(inputs, *weights[:3])
    backward = gru(inputs[::-1], *weights[3:])[::-1]
    return np.concatenate([forward, backward], axis=-1)
