"""The weighted sum of a biLM's layers (equation 1 of the ELMo paper)."""

import numpy as np

EPSILON = {"bilm_tf": 1e-12, "allennlp": 1e-13}


def layer_norm(layer, mask, epsilon):
    """Normalises one layer by one mean and variance of the whole batch.

    Args:
        layer: `[batch, time, dim]`.
        mask: `[batch, time]` bool. Only real positions count for the mean and
            the variance; all positions are normalised.
        epsilon: Added to the variance.
    """
    real = layer[mask]
    mean = real.sum() / real.size
    variance = ((real - mean) ** 2).sum() / real.size
    return (layer - mean) / np.sqrt(variance + epsilon)


def weighted_layer_sum(
    layers, weights, gamma, mask=None, norm=None, only_layer=None
):
    """gamma * sum_j softmax(weights)_j * layers_j.

    Args:
        layers: `[batch, time, n_layers, dim]`.
        weights: `[n_layers]`, before the softmax; unused with `only_layer`.
        gamma: A number.
        mask: `[batch, time]` bool, all True if None.
        norm: None, "bilm_tf" or "allennlp". They differ in the epsilon here,
            and in what the caller gives: bilm-tf normalises without the
            sentence boundaries, AllenNLP with them.
        only_layer: The number of the one layer that is taken (never
            normalised); None: all are.

    Returns:
        `[batch, time, dim]`, zero where the mask is False.
    """
    layers = np.asarray(layers, np.float64)
    if mask is None:
        mask = np.ones(layers.shape[:2], bool)
    if only_layer is not None:
        total = layers[:, :, only_layer]
    else:
        exponentials = np.exp(np.asarray(weights, np.float64))
        softmax = exponentials / exponentials.sum()
        total = np.zeros(layers[:, :, 0].shape)
        for j, weight in enumerate(softmax):
            layer = layers[:, :, j]
            if norm is not None:
                layer = layer_norm(layer, mask, EPSILON[norm])
            total += weight * layer
    return gamma * total * mask[..., None]


def l2_penalty(weights, l2):
    """lambda * ||w||^2 of the weights before the softmax."""
    return l2 * sum(weight**2 for weight in np.asarray(weights, np.float64))
