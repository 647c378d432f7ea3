"""The files of coreference resolution: CoNLL-2012's and JSON lines."""

import os

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.coref.conll_file import read_conll
from tasks.coref.conll_file import write_conll
from tasks.coref.conll_file import write_conll_document
from tasks.coref.json_lines import read_json_lines
from tasks.coref.json_lines import write_json_document
from tasks.coref.json_lines import write_json_lines

_EXPECTED = "documents in CoNLL-2012's format or JSON lines"
# By the end of the file's name.
_WRITERS = {
    "conll": write_conll,
    ".jsonl": write_json_lines,
    ".jsonlines": write_json_lines,
}
_JSON_ENDINGS = (".jsonl", ".jsonlines")


def read_documents(input_path):
    """Reads documents, and tells the format of their files from the content.

    Args:
        input_path: A path or glob, several of them separated by commas, or a
            list of them (see `shards.list_shards`); each file as `read_conll`
            or `read_json_lines` takes it.

    Returns:
        A list of `CorefDocument`, at least one, in the order of the sorted
        files.

    Raises:
        InputError: As in these functions, or two documents have the same name
            and part.
    """
    documents = []
    for path in shards.list_shards(input_path, _EXPECTED):
        read = read_json_lines if _is_json(path) else read_conll
        documents.extend(read(path))
    places = {}
    for document in documents:
        other = places.setdefault(document.name, document.place)
        if other != document.place:
            raise InputError(
                f"{document.place}: found the document {document.name}, "
                f"expected each once: it stands in {other} too"
            )
    return documents


def find_writer(path):
    """Tells from a file's name how to write documents to it.

    Args:
        path: The name of the file to write.

    Returns:
        A function of the path and the documents, `write_conll` where the name
        ends in conll, as `test.conll` and `test.v4_gold_conll`, and
        `write_json_lines` where it ends in `.jsonl` or `.jsonlines`.

    Raises:
        InputError: It ends otherwise.
    """
    for ending, writer in _WRITERS.items():
        if os.fspath(path).endswith(ending):
            return writer
    raise InputError(
        f"{path}: expected a name that ends in {', '.join(_WRITERS)}"
    )


def find_document_writer(path):
    """Tells from a file's name how to write predictions to it.

    Args:
        path: The name of the file to write.

    Returns:
        A function of an open text file and a document: `write_json_document`
        where the name ends in `.jsonl` or `.jsonlines`, else
        `write_conll_document`.
    """
    if os.fspath(path).endswith(_JSON_ENDINGS):
        return write_json_document
    return write_conll_document


def count_documents(documents):
    """Counts what some documents hold.

    Args:
        documents: `CorefDocument` objects.

    Returns:
        A dict from documents, sentences, tokens, clusters and mentions to their
        numbers.
    """
    return {
        "documents": len(documents),
        "sentences": sum(len(document.sentences) for document in documents),
        "tokens": sum(len(document.tokens) for document in documents),
        "clusters": sum(len(document.clusters) for document in documents),
        "mentions": sum(
            len(cluster)
            for document in documents
            for cluster in document.clusters
        ),
    }


def _is_json(path):
    first = next(
        (line for line in shards.read_lines(path) if line.strip()), b""
    )
    return first.lstrip().startswith(b"{")
