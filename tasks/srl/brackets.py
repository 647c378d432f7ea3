"""Spans as brackets around an asterisk, one column of a CoNLL file.

    (ARG0*   the first of several tokens
    *        a token inside or outside
    *)       the last one
    (V*)     the only one

Spans may contain others: `(ARG1*(ARG0*)` is not one token's, but `((`, as in
`(ARG1(ARG0*`, and `*))` are. Behind the asterisk the label may be repeated, as
in `*ARG0)`, the form of CoNLL-2004.
"""

import re

from elmo_tf.errors import InputError
from tasks.text.span import Span

_OPENING = re.compile(r"\(([^()*]+)")
_CLOSING = re.compile(r"([^()*]*)\)")
_CELL = re.compile(rf"((?:{_OPENING.pattern})*)\*((?:{_CLOSING.pattern})*)")


def is_cell(text):
    """Whether a text is a cell of such a column."""
    return _CELL.fullmatch(text) is not None


def read_brackets(cells, place, column):
    """Reads the spans of a column.

    Args:
        cells: A sequence of n str.
        place: A function from a token's number, from 0 up, to where it stands,
            for the message; such as `ColumnSentence.place`.
        column: The column's number, from 1 up, likewise.

    Returns:
        A tuple of `Span`, in the order in which they open.

    Raises:
        InputError: If something is not a cell of such a column, or if the
            brackets do not match; with the place.
    """
    spans = []
    # The numbers of the spans that are open.
    opened = []
    for token, cell in enumerate(cells):
        match = _CELL.fullmatch(cell)
        if match is None:
            raise InputError(
                f"{place(token)}: found {cell!r} in column {column}, expected "
                "an asterisk between brackets, such as (ARG0*, *, *) or (V*)"
            )
        before, after = cell.split("*")
        for label in _OPENING.findall(before):
            opened.append(len(spans))
            spans.append(Span(label, token, token))
        for label in _CLOSING.findall(after):
            if not opened:
                raise InputError(
                    f"{place(token)}: found {cell!r} in column {column}, "
                    "expected no closing bracket, as none is open"
                )
            number = opened.pop()
            span = spans[number]
            if label not in ("", span.label):
                raise InputError(
                    f"{place(token)}: found {cell!r} in column {column}, "
                    f"expected the end of ({span.label}"
                )
            spans[number] = span._replace(end=token + 1)
    if opened:
        span = spans[opened[-1]]
        raise InputError(
            f"{place(span.start)}: found ({span.label} in column {column}, "
            "expected a closing bracket before the sentence ends"
        )
    return tuple(spans)


def write_brackets(spans, length):
    """Writes spans as a column.

    Args:
        spans: A sequence of `Span`. Of two with the same tokens, the first is
            taken to contain the second.
        length: The number of tokens of the sentence.

    Returns:
        A list of length str, those that `read_brackets` reads.

    Raises:
        ValueError: If a span has no token or is not inside the sentence, or if
            one overlaps another and neither contains the other.
    """
    opening = [""] * length
    closing = [""] * length
    opened = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while opened and opened[-1].end <= span.start:
            opened.pop()
        limit = opened[-1].end if opened else length
        if not 0 <= span.start < span.end <= limit:
            raise ValueError(
                f"found {span} in a sentence of {length} tokens, expected "
                "spans that are inside and contain each other or do not touch"
            )
        opened.append(span)
        opening[span.start] += f"({span.label}"
        closing[span.end - 1] += ")"
    return [
        f"{before}*{after}"
        for before, after in zip(opening, closing, strict=True)
    ]
