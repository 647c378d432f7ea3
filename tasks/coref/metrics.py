"""Scores clusters as the reference scorer of CoNLL does, version 8.01.

    python -m tasks.coref.metrics KEY RESPONSE

reads two files of documents, CoNLL-2012's or JSON lines, plain or gzip, and
prints one JSON line: for each of

*   mentions, which spans were found at all,
*   muc (Vilain et al. 1995),
*   bcub, B³ (Bagga and Baldwin 1998),
*   ceafe and ceafm, CEAF by entities and by mentions (Luo 2005),
*   blanc (Recasens and Hovy 2011, for predicted mentions Luo et al. 2014),
*   lea (Moosavi and Strube 2016), which is no part of version 8.01,

a list of recall, precision and F1, and average_f1, the mean of the F1 of muc,
bcub and ceafe by which CoNLL-2012 ranked systems. All lie between 0 and 1; the
scorer prints them in percent, and cuts off digits.

The numerators and denominators of recall and precision are summed over the
documents; a share of nothing is 0. Where the words of a document are others than
in the key, a line on standard error says so. A mention of the key that the response
repeats counts where it stands first. All else that is repeated (a mention in
two clusters of the key, or one in the response that the key has not) counts as
it does for the scorer, which refuses a response that repeats more than ten
mentions of the key.
"""

import collections
import itertools
import sys

import numpy as np
from scipy.optimize import linear_sum_assignment

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.coref.data import read_documents

# Those whose F1 are averaged.
_AVERAGED = ("muc", "bcub", "ceafe")


def main(argv):
    _, key_path, response_path = argv
    key, response = map(read_documents, (key_path, response_path))
    scores = score_documents(key, response)
    for difference in find_differences(key, response):
        print(difference, file=sys.stderr)
    command_line.print_json(scores)


def score_documents(key, response):
    """Scores the clusters of documents.

    Args:
        key: A list of at least one `CorefDocument`, with the true clusters.
        response: A list of the same documents in any order, with other
            clusters.

    Returns:
        The dict of `score`.

    Raises:
        InputError: They are not the same documents, or one has not as many
            tokens on both sides. Which tokens makes no difference: those of the
            reference scorer's own test cases differ.
    """
    responses = {document.name: document for document in response}
    _check_names(responses, key, response)
    _check_names({document.name for document in key}, response, key)
    for document in key:
        _check_length(document, responses[document.name])
    return score(
        (document.clusters, responses[document.name].clusters)
        for document in key
    )


def find_differences(key, response):
    """Finds the documents whose words are not the same.

    Args:
        key: A list of `CorefDocument`.
        response: A list of the same documents in any order.

    Returns:
        A list of lines that say what is different, one a document.
    """
    responses = {document.name: document for document in response}
    lines = []
    for document in key:
        other = responses[document.name]
        tokens = list(zip(document.tokens, other.tokens, strict=True))
        different = [i for i, (a, b) in enumerate(tokens) if a != b]
        if different:
            expected, found = tokens[different[0]]
            lines.append(
                f"{other.place}: {len(different)} of {len(tokens)} tokens of "
                f"the document {document.name} are others than in "
                f"{document.place}: number {different[0]}, the first of them, "
                f"is {found!r}, not {expected!r}"
            )
    return lines


def score(documents):
    """Scores clusters of mentions.

    Args:
        documents: An iterable of pairs, a document's true clusters and those of
            the response: sequences of sequences of mentions. A mention is
            anything that can be hashed, the same on both sides if it is the
            same span.

    Returns:
        A dict from mentions, muc, bcub, ceafe, ceafm, blanc and lea to a list
        of recall, precision and F1, and from average_f1 to the mean of three of
        the F1 (see above); float.
    """
    # [4], or [2, 4] for coreference and other links: numerator and denominator
    # of recall, numerator and denominator of precision.
    totals = {
        "mentions": np.zeros(4),
        "muc": np.zeros(4),
        "bcub": np.zeros(4),
        "ceafe": np.zeros(4),
        "ceafm": np.zeros(4),
        "blanc": np.zeros((2, 4)),
        "lea": np.zeros(4),
    }
    for key, response in documents:
        key = [list(cluster) for cluster in key if cluster]
        response = _without_repeated(response, key)
        totals["mentions"] += _count_mentions(key, response)
        totals["muc"] += _count_muc(key, response)
        totals["bcub"] += _count_bcub(key, response)
        entities, mentions = _count_ceaf(key, response)
        totals["ceafe"] += entities
        totals["ceafm"] += mentions
        totals["blanc"] += _count_blanc(key, response)
        totals["lea"] += _count_lea(key, response)
    scores = {
        name: _blanc_rates(total) if name == "blanc" else _rates(total)
        for name, total in totals.items()
    }
    average = sum(scores[name][2] for name in _AVERAGED) / len(_AVERAGED)
    return {**scores, "average_f1": average}


def _check_names(names, others, documents):
    for other in others:
        if other.name not in names:
            raise InputError(
                f"{other.place}: found the document {other.name}, expected one "
                f"of the {len(documents)} that are in the file of "
                f"{documents[0].place}"
            )


def _check_length(key, response):
    n_found, n_expected = len(response.tokens), len(key.tokens)
    if n_found != n_expected:
        raise InputError(
            f"{response.place}: found {n_found} tokens in the document "
            f"{key.name}, expected {n_expected} as in {key.place}"
        )


def _without_repeated(response, key):
    """The response, with each mention of the key only where it stands first."""
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


def _count_mentions(key, response):
    expected, found = (
        set(itertools.chain.from_iterable(clusters))
        for clusters in (key, response)
    )
    n_common = len(expected & found)
    return np.array([n_common, len(expected), n_common, len(found)])


def _count_muc(key, response):
    key_cluster = _last_clusters(key)
    n_correct = 0
    for cluster in response:
        known = [key_cluster[m] for m in cluster if m in key_cluster]
        n_correct += len(known) - len(set(known))
    n_key, n_response = (
        sum(map(len, clusters)) - len(clusters) for clusters in (key, response)
    )
    return np.array([n_correct, n_key, n_correct, n_response])


def _count_bcub(key, response):
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


def _count_ceaf(key, response):
    """Returns the counts by entities and those by mentions."""
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


def _count_lea(key, response):
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


def _count_blanc(key, response):
    """Returns the counts of links within clusters and of those between them.

    Links are counted, not listed, where each of the two mentions stands in one
    cluster at most on either side. The few others the scorer takes as they
    come: a mention that is repeated in a cluster is linked to itself, and two
    mentions may have a link of either kind.
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


def _rates(total):
    recall, precision = _share(*total[:2]), _share(*total[2:])
    return [recall, precision, _f1(recall, precision)]


def _blanc_rates(totals):
    """The mean over both kinds of links, or those of the key's only kind."""
    # [2 kinds, 3]
    rates = np.array([_rates(total) for total in totals])
    in_key = totals[:, 1] > 0
    return rates[in_key].mean(axis=0).tolist() if in_key.any() else [0.0] * 3


def _share(part, whole):
    return float(part / whole) if whole else 0.0


def _f1(recall, precision):
    # In the scorer's order: each rounding must be the same.
    return (
        2 * precision * recall / (precision + recall)
        if precision + recall
        else 0.0
    )


if __name__ == "__main__":
    command_line.run(main, arguments=["KEY", "RESPONSE"])
