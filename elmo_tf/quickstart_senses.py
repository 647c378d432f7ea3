"""One word in two senses, in the biLM that comes with the package."""

import numpy as np

from elmo_tf.senses.examples import read_examples
from elmo_tf.senses.nearest_neighbour import leave_one_out_accuracy

NAME = "mini"
WORD = "rose"


def compare_senses(elmo):
    """Looks at ambiguous words in labelled sentences, layer by layer.

    Args:
        elmo: The `Elmo`.

    Returns:
        A tuple of the results, a dictionary of plain values, and the maps of
        `WORD`. The results are `accuracies`, see `leave_one_out_accuracy`, and
        `neighbours`: from each sense of `WORD` to the `sentence` that was asked
        about and for each of the `layers` the nearest `occurrences` of `WORD`
        (lists of similarity, sense and sentence; none where all are equally
        near) and the nearest other `words`. The maps are a dictionary from each
        sense to a float array `[n_layers, n, 2]`.
    """
    occurrences = read_examples()
    tokens = np.array(
        [token for found in occurrences for token in found.tokens]
    )
    # [tokens, n_layers, output_dim]
    vectors = np.concatenate(
        [
            np.swapaxes(array, 0, 1)
            for array in elmo.embed([found.tokens for found in occurrences])
        ]
    )
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    vectors /= np.maximum(norms, 1e-12)
    starts = np.cumsum([0, *(len(found.tokens) for found in occurrences)])
    places = np.array(
        [
            start + found.position
            for start, found in zip(starts, occurrences, strict=False)
        ]
    )
    of_word = [
        index for index, found in enumerate(occurrences) if found.word == WORD
    ]
    by_sense = {}
    for index in of_word:
        by_sense.setdefault(occurrences[index].sense, []).append(index)
    neighbours = {}
    for sense, (query, *_) in by_sense.items():
        # [tokens, n_layers]
        cosines = np.einsum("tld,ld->tl", vectors, vectors[places[query]])
        others = [index for index in of_word if index != query]
        neighbours[sense] = {
            "sentence": _text(occurrences[query]),
            "layers": [
                {
                    "occurrences": _nearest_occurrences(
                        cosines[places[others], layer],
                        [occurrences[index] for index in others],
                    )
                    if layer
                    else [],
                    "words": _nearest_words(cosines[:, layer], tokens),
                }
                for layer in range(vectors.shape[1])
            ],
        }
    results = {
        "accuracies": leave_one_out_accuracy(vectors[places], occurrences),
        "neighbours": neighbours,
    }
    plane = _principal_plane(vectors[places[of_word]])
    order = [occurrences[index].sense for index in of_word]
    maps = {
        sense: plane[:, [found == sense for found in order]]
        for sense in by_sense
    }
    return results, maps


def _nearest_occurrences(cosines, occurrences, n=2):
    return [
        [
            float(cosines[index]),
            occurrences[index].sense,
            _text(occurrences[index]),
        ]
        for index in np.argsort(-cosines, kind="stable")[:n]
    ]


def _nearest_words(cosines, tokens, n=5):
    """The nearest distinct words but `WORD`."""
    words = []
    for index in np.argsort(-cosines, kind="stable"):
        word = str(tokens[index]).lower()
        if word != WORD and word not in words:
            words.append(word)
            if len(words) == n:
                break
    return words


def _principal_plane(vectors):
    """Projects `[n, n_layers, dim]` to `[n_layers, n, 2]`, layer by layer."""
    # [n_layers, n, dim]
    centred = np.swapaxes(vectors - vectors.mean(axis=0), 0, 1)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ np.swapaxes(axes[:, :2], 1, 2)


def _text(occurrence):
    """The sentence with the word in brackets."""
    tokens = list(occurrence.tokens)
    tokens[occurrence.position] = f"[{tokens[occurrence.position]}]"
    return " ".join(tokens)
