"""Reads the column files of the CoNLL shared tasks.

A line holds a token and what is said about it, in columns; a blank line ends a
sentence. The formats differ in what separates columns, in what begins a
document and in whether there are comments:

*   CoNLL-2000, CoNLL-2003, WNUT-17: a space or a tab; documents begin with a
    line `-DOCSTART-` or are not marked; no comments: `#` is a token.
*   CoNLL-2005, CoNLL-2012: runs of spaces or a tab; the number of columns
    differs from sentence to sentence; in 2012, lines with `#` in front are no
    tokens, and `#begin document` begins one.
*   CoNLL-U: a tab; comments with `#` in front, among them `# newdoc`.
"""

import itertools
import os
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.text.column_sentence import ColumnSentence
from tasks.text.column_sentence import describe_columns

_EXPECTED = "one token a line and blank lines between sentences"
_DOCUMENT_COMMENT = re.compile(r"#begin document\b|# newdoc\b")
# No other whitespace: a no-break space, for one, may be part of a token.
_SPACES = " \t"


def read_sentences(
    path,
    *,
    delimiter=None,
    document_start="-DOCSTART-",
    comments=False,
    columns_vary=False,
):
    """Reads a column file sentence by sentence.

    Args:
        path: The file, plain or gzip (told by its content), UTF-8.
        delimiter: What stands between two columns. None: a tab if there is one
            in the file's first line with columns, else any number of spaces
            and tabs. At a tab, and at a delimiter that is given, a column may
            be empty; a line of empty columns is blank.
        document_start: What stands in the first column of a line that is not a
            token, but ends a sentence and begins a document; None: no line is
            such.
        comments: Whether lines that begin with `#` are comments, not tokens.
            Those by which CoNLL-2012 and CoNLL-U begin a document do so.
        columns_vary: Whether the number of columns may differ from sentence to
            sentence.

    Yields:
        `ColumnSentence`, in the file's order, none of them empty. A document
        without sentences is not counted.

    Raises:
        InputError: If the delimiter is empty, if the file cannot be read (see
            `shards.read_blocks`) or holds no token, or if a line does not have
            as many columns as the file's first (with columns_vary, as the
            sentence's first); with the number of the line.
    """
    if delimiter == "":
        raise InputError(
            "delimiter: found nothing, expected what stands between two columns"
        )
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED)
    rows, numbers, remarks = [], [], []
    # Sentences so far, and how many of them stand before the document.
    n_sentences = n_before = document = 0
    document_line = None
    lines = _read_rows(path, delimiter, document_start, comments, columns_vary)
    end = None, (), None
    for number, row, text in itertools.chain(lines, [end]):
        if row:
            rows.append(row)
            numbers.append(number)
            continue
        if row is None:
            remarks.append(text)
            continue
        if rows:
            yield ColumnSentence(
                path,
                tuple(rows),
                tuple(numbers),
                document,
                document_line,
                tuple(remarks),
            )
            n_sentences += 1
            rows, numbers, remarks = [], [], []
        if text is not None:
            document_line = text
            if comments:
                remarks.append(text)
            if n_sentences > n_before:
                n_before = n_sentences
                document += 1
    if not n_sentences:
        raise InputError(f"{path}: found no token, expected {_EXPECTED}")


def _read_rows(path, delimiter, document_start, comments, columns_vary):
    """Yields each line's number, columns, and text if that may be of use.

    A blank line and one that begins a document have no columns: (). A comment
    that does not begin one has None in their place.
    """
    is_delimiter_known = delimiter is not None
    # How many columns each line should have, and the line that says so.
    n_columns = first = None
    for number, line in enumerate(shards.read_lines(path), start=1):
        line = line.decode()
        if comments and line.startswith("#"):
            is_document_start = _DOCUMENT_COMMENT.match(line) is not None
            if not is_document_start:
                yield number, None, line
                continue
            row = ()
        else:
            if not is_delimiter_known:
                delimiter = "\t" if "\t" in line else None
            row = _split(line, delimiter)
            is_document_start = row[0] == document_start
        if is_document_start or not any(row):
            if columns_vary:
                n_columns = None
            yield number, (), line if is_document_start else None
            continue
        is_delimiter_known = True
        if n_columns is None:
            n_columns, first = len(row), number
        elif len(row) != n_columns:
            raise InputError(
                f"{path}:{number}: found {describe_columns(len(row))}, "
                f"expected {n_columns} as in line {first}, with "
                f"{_describe_delimiter(delimiter)} between them"
            )
        yield number, row, None


def _split(line, delimiter):
    """Returns a tuple of columns; blank lines have none that is not empty."""
    if delimiter is None or not line.strip(_SPACES):
        return tuple(re.split(f"[{_SPACES}]+", line.strip(_SPACES)))
    return tuple(line.split(delimiter))


def _describe_delimiter(delimiter):
    if delimiter is None:
        return "spaces or tabs"
    return "a tab" if delimiter == "\t" else repr(delimiter)
