"""A linear-chain CRF by enumeration of all sequences (Lafferty et al. 2001).

Every function is about one sentence without padding: `scores` is `[length,
n_tags]`, and `weights` is a dict of `transitions` `[n_tags, n_tags]`,
`start_scores` and `end_scores` `[n_tags]`.
"""

import itertools

import numpy as np


def all_sequences(length, n_tags):
    """Every sequence of tags, as a list of tuples."""
    return list(itertools.product(range(n_tags), repeat=length))


def sequence_score(scores, tags, weights):
    """The score of one sequence; 0 for the empty one."""
    if len(tags) == 0:
        return 0.0
    total = weights["start_scores"][tags[0]] + weights["end_scores"][tags[-1]]
    for position, tag in enumerate(tags):
        total += scores[position][tag]
    for previous, tag in itertools.pairwise(tags):
        total += weights["transitions"][previous][tag]
    return total


def distribution(scores, weights):
    """A dict from every sequence to its log-probability."""
    scores = np.asarray(scores, np.float64)
    weights = {
        name: np.asarray(value, np.float64) for name, value in weights.items()
    }
    sequences = all_sequences(*scores.shape)
    values = np.array(
        [sequence_score(scores, tags, weights) for tags in sequences]
    )
    log_total = values.max() + np.log(np.exp(values - values.max()).sum())
    return dict(zip(sequences, values - log_total, strict=True))


def log_likelihood(scores, tags, weights):
    """The log-probability of the tags among all sequences."""
    return distribution(scores, weights)[tuple(tags)]


def marginals(scores, weights):
    """`[length, n_tags]`: the probability of each tag at each position."""
    result = np.zeros(np.shape(scores))
    for tags, log_probability in distribution(scores, weights).items():
        for position, tag in enumerate(tags):
            result[position, tag] += np.exp(log_probability)
    return result


def is_allowed(tags, transition_mask=None, start_mask=None, end_mask=None):
    """Whether the masks, None allowing all, allow the sequence."""
    if len(tags) == 0:
        return True
    if start_mask is not None and not start_mask[tags[0]]:
        return False
    if end_mask is not None and not end_mask[tags[-1]]:
        return False
    return transition_mask is None or all(
        transition_mask[previous][tag]
        for previous, tag in itertools.pairwise(tags)
    )


def viterbi(scores, weights, **masks):
    """The most probable allowed sequence, a tuple."""
    log_probabilities = distribution(scores, weights)
    allowed = [tags for tags in log_probabilities if is_allowed(tags, **masks)]
    return max(allowed, key=log_probabilities.get)
