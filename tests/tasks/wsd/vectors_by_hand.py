"""Sense vectors and nearest senses, slowly, as the paper tells it."""

import numpy as np


def word_vectors(elmo, sentence, instance):
    """The vectors `[n_layers + 1, output_dim]` of a word, the mean last."""
    (layers,) = elmo.embed([list(sentence.tokens)])
    parts = [layers[:, i] for i in range(instance.start, instance.end)]
    vectors = sum(parts) / len(parts)
    return np.concatenate([vectors, [sum(vectors) / len(vectors)]])


def sense_means(elmo, sentences):
    """The mean of each sense, a dictionary from key."""
    found = {}
    for sentence in sentences:
        for instance in sentence.instances:
            for key in instance.keys:
                found.setdefault(key, []).append(
                    word_vectors(elmo, sentence, instance)
                )
    return {key: sum(some) / len(some) for key, some in found.items()}


def nearest(vectors, means, candidates):
    """The key of the nearest candidate, for each layer."""
    keys = []
    for layer, vector in enumerate(vectors):
        cosines = []
        for key in candidates:
            mean = means[key][layer]
            cosines.append(
                np.dot(mean, vector)
                / (np.linalg.norm(mean) * np.linalg.norm(vector))
            )
        # Of those that differ by rounding only, the first.
        best = max(cosines) - 1e-5
        keys.append(
            next(
                key
                for key, cosine in zip(candidates, cosines, strict=True)
                if cosine > best
            )
        )
    return keys
