"""The sense of the nearest neighbour."""

import collections

import numpy as np

# Occurrences whose cosines differ by less are equally near: the same vector,
# computed in batches of different shape, differs in its last digits.
TIE = 1e-5


def nearest_neighbour_accuracy(vectors, senses, queries, candidates):
    """Tells how often the nearest neighbours of a word have its sense.

    Where several candidates are equally near, as all occurrences of the same
    form are in the token layer, the result is the expectation of a choice among
    them by lot.

    Args:
        vectors: Float array `[n, n_layers, dim]`, of length one: the
            occurrences of one word.
        senses: Their senses, a sequence of n.
        queries: The indices of the occurrences to ask about.
        candidates: The indices of those that may be neighbours; none is its
            own neighbour.

    Returns:
        Float array `[queries, n_layers]`, between 0 and 1.
    """
    queries = np.asarray(queries)
    candidates = np.asarray(candidates)
    _, sense_ids = np.unique(np.asarray(senses), return_inverse=True)
    # [queries, candidates]
    is_right = sense_ids[queries][:, None] == sense_ids[candidates]
    is_self = queries[:, None] == candidates
    accuracy = np.empty((len(queries), vectors.shape[1]))
    for layer in range(vectors.shape[1]):
        cosines = vectors[queries, layer] @ vectors[candidates, layer].T
        cosines[is_self] = -np.inf
        is_nearest = cosines > cosines.max(axis=1, keepdims=True) - TIE
        accuracy[:, layer] = (is_nearest & is_right).sum(
            axis=1
        ) / is_nearest.sum(axis=1)
    return accuracy


def leave_one_out_accuracy(vectors, occurrences):
    """The accuracy within a list, word by word.

    Args:
        vectors: What `occurrence_vectors` returned.
        occurrences: The list of `Occurrence`.

    Returns:
        A dictionary from each word, in the order of the list, to a dictionary
        of `layers`, the mean accuracy of its occurrences by layer, a list of
        floats, and `most_frequent_sense`, the share of that.
    """
    accuracies = {}
    for word, indices in indices_by_word(occurrences).items():
        senses = [occurrences[index].sense for index in indices]
        everyone = range(len(indices))
        accuracy = nearest_neighbour_accuracy(
            vectors[indices], senses, everyone, everyone
        )
        counts = collections.Counter(senses)
        accuracies[word] = {
            "layers": accuracy.mean(axis=0).tolist(),
            "most_frequent_sense": max(counts.values()) / len(senses),
        }
    return accuracies


def indices_by_word(occurrences):
    """Groups occurrences.

    Args:
        occurrences: A list of `Occurrence`.

    Returns:
        A dictionary from each word to the list of its occurrences' indices.
    """
    groups = collections.defaultdict(list)
    for index, occurrence in enumerate(occurrences):
        groups[occurrence.word].append(index)
    return dict(groups)
