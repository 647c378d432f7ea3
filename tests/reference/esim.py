"""ESIM with ELMo, one pair of sentences without padding at a time.

Written from Chen et al. (2017), "Enhanced LSTM for Natural Language Inference",
sections 3.1 to 3.3, and the ELMo paper, sections 3.3 and A.3.
"""

import numpy as np

from tests.reference.bilstm import bilstm


def softmax(x):
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum()


def dense(x, kernel, bias):
    return x @ np.asarray(kernel, np.float64) + bias


def relu(x):
    return np.maximum(x, 0.0)


def bilstm_of_one(vectors, weights):
    """`[time, features]` → `[time, 2 · units]`."""
    return bilstm(vectors[None], weights)[0]


def encode(words, elmo_input, elmo_output, weights):
    """Input encoding (equations 1 and 2), ELMo beside its input and output.

    Args:
        words: Word vectors `[time, word_dim]`.
        elmo_input: `[time, dim]` or None.
        elmo_output: Likewise.
        weights: The weights.
    """
    if elmo_input is not None:
        words = np.concatenate([words, elmo_input], axis=1)
    encoded = bilstm_of_one(words, weights["encoder"])
    if elmo_output is not None:
        encoded = np.concatenate([encoded, elmo_output], axis=1)
    return encoded


def attend(a, b):
    """Each vector's mean of the other sentence's (equations 11 to 13)."""
    attended = []
    for a_i in a:
        shares = softmax(np.array([a_i @ b_j for b_j in b]))
        attended.append(sum(s * b_j for s, b_j in zip(shares, b, strict=True)))
    return np.array(attended)


def compose(a, attended, weights):
    """From local inference to one vector (equations 14 to 19)."""
    enhanced = np.concatenate([a, attended, a - attended, a * attended], axis=1)
    projected = relu(dense(enhanced, *weights["projection"]))
    composed = bilstm_of_one(projected, weights["composition"])
    return np.concatenate([composed.mean(axis=0), composed.max(axis=0)])


def esim(premise, hypothesis, weights):
    """Computes the scores, before the softmax, of one pair.

    Args:
        premise: A tuple of what `encode` takes: words, ELMo at the input and at
            the output.
        hypothesis: Likewise.
        weights: A dictionary of `encoder` and `composition`, as
            `tests.reference.bilstm` takes them, and of `projection`, `hidden`
            and `scores`, each a kernel and a bias.

    Returns:
        `[3]`.
    """
    a = encode(*premise, weights)
    b = encode(*hypothesis, weights)
    # Equation 20.
    vector = np.concatenate(
        [
            compose(a, attend(a, b), weights),
            compose(b, attend(b, a), weights),
        ]
    )
    hidden = relu(dense(vector, *weights["hidden"]))
    return dense(hidden, *weights["scores"])
