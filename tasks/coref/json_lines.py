"""Reads and writes the JSON lines of e2e-coref (Lee et al. 2017).

A line is an object with `doc_key`, a document's name and part; `sentences`, a
list of lists of tokens; `speakers`, lists of the same lengths; and `clusters`,
lists of mentions `[first, last]`, the numbers of their first and last token in
the document, from 0 up. What stands under other names, such as `constituents`,
is kept as it is.
"""

import json
import os
import re

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.coref.coref_document import UNKNOWN_SPEAKER
from tasks.coref.coref_document import CorefDocument

_EXPECTED = "one JSON object a line, with doc_key, sentences and clusters"
_NAMES = frozenset({"doc_key", "sentences", "speakers", "clusters"})
# Not `train_00001`: it would not be written as it was.
_NAME = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})")


def read_json_lines(path):
    """Reads a file of e2e-coref's JSON lines.

    Args:
        path: The file, plain or gzip. Without `speakers`, or where a speaker is
            an empty text, the speaker is not known; without `clusters` there
            are none.

    Returns:
        A list of `CorefDocument`, at least one, in the order of the file.

    Raises:
        InputError: The file cannot be read or holds no document, or a line is
            not of that format; with the number of the line.
    """
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED)
    documents = []
    for number, line in enumerate(shards.read_lines(path), start=1):
        if line.strip():
            documents.append(_read_document(line, f"{path}:{number}"))
    if not documents:
        raise InputError(f"{path}: found no document, expected {_EXPECTED}")
    return documents


def write_json_lines(path, documents):
    """Writes documents to a file of e2e-coref's JSON lines.

    Args:
        path: The file to write.
        documents: `CorefDocument` objects.
    """
    with write_file(path) as partial:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                write_json_document(file, document)


def write_json_document(file, document):
    """Writes a document to a text file, a line of JSON."""
    values = {
        "doc_key": document.name,
        "sentences": document.sentences,
        "speakers": document.speakers,
        "clusters": document.clusters,
        **document.others,
    }
    file.write(json.dumps(values, ensure_ascii=False) + "\n")


def _read_document(line, place):
    try:
        # As text: JSON's reader would take bytes with zeros for UTF-16.
        values = json.loads(line.decode())
    except json.JSONDecodeError as error:
        raise InputError(
            f"{place}: found no JSON ({error.msg} at position {error.pos + 1} "
            f"of the line), expected {_EXPECTED}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise InputError(
            f"{place}: found no JSON ({error}), expected {_EXPECTED}"
        ) from None
    if not isinstance(values, dict):
        raise InputError(
            f"{place}: found {_shortened(values)}, expected {_EXPECTED}"
        )
    _check_characters(values, place)
    name = values.get("doc_key")
    if not isinstance(name, str) or not name:
        raise InputError(
            f"{place}: doc_key: found {_shortened(name)}, expected a name"
        )
    sentences = _read_rows(values.get("sentences"), f"{place}: sentences")
    for i, sentence in enumerate(sentences):
        if not sentence or "" in sentence:
            raise InputError(
                f"{place}: sentences: found {_shortened(list(sentence))} as "
                f"number {i + 1}, expected tokens that are not empty"
            )
    speakers = _read_speakers(values.get("speakers"), sentences, place)
    match = _NAME.fullmatch(name)
    key, part = (match[1], int(match[2])) if match else (name, None)
    return CorefDocument(
        key=key,
        part=part,
        sentences=sentences,
        speakers=speakers,
        clusters=_read_clusters(
            values.get("clusters", []), sum(map(len, sentences)), place
        ),
        place=place,
        others={
            name: value for name, value in values.items() if name not in _NAMES
        },
    )


def _check_characters(values, place):
    """No file can hold the half of a pair that JSON can write as an escape."""
    try:
        text = json.dumps(values, ensure_ascii=False)
    except RecursionError as error:
        raise InputError(
            f"{place}: nested too deeply ({error}), expected {_EXPECTED}"
        ) from None
    half = next((c for c in text if "\ud800" <= c <= "\udfff"), None)
    if half is not None:
        raise InputError(
            f"{place}: found the character \\u{ord(half):x} by itself, "
            "expected a pair of them"
        )


def _read_speakers(rows, sentences, place):
    if rows is None:
        rows = [[UNKNOWN_SPEAKER] * len(sentence) for sentence in sentences]
    speakers = _read_rows(rows, f"{place}: speakers")
    found, expected = ([*map(len, rows)] for rows in (speakers, sentences))
    if found != expected:
        raise InputError(
            f"{place}: speakers: found lists of the lengths "
            f"{_shortened(found)}, expected those of the sentences, "
            f"{_shortened(expected)}"
        )
    return tuple(
        tuple(speaker or UNKNOWN_SPEAKER for speaker in row) for row in speakers
    )


def _read_rows(rows, place):
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and all(isinstance(text, str) for text in row)
        for row in rows
    ):
        raise InputError(
            f"{place}: found {_shortened(rows)}, expected a list of lists of "
            "texts"
        )
    return tuple(map(tuple, rows))


def _read_clusters(clusters, n_tokens, place):
    if not isinstance(clusters, list) or not all(
        isinstance(cluster, list) for cluster in clusters
    ):
        raise InputError(
            f"{place}: clusters: found {_shortened(clusters)}, expected a list "
            "of lists of mentions"
        )
    for cluster in clusters:
        for mention in cluster:
            if not (
                isinstance(mention, list)
                and len(mention) == 2
                # Not bool, a kind of int.
                and all(type(token) is int for token in mention)
                and 0 <= mention[0] <= mention[1] < n_tokens
            ):
                raise InputError(
                    f"{place}: clusters: found the mention "
                    f"{_shortened(mention)}, expected the numbers of a first "
                    f"and a last token, from 0 to {n_tokens - 1}"
                )
    return tuple(tuple(map(tuple, cluster)) for cluster in clusters)


def _shortened(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
