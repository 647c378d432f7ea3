"""Texts as sentences of tokens."""

import itertools
import re


def split_text(text):
    """Splits a text into sentences, roughly.

    Args:
        text: The text.

    Returns:
        A list of lists of tokens: words, numbers and single other characters. A
        sentence ends with a full stop and space behind it.
    """
    return [
        re.findall(r"\w+|[^\w\s]", sentence)
        for sentence in re.split(r"(?<=\.)\s+", text.strip())
    ]


def first_tokens(sentences, n_tokens):
    """Takes the first tokens of a text.

    Args:
        sentences: A list of at least one sentence, each a list of tokens.
        n_tokens: How many tokens to take, of the text again and again where it
            is shorter.

    Returns:
        A list of sentences; the last one may be cut.
    """
    taken = []
    for sentence in itertools.cycle(sentences):
        if n_tokens <= 0:
            return taken
        taken.append(sentence[:n_tokens])
        n_tokens -= len(sentence)
