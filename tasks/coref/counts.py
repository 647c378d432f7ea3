"""What coreference metrics divide by what, in one document.

Clusters are lists of lists of mentions, none of them empty; a mention is
anything that can be hashed. The functions that count return numerator and
denominator of recall and those of precision, `[4]`. These are equal to those of
the reference scorer, version 8.01, where mentions are repeated too: asked for a
mention's cluster it gives the last one.
"""

import collections
import itertools

import numpy as np
from scipy.optimize import linear_sum_assignment


def without_repeated(response, key):
    """Takes away repeated mentions, as the scorer does before it counts.

    Args:
        response: Clusters, some of which may be empty.
        key: Clusters.

    Returns:
        The clusters of the response that are not empty, with each mention of
        the key only where it stands first.
    """
    key_mentions = set(itertools.chain.from_iterable(key))
    seen = set()
    clusters = []
    for cluster in response:
        kept = []
        for mention in cluster:
            if mention not in seen:
                kept.append(mention)
            if mention in key_mentions:
                seen.add(mention)
        if kept:
            clusters.append(kept)
    return clusters


def count_mentions(key, response):
    """Counts the mentions that both have, whatever their clusters."""
    expected, found = (
        set(itertools.chain.from_iterable(clusters))
        for clusters in (key, response)
    )
    n_common = len(expected & found)
    return np.array([n_common, len(expected), n_common, len(found)])


def count_muc(key, response):
    """Counts links for MUC (Vilain et al. 1995): n − 1 for n mentions."""
    key_cluster = _last_clusters(key)
    n_correct = 0
    for cluster in response:
        known = [key_cluster[m] for m in cluster if m in key_cluster]
        n_correct += len(known) - len(set(known))
    n_key, n_response = (
        sum(map(len, clusters)) - len(clusters) for clusters in (key, response)
    )
    return np.array([n_correct, n_key, n_correct, n_response])


def count_bcub(key, response):
    """Adds up shares of the mentions' clusters for B³ (Bagga et al. 1998)."""
    key_cluster = _last_clusters(key)
    key_clusters = _all_clusters(key)
    recall = precision = 0.0
    for cluster in response:
        # How many of the cluster's mentions each of the key's clusters has.
        common = collections.Counter(
            number
            for mention in cluster
            for number in set(key_clusters.get(mention, ()))
        )
        for mention in cluster:
            if mention in key_cluster:
                number = key_cluster[mention]
                recall += common[number] / len(key[number])
                precision += common[number] / len(cluster)
    return np.array(
        [recall, sum(map(len, key)), precision, sum(map(len, response))]
    )


def count_ceaf(key, response):
    """Compares the best-matched clusters for CEAF (Luo 2005).

    Returns:
        A tuple: `[4]` by entities, where two clusters are as similar as the F1
        of their mentions, and `[4]` by mentions, where they are as similar as
        the number of mentions that both have.
    """
    response_clusters = _all_clusters(response)
    # [key, response]
    common = np.zeros((len(key), len(response)))
    for number, cluster in enumerate(key):
        for mention in cluster:
            for other in set(response_clusters.get(mention, ())):
                common[number, other] += 1
    key_sizes = np.array([*map(len, key)])
    response_sizes = np.array([*map(len, response)])
    # [key, 1] + [response] -> [key, response]
    sizes = key_sizes[:, np.newaxis] + response_sizes
    entities = _best_assignment(2 * common / sizes)
    mentions = _best_assignment(common)
    return (
        np.array([entities, len(key), entities, len(response)]),
        np.array([mentions, key_sizes.sum(), mentions, response_sizes.sum()]),
    )


def _best_assignment(similarities):
    rows, columns = linear_sum_assignment(similarities, maximize=True)
    return similarities[rows, columns].sum()


def count_lea(key, response):
    """Adds up the resolved links of clusters, for LEA (Moosavi et al. 2016)."""
    return np.concatenate([_resolved(key, response), _resolved(response, key)])


