"""Reads the trees of treebanks, which have brackets around their phrases.

After the opening bracket stands a phrase's label, which the Penn Treebank
leaves out around a whole sentence:

    ( (S (NP-SBJ (NNP Anna)) (VP (VBZ sings)) (. .)))
"""

import dataclasses
import itertools
import os
import re

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.text.span import Span

_PARTS = re.compile(r"[()]|[^()\s]+")


@dataclasses.dataclass(frozen=True)
class BracketedTree:
    """A tree.

    Attributes:
        words: A tuple of its words, as they stand in the file.
        phrases: A tuple of the `Span` of each phrase, at least one, none of
            them empty: those in a phrase before it, the whole tree last. One
            without a label has "".
        path: The file.
        lines: The number of each word's line, from 1 up.
    """

    words: tuple
    phrases: tuple
    path: str
    lines: tuple

    def place(self, word):
        """Returns where a word stands, as error messages name it."""
        return f"{self.path}:{self.lines[word]}"


def read_trees(path, expected, example, one_a_line=False):
    """Reads a file of trees.

    Args:
        path: The file, plain or gzip, UTF-8.
        expected: What the file should hold, in words, for messages.
        example: A tree, likewise.
        one_a_line: Whether a line holds a tree, if it is not blank; else trees
            may begin and end anywhere.

    Yields:
        `BracketedTree`, at least one, in the file's order.

    Raises:
        InputError: The file cannot be read or holds no tree, something stands
            outside the brackets, a bracket is missing, or a phrase has no
            word; with the number of the line.
    """
    path = os.fspath(path)
    shards.check_file(path, expected)
    lines = (
        [(number, part) for part in _PARTS.findall(line.decode())]
        for number, line in enumerate(shards.read_lines(path), start=1)
    )
    if one_a_line:
        end = "the end of the line"
        texts = filter(None, lines)
    else:
        end = "the end of the file"
        texts = [itertools.chain.from_iterable(lines)]
    has_tree = False
    for parts in texts:
        for tree in _parse(parts, path, example, end, one_a_line):
            has_tree = True
            yield tree
    if not has_tree:
        raise InputError(f"{path}: found no tree, expected {expected}")


def _parse(parts, path, example, end, is_one):
    """Yields the trees of brackets and words, each with its line's number."""
    words, lines, phrases = [], [], []
    # The label and the first word of each phrase that is not closed yet.
    open_phrases = []
    may_be_label = is_over = False
    number = None

    def fail(found, expected):
        raise InputError(f"{path}:{number}: found {found}, expected {expected}")

    for number, part in parts:
        if is_over:
            fail(f"{part!r} after the tree", end)
        if part == "(":
            open_phrases.append(["", len(words)])
            may_be_label = True
            continue
        if not open_phrases:
            fail(repr(part), f"a tree, as {example}")
        if part == ")":
            label, start = open_phrases.pop()
            if start == len(words):
                fail(f"no word in '({label})'", "one or more")
            phrases.append(Span(label, start, len(words)))
            if not open_phrases:
                yield BracketedTree(
                    tuple(words), tuple(phrases), path, tuple(lines)
                )
                words, lines, phrases = [], [], []
                is_over = is_one
        elif may_be_label:
            open_phrases[-1][0] = part
        else:
            words.append(part)
            lines.append(number)
        may_be_label = False
    if open_phrases:
        fail(end, "')'")
