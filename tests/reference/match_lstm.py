"""A slow, obvious match-LSTM, one word of one context at a time.

Written from Wang and Jiang (2016), "Machine comprehension using match-LSTM and
answer pointer", equations 2 to 6.
"""

import numpy as np

from tests.reference.attention_flow import softmax
from tests.reference.bilm import lstm_step


def match_lstm(context, question, directions):
    """Runs both directions over a context and a question without padding.

    Args:
        context: `[T, d]`.
        question: `[J, e]`.
        directions: The weights of each direction, a list of eight: those of
            the question, the context and the state in the attention, its bias,
            the vector w, the LSTM's kernel, bias and recurrent kernel.

    Returns:
        `[T, 2 · units]`.
    """
    context, question = (
        np.asarray(text, np.float64) for text in (context, question)
    )
    outputs = [[None] * len(context) for _ in directions]
    for direction, weights in enumerate(directions):
        v, p, q, bias, w, kernel, lstm_bias, recurrent = (
            np.asarray(weight, np.float64) for weight in weights
        )
        both = np.concatenate([kernel, recurrent])
        cell = hidden = np.zeros(len(q))
        order = list(range(len(context)))
        for t in order if direction == 0 else reversed(order):
            x = context[t]
            scores = np.array(
                [
                    (np.tanh(u @ v + x @ p + hidden @ q + bias) @ w)[0]
                    for u in question
                ]
            )
            attended = np.zeros(question.shape[1])
            if len(question):
                attended = softmax(scores) @ question
            cell, hidden = lstm_step(
                np.concatenate([x, attended]), cell, hidden, both, lstm_bias
            )
            outputs[direction][t] = hidden
    return np.concatenate([np.array(output) for output in outputs], axis=1)
