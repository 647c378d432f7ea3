"""Reads and writes the files of CoNLL-2012 (Pradhan et al. 2012).

A document, or each part of one, stands between `#begin document (NAME); part
000` and `#end document`, with blank lines between its sentences. A token's
line has columns, the first of which is the document's name, the fourth the
word, the tenth, of at least twelve, the speaker, and the last the clusters (see
`tasks.coref.brackets`). The others are neither read nor written.
"""

import os
import re

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.coref.brackets import read_brackets
from tasks.coref.brackets import write_brackets
from tasks.coref.coref_document import UNKNOWN_SPEAKER
from tasks.coref.coref_document import CorefDocument

_WORD_COLUMN = 3
_SPEAKER_COLUMN = 9
# With fewer columns there are no speakers, with fewer than five no words.
_LEAST_COLUMNS_WITH_SPEAKER = 12
_LEAST_COLUMNS_WITH_WORD = 5
# Stands for a word in files that have none; they can be scored still.
_NO_WORD = "-"

_EXPECTED = "#begin document (NAME); part 000"
_BEGIN = re.compile(r"#\s*begin document\b\s*(.*?)\s*")
_END = re.compile(r"#\s*end document\b.*")
_NAME = re.compile(r"\((.+)\)\s*(?:;\s*(?:part\s+([0-9]{1,9}))?)?")
# No other whitespace: a no-break space, for one, may be part of a token.
_SPACES = " \t"


def read_conll(path):
    """Reads a file of CoNLL-2012's format.

    Columns are separated by tabs where a line has one, else by spaces; empty
    ones at the end of a line do not count. Lines of two columns, without words,
    are read as well.

    Args:
        path: The file, plain or gzip.

    Returns:
        A list of `CorefDocument`, at least one, in the order of the file. A
        speaker that is not known is `-`. Clusters and mentions are in the order
        of `read_brackets`.

    Raises:
        InputError: The file cannot be read or holds no document, a document
            does not begin or end, a line has one column only or no word in its
            fourth, or brackets do not match; with the number of the line.
    """
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED)
    documents = []
    current = None
    for number, line in enumerate(shards.read_lines(path), start=1):
        line = line.decode()
        if current is None:
            begin = _BEGIN.fullmatch(line)
            if begin:
                current = _OpenDocument(path, number, begin[1])
            elif line.strip(_SPACES):
                raise InputError(
                    f"{path}:{number}: found {line!r}, expected {_EXPECTED}"
                )
        elif not line.startswith("#"):
            current.add(line, number)
        elif _END.fullmatch(line):
            documents.append(current.close())
            current = None
        else:
            raise InputError(
                f"{path}:{number}: found {line!r}, expected a token, a blank "
                f"line or #end document of {current.place}"
            )
    if current is not None:
        raise InputError(
            f"{current.place}: found no #end document after it, expected one"
        )
    if not documents:
        raise InputError(f"{path}: found no document, expected {_EXPECTED}")
    return documents


def write_conll(path, documents):
    """Writes documents to a file of CoNLL-2012's format.

    It has the twelve columns of a sentence without predicates, with tabs
    between them, as the official scorer expects; what is not known of a token
    is `-` or, where CoNLL-2012 has brackets, `*`.

    Args:
        path: The file to write.
        documents: `CorefDocument` objects.

    Raises:
        InputError: Two mentions of a cluster cross (see `write_brackets`), or a
            name, a token or a speaker is empty or has a tab or the end of a
            line in it.
    """
    with write_file(path) as partial:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                write_conll_document(file, document)


def write_conll_document(file, document):
    """Writes a document to a text file; see `write_conll`."""
    place = document.place or document.name
    _check_column(document.key, "name", place)
    cells = iter(write_brackets(document.clusters, len(document.tokens), place))
    part = "" if document.part is None else f" part {document.part:03d}"
    file.write(f"#begin document ({document.key});{part}\n")
    for tokens, speakers in zip(
        document.sentences, document.speakers, strict=True
    ):
        for number, (token, speaker) in enumerate(
            zip(tokens, speakers, strict=True)
        ):
            _check_column(token, "token", place)
            _check_column(speaker, "speaker", place)
            columns = [
                *(document.key, document.part or 0, number, token),
                # Part of speech, parse, lemma, frame set and sense.
                *("-", "*", "-", "-", "-"),
                # The speaker, the named entity and the clusters.
                *(speaker, "*", next(cells)),
            ]
            file.write("\t".join(map(str, columns)) + "\n")
        file.write("\n")
    file.write("#end document\n")


def _check_column(text, what, place):
    if not text or re.search(r"[\t\n\r]", text):
        raise InputError(
            f"{place}: found the {what} {text!r}, expected one that can stand "
            "in a column: not empty, without a tab or the end of a line"
        )


class _OpenDocument:
    """What has been read of a document."""

    def __init__(self, path, number, name):
        self._path = path
        self.place = f"{path}:{number}"
        match = _NAME.fullmatch(name)
        if not match:
            raise InputError(
                f"{self.place}: found {name!r} after #begin document, expected "
                "(NAME); part 000"
            )
        self._key = match[1]
        self._part = None if match[2] is None else int(match[2])
        # For each sentence its tokens and their speakers.
        self._sentences = [([], [])]
        # For each token its last column, and its line.
        self._cells = []
        self._numbers = []

    def add(self, line, number):
        """Takes a line that is blank or a token."""
        line = line.rstrip(_SPACES)
        if not line:
            self._sentences.append(([], []))
            return
        columns = re.split("\t" if "\t" in line else " +", line.lstrip(" "))
        if len(columns) < 2:
            raise InputError(
                f"{self._path}:{number}: found {line!r}, expected columns, the "
                "first with the document's name and the last with clusters"
            )
        tokens, speakers = self._sentences[-1]
        has_word = len(columns) >= _LEAST_COLUMNS_WITH_WORD
        token = columns[_WORD_COLUMN] if has_word else _NO_WORD
        if not token:
            raise InputError(
                f"{self._path}:{number}: found nothing in column "
                f"{_WORD_COLUMN + 1}, expected a word"
            )
        tokens.append(token)
        has_speaker = len(columns) >= _LEAST_COLUMNS_WITH_SPEAKER
        speaker = columns[_SPEAKER_COLUMN] if has_speaker else UNKNOWN_SPEAKER
        speakers.append(UNKNOWN_SPEAKER if speaker in ("_", "") else speaker)
        self._cells.append(columns[-1])
        self._numbers.append(number)

    def close(self):
        """Returns the `CorefDocument`."""
        clusters = read_brackets(
            self._cells, lambda token: f"{self._path}:{self._numbers[token]}"
        )
        sentences = [pair for pair in self._sentences if pair[0]]
        return CorefDocument(
            key=self._key,
            part=self._part,
            sentences=tuple(tuple(tokens) for tokens, _ in sentences),
            speakers=tuple(tuple(speakers) for _, speakers in sentences),
            clusters=clusters,
            place=self.place,
        )
