"""The last column of CoNLL-2012: clusters of mentions as brackets.

Where a mention begins stands `(` and the number of its cluster, where it ends
the number and `)`, on the same token both: `(3)`. A token has any number of
these, with `|` between them.
"""

import collections
import re

from elmo_tf.errors import InputError

# What stands where no mention begins or ends; LitBank has `_`.
NOTHING = "-"
_NOTHING = (NOTHING, "_", "")
_PIECE = r"\([0-9]+\)?|[0-9]+\)"
_PIECES = re.compile(_PIECE)
# Some writers leave out the bars.
_CELL = re.compile(rf"(?:{_PIECE})(?:\|?(?:{_PIECE}))*")


def read_brackets(cells, place):
    """Reads the clusters of a document.

    Args:
        cells: What stands in the last column of each token, a list of str.
        place: A function from the number of a token to where it stands.

    Returns:
        A tuple of clusters, each a tuple of mentions `(first, last)`, in the
        order of the official scorer: clusters as their numbers occur (on one
        token first those of whole mentions, then of those that begin), and in
        a cluster the mentions as they end. Of a cluster's mentions that are
        open, the one that began last ends first.

    Raises:
        InputError: Something else than brackets stands there, or one is not
            opened or not closed.
    """
    clusters = collections.defaultdict(list)
    # The tokens that the open mentions of each cluster begin with.
    starts = collections.defaultdict(list)
    for token, cell in enumerate(cells):
        if cell in _NOTHING:
            continue
        if not _CELL.fullmatch(cell):
            raise InputError(
                f"{place(token)}: found {cell!r} in the last column, expected "
                f"brackets with numbers of clusters, as (3|(5), or {NOTHING}"
            )
        whole, opened, closed = [], [], []
        for piece in _PIECES.findall(cell):
            kind = closed
            if piece[0] == "(":
                kind = whole if piece[-1] == ")" else opened
            kind.append(piece.strip("()"))
        for number in whole:
            clusters[number].append((token, token))
        for number in opened:
            # The cluster's place in the order.
            clusters[number]
            starts[number].append(token)
        for number in closed:
            if not starts[number]:
                raise InputError(
                    f"{place(token)}: found {number}), expected ({number} "
                    "before it in the document"
                )
            clusters[number].append((starts[number].pop(), token))
    for number, open_starts in starts.items():
        if open_starts:
            raise InputError(
                f"{place(open_starts[-1])}: found ({number}, expected "
                f"{number}) after it in the document"
            )
    return tuple(map(tuple, clusters.values()))


def write_brackets(clusters, n_tokens, place):
    """Writes clusters as brackets.

    On a token, those that open stand first, that of the longest mention before
    the others, and those that close last, in the opposite order: where mentions
    do not cross, a reader that knows no numbers matches them too.

    Args:
        clusters: A sequence of clusters, each a sequence of mentions `(first,
            last)`. They get the numbers from 0 up.
        n_tokens: The number of tokens of the document.
        place: The document, for the message.

    Returns:
        A list of what stands in the last column of each token.

    Raises:
        InputError: Two mentions of a cluster cross, (1, 3) and (2, 4) or (3,
            4), say: no reader could tell where they end.
    """
    opened, whole, closed = ([[] for _ in range(n_tokens)] for _ in range(3))
    for number, cluster in enumerate(clusters):
        _check_no_crossing(cluster, place)
        for first, last in cluster:
            if first == last:
                whole[first].append(f"({number})")
            else:
                # The length to sort by.
                opened[first].append((last - first, number))
                closed[last].append((last - first, number))
    cells = []
    for token in range(n_tokens):
        pieces = [
            f"({number}"
            for _, number in sorted(
                opened[token], key=lambda piece: (-piece[0], piece[1])
            )
        ]
        pieces += whole[token]
        pieces += [
            f"{number})"
            for _, number in sorted(
                closed[token], key=lambda piece: (piece[0], -piece[1])
            )
        ]
        cells.append("|".join(pieces) or NOTHING)
    return cells


def _check_no_crossing(cluster, place):
    around = []
    for first, last in sorted(cluster, key=lambda span: (span[0], -span[1])):
        while around and around[-1][1] < first:
            around.pop()
        if around and around[-1][1] < last:
            raise InputError(
                f"{place}: found the mentions {list(around[-1])} and "
                f"{[first, last]} in one cluster, expected none that cross: "
                "brackets cannot tell which ends where"
            )
        around.append((first, last))
