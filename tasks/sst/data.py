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
_END = "the end of the line"
_DIGITS = ("0", "1", "2", "3", "4")
_PARTS = re.compile(r"[()]|[^()\s]+")
# What the Penn Treebank writes in place of brackets, slashes and asterisks.
_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


@dataclasses.dataclass(frozen=True)
class SSTExample:
    """A sentence or a phrase, and its sentiment.

    Attributes:
        tokens: A tuple of its words, at least one.
        label: One of `LABELS`.
    """

    tokens: tuple
    label: str


def read_examples(path, labels, min_phrase_length=None):
    """Reads labelled sentences, and their phrases if asked to.

    The Penn Treebank's escapes are undone (`-LRB-` is `(`, `\\/` is `/`), since
    neither word vectors nor biLMs know them from other text; AllenNLP leaves
    them. A phrase that occurs in several sentences is an example each time, as
    it is for AllenNLP: how often people write it is part of the data. (Of the
    training data's phrases of four or more words, one in 230 repeats another.)

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
    path = os.fspath(path)
    shards.check_file(path, _EXPECTED)
    has_tree = False
    examples = []
    for number, line in enumerate(shards.read_lines(path), start=1):
        parts = _PARTS.findall(line.decode())
        if not parts:
            continue
        has_tree = True
        phrases = _parse(parts, f"{path}:{number}")
        if min_phrase_length is None:
            phrases = phrases[-1:]
        for digit, tokens in phrases:
            label = _LABEL_OF[labels][digit]
            if label is not None and len(tokens) >= (min_phrase_length or 1):
                examples.append(SSTExample(tokens, label))
    if not has_tree:
        raise InputError(f"{path}: found no tree, expected {_EXPECTED}")
    if not examples:
        found = (
            "sentence"
            if min_phrase_length is None
            else f"phrase of {min_phrase_length} or more words"
        )
        if labels == "binary":
            found += " that is not neutral"
        raise InputError(f"{path}: found no {found}, expected some")
    return examples


def write_examples(examples, predictions, file):
    """Writes predictions as JSON lines.

    Args:
        examples: A list of `SSTExample`.
        predictions: Each one's `SSTPrediction`.
        file: A text file. Gets a line for each example, an object of `tokens`,
            its words; `gold`, its label; `label`, the predicted one; and
            `probabilities`, an object from each label to its probability.
    """
    for example, prediction in zip(examples, predictions, strict=True):
        line = {
            "tokens": example.tokens,
            "gold": example.label,
            "label": prediction.label,
            "probabilities": prediction.probabilities,
        }
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _parse(parts, place):
    """The tree's phrases, each a label from 0 to 4 and a tuple of words.

    A phrase stands after those in it, the sentence last.
    """

    phrases = []
    # The label and the words of each phrase that is not closed yet.
    open_phrases = []
    parts = iter(parts)
    for part in parts:
        if not open_phrases and phrases:
            _fail(place, f"{part!r} after the tree", _END)
        if not open_phrases and part != "(":
            _fail(place, repr(part), f"a tree, as {_EXAMPLE}")
        if part == "(":
            label = next(parts, None)
            if label not in _DIGITS:
                found = _END if label is None else repr(label)
                _fail(place, found, "a label from 0 to 4")
            open_phrases.append((int(label), []))
        elif part == ")":
            label, words = open_phrases.pop()
            if not words:
                _fail(place, f"no word in '({label})'", "one or more")
            phrases.append((label, tuple(words)))
            if open_phrases:
                open_phrases[-1][1].extend(words)
        else:
            open_phrases[-1][1].append(_unescape(part))
    if open_phrases:
        _fail(place, _END, "')'")
    return phrases


def _fail(place, found, expected):
    raise InputError(f"{place}: found {found}, expected {expected}")


def _unescape(word):
    word = word.replace("\\/", "/").replace("\\*", "*")
    return _ESCAPES.get(word, word)
