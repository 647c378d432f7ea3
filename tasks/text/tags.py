"""Tags that mark runs of tokens such as names, one a token.

A tag is `O`, outside of any entity, or a prefix, a hyphen and the entity's
class, in one of three encodings:

*   `BIO` (IOB2): `B-` at an entity's first token, `I-` at its others.
*   `IOB1` (Ramshaw and Marcus 1995): `I-` at all tokens, but `B-` at the first
    one of an entity that directly follows another of the same class.
*   `BIOUL` (BILOU): `U-` at an entity's only token; else `B-` at the first,
    `L-` at the last and `I-` at those between. The letters of IOBES, `E-` for
    `L-` and `S-` for `U-`, are read too, but not written.
"""

import functools
import itertools

import numpy as np

from elmo_tf.errors import InputError
from tasks.text.span import Span

ENCODINGS = ("BIO", "IOB1", "BIOUL")

# The letters of each encoding. Of two, the first may stand anywhere and the
# second only after a tag of the same class.
_PREFIXES = {
    "BIO": ("B", "I"),
    "IOB1": ("I", "B"),
    "BIOUL": ("B", "I", "L", "U"),
}
_IOBES = {"E": "L", "S": "U"}
# A tag in two parts, as the functions below pass it: prefix and class. What
# may follow it is what may start a sentence; what it may follow, end one.
_OUTSIDE = ("O", "")


def read_spans(tags, encoding, place=None):
    """Reads the entities of a sentence whose tags must be valid.

    Args:
        tags: List of n tags.
        encoding: "BIO", "IOB1" or "BIOUL".
        place: A function from a tag's number, from 0 up, to where it stands,
            for the message; such as `ColumnSentence.place`.

    Returns:
        List of `Span`, in the order of the sentence.

    Raises:
        InputError: If something is not a tag, or not one that the encoding
            allows there; with the place.
    """
    _check_encoding(encoding)
    place = place or _place_in_list
    parsed = _parse_all(tags, place)
    for i, (before, tag) in enumerate(itertools.pairwise(_enclose(parsed))):
        if _may_follow(before, tag, encoding):
            continue
        found = tags[i] if i < len(tags) else "the end"
        after = f"after {tags[i - 1]}" if i else "at the start"
        raise InputError(
            f"{place(min(i, len(tags) - 1))}: found {found} {after}, expected "
            + _describe_followers(before, encoding)
        )
    return _spans(parsed)


def read_spans_leniently(tags, place=None):
    """Reads the entities of a sentence as the script conlleval does.

    No sequence of tags is invalid here. A new entity begins with `B-`, with
    another class, and after an `O`. The letters of BIOUL, which the script does
    not know, are read as they are meant: a new entity also begins with `U-`,
    and after `L-` and `U-`.

    Args:
        tags: List of n tags of any encoding.
        place: As in `read_spans`.

    Returns:
        List of `Span`, in the order of the sentence.

    Raises:
        InputError: If something is not a tag; with the place.
    """
    return _spans(_parse_all(tags, place or _place_in_list))


def write_tags(spans, length, encoding):
    """Writes the entities of a sentence as tags.

    Args:
        spans: List of `Span`, in any order.
        length: Number of tokens of the sentence.
        encoding: "BIO", "IOB1" or "BIOUL".

    Returns:
        List of length tags.

    Raises:
        ValueError: If two spans overlap, or if one has no token or is not
            inside the sentence.
    """
    _check_encoding(encoding)
    tags = ["O"] * length
    last = Span(label="", start=0, end=0)
    for span in sorted(spans, key=lambda span: span.start):
        label, start, end = span
        if not last.end <= start < end <= length:
            raise ValueError(
                f"found {span} after {last} in a sentence of {length} tokens, "
                "expected spans that are inside and do not overlap"
            )
        prefixes = _span_prefixes(
            end - start, last.label == label and last.end == start, encoding
        )
        tags[start:end] = [f"{prefix}-{label}" for prefix in prefixes]
        last = span
    return tags


def convert(tags, source, target, place=None):
    """Writes the tags of a sentence in another encoding.

    Args:
        tags: List of n tags, valid in the encoding source.
        source: "BIO", "IOB1" or "BIOUL".
        target: Likewise.
        place: As in `read_spans`.

    Returns:
        List of n tags.

    Raises:
        InputError: As `read_spans`.
    """
    return write_tags(read_spans(tags, source, place), len(tags), target)


def recognise_encoding(sequences):
    """Tells the encoding of a file's tags.

    Args:
        sequences: List of the sentences' tags, each a list.

    Returns:
        The encoding whose rules they break least often; where they break none
        the only such encoding, if there are entities at all, else "BIO".
    """
    n_broken = dict.fromkeys(ENCODINGS, 0)
    for tags in sequences:
        # What is not a tag is none in any encoding.
        parsed = [tag for tag in map(_parse, tags) if tag is not None]
        for pair in itertools.pairwise(_enclose(parsed)):
            for encoding in ENCODINGS:
                n_broken[encoding] += not _may_follow(*pair, encoding)
    return min(ENCODINGS, key=n_broken.get)