def _resolved(clusters, others):
    """The sizes of clusters, each times how well it is resolved, and the sum.

    A cluster of one mention has one link, from the mention to itself, which
    another clustering has too if the mention is alone there.
    """
    other_cluster = _last_clusters(others)
    resolved = 0.0
    for cluster in clusters:
        found = [other_cluster[m] for m in cluster if m in other_cluster]
        if len(cluster) > 1:
            n_links = sum(map(_pairs, collections.Counter(found).values()))
            resolved += len(cluster) * n_links / _pairs(len(cluster))
        elif found and len(others[found[0]]) == 1:
            resolved += 1
    return [resolved, sum(map(len, clusters))]


def count_blanc(key, response):
    """Counts links within clusters and between them, for BLANC.

    Links are counted, not listed, where each of the two mentions stands in one
    cluster at most on either side. The few others the scorer takes as they
    come: a mention that is repeated in a cluster is linked to itself, and two
    mentions may have a link of either kind (Luo et al. 2014).

    Returns:
        `[2, 4]`, first the links within clusters, then those between them.
    """
    sides = [_all_clusters(key), _all_clusters(response)]
    mentions = list(dict.fromkeys(itertools.chain(*sides)))
    repeated = [
        mention
        for mention in mentions
        if any(len(side.get(mention, ())) > 1 for side in sides)
    ]
    left_out = set(repeated)
    single = [mention for mention in mentions if mention not in left_out]
    # [2 kinds, 3 sides], the third side the links that both have.
    n_links = _count_single_links(single, *sides)
    for i, mention in enumerate(repeated):
        for other in itertools.chain(repeated[i:], single):
            # [2 sides, 2 kinds]
            links = np.array([_links(side, mention, other) for side in sides])
            n_links[:, :2] += links.T
            n_links[:, 2] += links.all(axis=0)
    n_key, n_response, n_common = n_links.T
    return np.stack([n_common, n_key, n_common, n_response], axis=-1)


def _count_single_links(mentions, key, response):
    key_numbers, response_numbers = (
        {mention: side[mention][0] for mention in mentions if mention in side}
        for side in (key, response)
    )
    common = [mention for mention in key_numbers if mention in response_numbers]
    within_key = _pairs_within(key_numbers.values())
    within_response = _pairs_within(response_numbers.values())
    within_both = _pairs_within(
        (key_numbers[mention], response_numbers[mention]) for mention in common
    )
    # Pairs that are within a cluster on one of the two sides, or on both.
    within_either = (
        _pairs_within(key_numbers[mention] for mention in common)
        + _pairs_within(response_numbers[mention] for mention in common)
        - within_both
    )
    return np.array(
        [
            [within_key, within_response, within_both],
            [
                _pairs(len(key_numbers)) - within_key,
                _pairs(len(response_numbers)) - within_response,
                _pairs(len(common)) - within_either,
            ],
        ]
    )


def _links(side, mention, other):
    """Whether there is a link within a cluster, and one between two."""
    numbers = side.get(mention, ())
    others = side.get(other, ())
    if mention == other:
        n_clusters = len(set(numbers))
        return n_clusters < len(numbers), n_clusters > 1
    return (
        not set(numbers).isdisjoint(others),
        any(a != b for a, b in itertools.product(numbers, others)),
    )


def _pairs_within(numbers):
    return sum(map(_pairs, collections.Counter(numbers).values()))


def _pairs(n):
    return n * (n - 1) // 2


def _last_clusters(clusters):
    """From each mention to the number of the last cluster that it is in."""
    return {
        mention: number
        for number, cluster in enumerate(clusters)
        for mention in cluster
    }


def _all_clusters(clusters):
    """From each mention to the numbers of its clusters, with repetitions."""
    numbers = collections.defaultdict(list)
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            numbers[mention].append(number)
    return dict(numbers)
