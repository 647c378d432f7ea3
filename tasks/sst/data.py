"""The trees of the Stanford Sentiment Treebank.

A line holds a sentence as a tree, each phrase of which has a label from 0, very
negative, to 4, very positive:

    (3 (2 It) (4 (4 (2 's) (4 (2 a) (3 treat))) (2 .)))
"""

import dataclasses
import json
import os
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.text.bracketed_trees import read_trees
from tasks.text.treebank_escapes import unescape

# The labels by name, and which of them each of the trees' five stands for;
# None: its phrases are left out.
LABELS = {
    "fine": (
        "very negative",
        "negative",
        "neutral",
        "positive",
        "very positive",
    ),
    "binary": ("negative", "positive"),
}
_LABEL_OF = {
    "fine": LABELS["fine"],
    "binary": ("negative", "negative", None, "positive", "positive"),
}

_EXAMPLE = "(3 (2 It) (4 works))"
_EXPECTED = f"one tree a line, as {_EXAMPLE}"
_EXPECTED_TEXT = f"one sentence a line, or {_EXPECTED}"
_TREE_START = re.compile(r"\([0-4][ (]")
_DIGITS = ("0", "1", "2", "3", "4")


@dataclasses.dataclass(frozen=True)
class SSTExample:
    """A sentence or a phrase, and its sentiment.

    Attributes:
        tokens: A tuple of its words, at least one.
        label: One of `LABELS`; None if it was not asked for.
    """

    tokens: tuple
    label: str | None


def read_examples(path, labels, min_phrase_length=None):
    """Reads labelled sentences, and their phrases if asked to.

    The Penn Treebank's escapes are undone (`-LRB-` is `(`, `\\/` is `/`), since
    the text that word vectors and biLMs come from mostly has none; AllenNLP
    leaves them. A phrase that occurs in several sentences is an example each
    time, as it is for AllenNLP: how often people write it is part of the data.
    (Of the training data's phrases of four or more words, one in 230 repeats
    another.)

    Args:
        path: A file of trees, plain or gzip.
        labels: "fine" for all five, "binary" for negative and positive, where
            neutral ones are left out.
        min_phrase_length: From how many words on a phrase is an example, the
            whole sentence among them; None: whole sentences only, all of them.

    Returns:
        A list of `SSTExample`, at least one, in the order of the file; of a
        tree, a phrase after those in it.

    Raises:
        InputError: The file cannot be read or has no such example, or a line
            is neither blank nor a tree; the message names the line.
    """
    examples = [
        SSTExample(tokens, _LABEL_OF[labels][digit])
        for tree in _read_trees(path)
        for digit, tokens in (tree if min_phrase_length else tree[-1:])
        if len(tokens) >= (min_phrase_length or 1)
        and _LABEL_OF[labels][digit] is not None
    ]
    if not examples:
        found = (
            f"phrase of {min_phrase_length} or more words"
            if min_phrase_length
            else "sentence"
        )
        if labels == "binary":
            found += " that is not neutral"
        raise InputError(f"{path}: found no {found}, expected some")
    return examples


def read_sentences_to_label(path):
    """Reads sentences whose labels are not used.

    Args:
        path: A file of trees, or of sentences, one a line, with spaces between
            the words; plain or gzip. It holds trees if the first line that is
            not blank begins with a bracket and a label.

    Returns:
        A list of `SSTExample` without labels, at least one.

    Raises:
        InputError: The file cannot be read or has no sentence, or a line of a
            file of trees is neither blank nor a tree.
    """
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED_TEXT)
    sentences = (
        tuple(line.decode().split()) for line in shards.read_lines(path)
    )
    sentences = [words for words in sentences if words]
    if not sentences:
        raise InputError(
            f"{path}: found no sentence, expected {_EXPECTED_TEXT}"
        )
    if _TREE_START.match(" ".join(sentences[0])):
        sentences = [tree[-1][1] for tree in _read_trees(path)]
    return [SSTExample(words, None) for words in sentences]


def write_examples(examples, predictions, file):
    """Writes predictions as JSON lines.

    Args:
        examples: A list of `SSTExample`.
        predictions: Each one's `LabelPrediction`.
        file: A text file. Gets a line for each example, an object of `tokens`,
            its words; `gold`, its label, if it was read; `label`, the predicted
            one; and `probabilities`, an object from each label to its
            probability.
    """
    for example, prediction in zip(examples, predictions, strict=True):
        line = {"tokens": example.tokens}
        if example.label is not None:
            line["gold"] = example.label
        line["label"] = prediction.label
        line["probabilities"] = prediction.probabilities
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _read_trees(path):
    """Yields the phrases of each line's tree, a list, the sentence last.

    A phrase is a label from 0 to 4 and a tuple of words.
    """
    for tree in read_trees(path, _EXPECTED, _EXAMPLE, one_a_line=True):
        words = tuple(map(unescape, tree.words))
        phrases = []
        for label, start, end in tree.phrases:
            if label not in _DIGITS:
                found = repr(label) if label else "no label"
                raise InputError(
                    f"{tree.place(0)}: found {found}, expected a label from 0 "
                    "to 4"
                )
            phrases.append((int(label), words[start:end]))
        yield phrases
