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
documents; a share of nothing is 0. A mention of the key that the response
repeats counts where it stands first. All else that is repeated (a mention in
two clusters of the key, or one in the response that the key has not) counts as
it does for the scorer, which refuses a response that repeats more than ten
mentions of the key. Where the words of a document are others than in the key, a
line on standard error says so.
"""

import sys

import numpy as np

from elmo_tf import command_line
from elmo_tf.errors import InputError
from tasks.coref import counts
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
        response = counts.without_repeated(response, key)
        totals["mentions"] += counts.count_mentions(key, response)
        totals["muc"] += counts.count_muc(key, response)
        totals["bcub"] += counts.count_bcub(key, response)
        entities, mentions = counts.count_ceaf(key, response)
        totals["ceafe"] += entities
        totals["ceafm"] += mentions
        totals["blanc"] += counts.count_blanc(key, response)
        totals["lea"] += counts.count_lea(key, response)
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
