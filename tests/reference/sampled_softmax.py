"""The softmax over a vocabulary, full and sampled, in NumPy."""

import numpy as np


def log_softmax(logits):
    """[n, classes] -> [n, classes]."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def full_log_probabilities(inputs, labels, kernel, bias):
    """Log-probability of each label under the full softmax.

    Args:
        inputs: `[n, dim]`.
        labels: `[n]` int.
        kernel: `[vocabulary, dim]`.
        bias: `[vocabulary]`.

    Returns:
        `[n]`.
    """
    logits = np.float64(inputs) @ np.float64(kernel).T + np.float64(bias)
    return log_softmax(logits)[np.arange(len(labels)), labels]


def log_uniform_probability(word, vocabulary_size):
    """The log-uniform (Zipfian) probability of drawing `word`."""
    word = np.asarray(word, np.float64)
    return (np.log(word + 2) - np.log(word + 1)) / np.log(vocabulary_size + 1)


def expected_count(word, vocabulary_size, n_draws):
    """How often `word` is expected among distinct candidates.

    Words are drawn until enough distinct ones have come up, which took
    `n_draws`: a word is among them with probability 1 - (1 - p)^n_draws.
    (TensorFlow's sampler says p * n_draws where no word came up twice.)
    """
    probability = log_uniform_probability(word, vocabulary_size)
    return 1.0 - (1.0 - probability) ** n_draws


def sampled_softmax_loss(
    inputs,
    labels,
    kernel,
    bias,
    candidates,
    label_expected_counts,
    candidate_expected_counts,
):
    """Cross entropy of the label among itself and the candidates.

    The log of the expected count is subtracted from every logit, and a
    candidate that is the label of a row is left out in that row (Jean et al.
    2014, "On Using Very Large Target Vocabulary for Neural Machine
    Translation").

    Args:
        inputs: `[n, dim]`.
        labels: `[n]` int.
        kernel: `[vocabulary, dim]`.
        bias: `[vocabulary]`.
        candidates: `[m]` int, distinct.
        label_expected_counts: `[n]`.
        candidate_expected_counts: `[m]`.

    Returns:
        `[n]`.
    """
    kernel = np.float64(kernel)
    losses = []
    for row, label in enumerate(labels):
        x = np.float64(inputs[row])
        logits = [
            x @ kernel[label] + bias[label] - np.log(label_expected_counts[row])
        ]
        for candidate, count in zip(
            candidates, candidate_expected_counts, strict=True
        ):
            if candidate != label:
                logits.append(
                    x @ kernel[candidate] + bias[candidate] - np.log(count)
                )
        losses.append(-log_softmax(np.array([logits]))[0, 0])
    return np.array(losses)
