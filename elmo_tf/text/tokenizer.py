"""Splits raw sentences into tokens, inside the TensorFlow graph.

Only ops of TensorFlow itself are used: a SavedModel that takes raw sentences
loads in a bare TensorFlow process, without tensorflow_text.
"""

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.text import whitespace

# Typographic quotation marks become the Penn Treebank's, the closing single
# one being the apostrophe too: else they would stick to the words beside them.
_TYPOGRAPHIC_QUOTES = (
    ("“", " `` "),
    ("”", "''"),
    ("‘", " ` "),
    ("’", "'"),
)

# The rules of nltk's TreebankWordTokenizer, in their order: pairs of a
# pattern and what replaces it, in the syntax of RE2.
_STARTING_QUOTES = (
    (r'^"', r"``"),
    (r"``", r" `` "),
    (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
)
_PUNCTUATION = (
    (r"([:,])([^\p{Nd}])", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"\.\.\.", r" ... "),
    (r"[;@#$%&]", r" \0 "),
    # The period at the end of the sentence, before closing brackets, quotes.
    (r"([^.])(\.)([\])}>\"']*) *$", r"\1 \2\3 "),
    (r"[?!]", r" \0 "),
    (r"([^'])' ", r"\1 ' "),
)
_BRACKETS_AND_DASHES = (
    (r"[\][(){}<>]", r" \0 "),
    (r"--", r" -- "),
)
# From here on each token has a space on both sides.
_ENDING_QUOTES = (
    (r"''", r" '' "),
    (r'"', r" '' "),
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
)
_CONTRACTIONS = (
    (r"(?i)\b(can)(not)\b", r" \1 \2 "),
    (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
    (r"(?i)\b(gim)(me)\b", r" \1 \2 "),
    (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
    (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
    (r"(?i)\b(lem)(me)\b", r" \1 \2 "),
    (r"(?i)\b(more)('n)\b", r" \1 \2 "),
    (r"(?i)\b(wan)(na) ", r" \1 \2 "),
    (r"(?i) ('t)(is)\b", r" \1 \2 "),
    (r"(?i) ('t)(was)\b", r" \1 \2 "),
)
TOKENIZERS = ("whitespace", "penn_treebank")

_WHITESPACE = f"[{whitespace.WHITESPACE}]"


def tokenize(sentences, method="whitespace"):
    """Splits sentences into tokens.

    The method `whitespace` splits where Python's `str.split()` does (see
    `elmo_tf.text.whitespace`) and nowhere else; TF-Hub's ELMo split raw
    sentences at spaces.

    The method `penn_treebank` also splits off punctuation, brackets, quotes
    and English contractions as the Penn Treebank does (`ca n't`, `it 's`) and
    turns `"` into ` `` ` at the beginning and `''` at the end of a quotation.
    It expects one sentence a string: only the period at the end is split off.
    It gives what nltk's `TreebankWordTokenizer` gives, except that typographic
    quotation marks count as quotation marks, that all whitespace is taken for
    spaces first, and that only ASCII letters and digits keep a contraction from
    being split in the midst of a word (`gotta` in `égotta` is split).

    Args:
        sentences: String tensor `[batch]`, UTF-8.
        method: `whitespace` or `penn_treebank`.

    Returns:
        String RaggedTensor `[batch, None]` of tokens, none of them empty; a
        blank sentence has none.

    Raises:
        InputError: If `method` is neither of them.
    """
    if method not in TOKENIZERS:
        raise InputError(
            f"tokenizer: found {method!r}, expected {' or '.join(TOKENIZERS)}"
        )
    sentences = tf.ensure_shape(
        tf.convert_to_tensor(sentences, tf.string), [None]
    )
    text = tf.strings.regex_replace(sentences, _WHITESPACE, " ")
    if method == "penn_treebank":
        text = _replace(
            text,
            _TYPOGRAPHIC_QUOTES
            + _STARTING_QUOTES
            + _PUNCTUATION
            + _BRACKETS_AND_DASHES,
        )
        text = tf.strings.join([" ", text, " "])
        text = _replace(text, _ENDING_QUOTES + _CONTRACTIONS)
    return tf.strings.split(text)


def _replace(text, rules):
    """Applies the pairs (pattern, replacement) one after another."""
    for pattern, replacement in rules:
        text = tf.strings.regex_replace(text, pattern, replacement)
    return text
