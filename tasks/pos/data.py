"""Files with parts of speech.

Which of four formats a file has is told from how it begins:

*   CoNLL-U, the format of Universal Dependencies (ten columns with tabs between
    them). Lines of multiword tokens (`1-2`) and of empty nodes (`1.1`) are no
    words.
*   Trees or tagged text of the Penn Treebank: see `tasks.pos.treebank_files`.
*   A word a line, its tag in the second column, as `tasks.predict` writes them
    and as CoNLL-2000 and CoNLL-2003 have them.
"""

import itertools
import os
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.pos.tagged_sentence import TaggedSentence
from tasks.pos.treebank_files import is_rule
from tasks.pos.treebank_files import read_tagged_file
from tasks.pos.treebank_files import read_tree_file
from tasks.text.column_file import read_sentences
from tasks.text.column_sentence import describe_columns
from tasks.text.treebank_words import word_rows

_EXPECTED = "tagged words"
_N_LINES = 20
_TREE_START = re.compile(r"\(\s*[^\s()]*\s*\(")
# Of CoNLL-U.
_N_COLUMNS = 10
_ID, _WORD = 0, 1
_TAG_COLUMNS = {"upos": 3, "xpos": 4}
_ANY_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_NOTHING = "_"


def read_examples(path, column):
    """Reads tagged sentences.

    Args:
        path: A file, plain or gzip, in one of the formats above, or several: a
            glob, or with commas between them.
        column: Which tags of a CoNLL-U file: "upos" or "xpos".

    Returns:
        A list of `TaggedSentence`, at least one.

    Raises:
        InputError: A file cannot be read, or a word has no tag; with the line.
    """
    return [
        example
        for file in shards.list_shards(path, _EXPECTED)
        for example in _read_file(file, column)
    ]


def read_sentences_to_tag(path):
    """Reads sentences whose tags are not used, and may be missing.

    Args:
        path: As for `read_examples`; of a file with a word a line the second
            column may be missing.

    Returns:
        A list of `TaggedSentence` without tags, at least one.

    Raises:
        InputError: A file cannot be read; with the line.
    """
    return [
        example
        for file in shards.list_shards(path, _EXPECTED)
        for example in _read_file(file, None)
    ]


def write_examples(examples, predictions, column, file):
    """Writes sentences with predicted tags.

    Args:
        examples: A list of `TaggedSentence`.
        predictions: Each one's predicted tags.
        column: Which column of a CoNLL-U file they go to: "upos" or "xpos".
        file: A text file. Of a CoNLL-U file it gets all that stands there but
            this column. Of other files it gets a line with word and tag, a tab
            between them, for each word, and a blank line after each sentence.
    """
    for example, tags in zip(examples, predictions, strict=True):
        if example.sentence is None:
            rows = zip(example.tokens, tags, strict=True)
        else:
            rows = [list(row) for row in example.sentence.rows]
            for number, tag in zip(example.row_numbers, tags, strict=True):
                rows[number][_TAG_COLUMNS[column]] = tag
            for comment in example.sentence.comments:
                file.write(f"{comment}\n")
        for row in rows:
            file.write("\t".join(row) + "\n")
        file.write("\n")


def _read_file(path, column):
    """The sentences of a file; with column=None without tags."""
    path = os.fspath(path)
    kind = _recognise(path)
    if kind == "conllu":
        return _read_conllu(path, column)
    if kind == "columns":
        return [
            TaggedSentence(
                tuple(sentence.column(0)),
                None if column is None else tuple(sentence.column(1)),
            )
            for sentence in read_sentences(path)
        ]
    read = read_tree_file if kind == "trees" else read_tagged_file
    sentences = read(path)
    if column is None:
        sentences = [
            TaggedSentence(sentence.tokens, None) for sentence in sentences
        ]
    return sentences


def _recognise(path):
    """The format of a file: "conllu", "trees", "tagged" or "columns"."""
    lines = (line.decode() for line in shards.read_lines(path))
    lines = list(itertools.islice(filter(str.strip, lines), _N_LINES))
    if _TREE_START.match("\n".join(lines).lstrip()):
        return "trees"
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    row = next(rows, None)
    # No other format has that many comments. CoNLL-U Plus, with more columns,
    # is CoNLL-U with a mistake.
    if row is None or (
        len(row) >= _N_COLUMNS and _ANY_ID.fullmatch(row[_ID]) is not None
    ):
        return "conllu"
    if all(map(_is_tagged_line, lines)):
        return "tagged"
    return "columns"


def _is_tagged_line(line):
    parts = line.split()
    return is_rule(parts) or all(
        part in ("[", "]") or 0 < part.rfind("/") < len(part) - 1
        for part in parts
    )


def _read_conllu(path, column):
    examples = []
    for sentence in read_sentences(
        path, delimiter="\t", document_start=None, comments=True
    ):
        n_columns = len(sentence.rows[0])
        if n_columns != _N_COLUMNS:
            raise InputError(
                f"{sentence.place(0)}: found {describe_columns(n_columns)}, "
                f"expected the {_N_COLUMNS} of CoNLL-U"
            )
        row_numbers = word_rows(sentence)
        words = sentence.column(_WORD)
        tags = None
        if column is not None:
            tags = _tags(sentence, row_numbers, column)
        examples.append(
            TaggedSentence(
                tuple(words[number] for number in row_numbers),
                tags,
                row_numbers,
                sentence,
            )
        )
    return examples


def _tags(sentence, row_numbers, column):
    tags = tuple(
        sentence.rows[number][_TAG_COLUMNS[column]] for number in row_numbers
    )
    for number, tag in zip(row_numbers, tags, strict=True):
        if tag in (_NOTHING, ""):
            raise InputError(
                f"{sentence.place(number)}: found no {column.upper()} of "
                f"{sentence.rows[number][_WORD]!r}, expected one; which tags "
                "are read is task.column"
            )
    return tags
