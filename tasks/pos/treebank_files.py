r"""Reads the Penn Treebank's files, as its sample in NLTK has them.

*   Trees (`combined/*.mrg`), over any number of lines:

        ( (S (NP-SBJ (NNP Anna)) (VP (VBZ sings) (NP (-NONE- *T*-1))) (. .)))

    Traces, whose tag is `-NONE-`, are no words and are left out.

*   Tagged text (`tagged/*.pos`), a slash between word and tag, with brackets
    around noun phrases and lines of `=` between paragraphs:

        [ Anna/NNP ]
        sings/VBZ 1\/2/CD ./.

    Where sentences end is not marked. As in NLTK's reader it is after a full
    stop, question or exclamation mark (the tag `.`) outside the brackets; a
    quotation mark or bracket that closes behind it still belongs to the
    sentence.

Where annotators left the choice between tags (`NN|JJ`), the first counts. The
words' escapes are undone (`-LRB-` is `(`, `1\/2` is `1/2`), since the text that
biLMs read mostly has none. Its quotation marks stay, two backquotes and two
apostrophes, which the tokenizer "penn_treebank" makes too. Tags stay as they
are: that of a bracket may be `-LRB-`.
"""

import os

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.pos.tagged_sentence import TaggedSentence
from tasks.text.bracketed_trees import read_trees
from tasks.text.treebank_escapes import unescape

_TREE = "( (S (NNP Anna) (VBZ sings) (. .)))"
_TREES = f"trees of the Penn Treebank, as {_TREE}"
_TAGGED = "words with tags, as Anna/NNP sings/VBZ"
_TRACE = "-NONE-"
_FULL_STOP = "."
# What may stand between a full stop and the end of the sentence.
_CLOSING = ("''", '"', "'", ")", "-RRB-", "-RCB-", "-RSB-", "}")


def read_tree_file(path):
    """Reads a file of trees.

    Args:
        path: The file, plain or gzip, UTF-8.

    Returns:
        A list of `TaggedSentence`, at least one.

    Raises:
        InputError: The file cannot be read or has no word, the brackets do not
            match or a word has no tag; with the line.
    """
    sentences = []
    for tree in read_trees(path, _TREES, _TREE):
        tags = [None] * len(tree.words)
        for label, start, end in tree.phrases:
            # The innermost phrase comes first.
            if end - start == 1 and tags[start] is None:
                tags[start] = label
        words = []
        for number, (word, tag) in enumerate(
            zip(tree.words, tags, strict=True)
        ):
            if not tag:
                raise InputError(
                    f"{tree.place(number)}: found no tag of {word!r}, expected "
                    f"one, as in {_TREE}"
                )
            if tag != _TRACE:
                words.append((word, tag))
        if words:
            sentences.append(_sentence(words))
    return _checked(sentences, path, _TREES)


def read_tagged_file(path):
    """Reads a file of tagged text.

    Args:
        path: The file, plain or gzip, UTF-8.

    Returns:
        A list of `TaggedSentence`, at least one.

    Raises:
        InputError: The file cannot be read or has no word, or something is
            neither a word with its tag nor a bracket; with the line.
    """
    path = os.fspath(path)
    shards.check_file(path, _TAGGED)
    sentences, words = [], []
    is_in_brackets = is_over = False
    for number, line in enumerate(shards.read_lines(path), start=1):
        parts = line.decode().split()
        if is_rule(parts):
            sentences.append(words)
            words = []
            is_in_brackets = is_over = False
            continue
        for part in parts:
            if part in ("[", "]"):
                is_in_brackets = part == "["
                continue
            word, _, tag = part.rpartition("/")
            if not word or not tag:
                raise InputError(
                    f"{path}:{number}: found {part!r}, expected {_TAGGED}"
                )
            if is_over and (is_in_brackets or word not in _CLOSING):
                sentences.append(words)
                words = []
                is_over = False
            words.append((word, tag))
            is_over |= tag == _FULL_STOP and not is_in_brackets
    sentences.append(words)
    return _checked(
        [_sentence(words) for words in sentences if words], path, _TAGGED
    )


def is_rule(parts):
    """Whether the parts of a line are what stands between paragraphs."""
    return len(parts) == 1 and set(parts[0]) == {"="}


def _sentence(words):
    """The sentence of pairs of a word and its tag, as the file has them."""
    tokens, tags = zip(*words, strict=True)
    return TaggedSentence(
        tuple(map(unescape, tokens)), tuple(tag.split("|")[0] for tag in tags)
    )


def _checked(sentences, path, expected):
    if not sentences:
        raise InputError(f"{path}: found no word, expected {expected}")
    return sentences
