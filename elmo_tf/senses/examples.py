"""Sentences with ambiguous words, written for the probe and labelled."""

import csv
import pathlib

from elmo_tf.senses.occurrence import Occurrence
from elmo_tf.text.tokenizer import tokenize

EXAMPLES_FILE = pathlib.Path(__file__).parent / "examples.tsv"


def read_sentences(path=EXAMPLES_FILE):
    """Reads the sentences of such a list alone.

    Args:
        path: As for `read_examples`.

    Returns:
        A list of raw sentences, in the order of the file.
    """
    return [row["sentence"] for row in _read_rows(path)]


def read_examples(path=EXAMPLES_FILE):
    """Reads a list of labelled sentences.

    Args:
        path: A file of the columns word, sense and sentence, with tabs between
            them and a head line. The sentences are raw; the word stands in each
            once.

    Returns:
        A list of `Occurrence`, in the order of the file.
    """
    rows = _read_rows(path)
    sentences = tokenize([row["sentence"] for row in rows], "penn_treebank")
    occurrences = []
    for row, tokens in zip(rows, sentences.to_list(), strict=True):
        tokens = tuple(token.decode("utf-8") for token in tokens)
        occurrences.append(
            Occurrence(
                row["word"], row["sense"], tokens, tokens.index(row["word"])
            )
        )
    return occurrences


def _read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))
