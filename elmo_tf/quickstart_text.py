"""The text of the quickstart: the documentation that comes with Python."""

import os
import re
from pydoc_data.topics import topics

from elmo_tf.atomic_file import write_file
from elmo_tf.text.sentences import break_sentences
from elmo_tf.text.tokenizer import tokenize

TRAIN_FILE_NAME = "train.txt"
HELDOUT_FILE_NAME = "heldout.txt"

# Every so many topics one is held out, of the topics ordered by length: the
# held-out ones are a tenth of the topics, and about a tenth of the text.
_HELDOUT_EVERY = 10
_HELDOUT_PHASE = 4

_BLANK_LINES = re.compile(r"\n\s*\n")
_UNDERLINE = re.compile(r"\n[^\w\s]{3,}$")
_EMPHASIS = re.compile(r"\*(\w|\w[\w\s-]*\w)\*")
# Grammar, interactive sessions and tables are no running text.
_NOT_TEXT = re.compile(r"::=|>>>|^[|+]")


def write_corpus(folder):
    """Writes Python's documentation as text to train on and held-out text.

    The topics of `pydoc_data.topics` are split into the two. A paragraph that
    stands in several topics is taken once, in the training text if it is one
    of these.

    Args:
        folder: Where to write `train.txt` and `heldout.txt`, one tokenised
            sentence a line.

    Returns:
        A list of the paths of the two files.
    """
    by_length = sorted(topics, key=lambda name: (-len(topics[name]), name))
    heldout = by_length[_HELDOUT_PHASE::_HELDOUT_EVERY]
    train = [name for name in by_length if name not in heldout]
    seen = set()
    paths = []
    for file_name, names in (
        (TRAIN_FILE_NAME, train),
        (HELDOUT_FILE_NAME, heldout),
    ):
        paragraphs = [
            paragraph
            for name in names
            for paragraph in _paragraphs(topics[name])
            if paragraph not in seen and not seen.add(paragraph)
        ]
        paths.append(os.path.join(folder, file_name))
        _write_sentences(paths[-1], paragraphs)
    return paths


def _paragraphs(text):
    """Yields the paragraphs of a topic, without marks of reStructuredText."""
    for paragraph in _BLANK_LINES.split(text):
        paragraph = _UNDERLINE.sub("", paragraph.rstrip())
        paragraph = " ".join(paragraph.split()).removeprefix("* ")
        if not _NOT_TEXT.search(paragraph):
            yield _EMPHASIS.sub(r"\1", paragraph)


def _write_sentences(path, paragraphs):
    sentences = [
        sentence
        for broken in break_sentences(paragraphs)
        for sentence in broken
    ]
    tokens = tokenize(sentences, "penn_treebank").to_list()
    with write_file(path) as partial, open(partial, "wb") as file:
        file.writelines(b" ".join(sentence) + b"\n" for sentence in tokens)