def tag_set(labels, encoding):
    """Lists all tags of some classes.

    Args:
        labels: The classes.
        encoding: "BIO", "IOB1" or "BIOUL".

    Returns:
        List of distinct tags: O, then those of each class, in the order given.
    """
    _check_encoding(encoding)
    return [
        "O",
        *(
            f"{prefix}-{label}"
            for label in labels
            for prefix in _PREFIXES[encoding]
        ),
    ]


def transition_mask(tags, encoding):
    """Tells which tag may follow which.

    Args:
        tags: List of n tags of the encoding.
        encoding: "BIO", "IOB1" or "BIOUL".

    Returns:
        Bool array `[n, n]`: may the tag of the row be followed by the tag of
        the column?

    Raises:
        InputError: If something is not a tag of the encoding.
    """
    parsed = _parse_set(tags, encoding)
    # [n, n]
    return np.array(
        [
            [_may_follow(first, second, encoding) for second in parsed]
            for first in parsed
        ]
    )


def start_mask(tags, encoding):
    """Tells which tags may start a sentence.

    Args:
        tags: As in `transition_mask`.
        encoding: Likewise.

    Returns:
        Bool array `[n]`.

    Raises:
        InputError: Likewise.
    """
    parsed = _parse_set(tags, encoding)
    return np.array([_may_follow(_OUTSIDE, tag, encoding) for tag in parsed])


def end_mask(tags, encoding):
    """Tells which tags may end a sentence.

    Args:
        tags: As in `transition_mask`.
        encoding: Likewise.

    Returns:
        Bool array `[n]`.

    Raises:
        InputError: Likewise.
    """
    parsed = _parse_set(tags, encoding)
    return np.array([_may_follow(tag, _OUTSIDE, encoding) for tag in parsed])


def _check_encoding(encoding):
    if encoding not in ENCODINGS:
        raise InputError(
            f"encoding: found {encoding!r}, expected one of "
            + ", ".join(ENCODINGS)
        )


def _place_in_list(token):
    return f"tag {token + 1}"


@functools.cache
def _parse(tag):
    """Returns a tag's prefix, one of O, B, I, L, U, and class; or None."""
    if tag == "O":
        return _OUTSIDE
    prefix, _, label = tag.partition("-")
    prefix = _IOBES.get(prefix, prefix)
    if prefix not in _PREFIXES["BIOUL"] or not label:
        return None
    return prefix, label


def _parse_all(tags, place):
    parsed = [_parse(tag) for tag in tags]
    if None in parsed:
        i = parsed.index(None)
        raise InputError(
            f"{place(i)}: found {tags[i]!r}, expected a tag: O, or one of "
            "B, I, L, U, E and S with a hyphen and a class"
        )
    return parsed


def _parse_set(tags, encoding):
    _check_encoding(encoding)
    parsed = _parse_all(tags, _place_in_list)
    for i, (prefix, _) in enumerate(parsed):
        if prefix not in ("O", *_PREFIXES[encoding]):
            raise InputError(
                f"{_place_in_list(i)}: found {tags[i]}, expected a tag of "
                f"{encoding}"
            )
    return parsed


def _enclose(parsed):
    """Returns a sentence's tags between those that start and end it."""
    return [_OUTSIDE, *parsed, _OUTSIDE]


def _followers(before, encoding):
    """Lists what may follow a tag: prefix and class, None for any class."""
    prefix, label = before
    if encoding == "BIOUL":
        if prefix in ("B", "I"):
            return [("I", label), ("L", label)]
        return [_OUTSIDE, ("B", None), ("U", None)]
    first, second = _PREFIXES[encoding]
    if prefix == "O":
        return [_OUTSIDE, (first, None)]
    return [_OUTSIDE, (first, None), (second, label)]


@functools.cache
def _may_follow(before, tag, encoding):
    followers = _followers(before, encoding)
    return tag in followers or (tag[0], None) in followers


def _describe_followers(before, encoding):
    *others, last = (
        prefix if prefix == "O" else f"{prefix}-{label or '…'}"
        for prefix, label in _followers(before, encoding)
    )
    return f"{', '.join(others)} or {last} in {encoding}"


def _spans(parsed):
    spans = []
    start = 0
    for i, (before, tag) in enumerate(itertools.pairwise(_enclose(parsed))):
        is_same_entity = (
            before[0] in ("B", "I")
            and tag[0] in ("I", "L")
            and before[1] == tag[1]
        )
        if not is_same_entity:
            if before != _OUTSIDE:
                spans.append(Span(before[1], start, i))
            start = i
    return spans


def _span_prefixes(length, follows_same_class, encoding):
    if encoding == "BIOUL":
        return "U" if length == 1 else "B" + "I" * (length - 2) + "L"
    is_marked = encoding == "BIO" or follows_same_class
    return ("B" if is_marked else "I") + "I" * (length - 1)
