"""Stands for an exported model in the tests of the report."""

import hashlib

import numpy as np

from bidaf_tf.report.inspected_text import InspectedText
from bidaf_tf.report.inspection import Inspection
from bidaf_tf.word_tokenizer import tokenize_to_lists

WORD_DIM, CONTEXTUAL_DIM = 3, 4


def vector(text, width):
    """A vector that is a function of the text."""
    digest = hashlib.sha256(text.encode()).digest()
    seed = int.from_bytes(digest[:4], "big")
    return np.random.default_rng(seed).normal(size=width).astype(np.float32)


def is_known(word):
    """The model knows the words that have no x."""
    return "x" not in word


class FakeModel:
    """Makes vectors of words and of words with the one before them.

    Args:
        reads_words: Whether there is a word space.

    Attributes:
        texts: All texts that it was asked about.
    """

    def __init__(self, reads_words=True):
        self.texts = []
        self._reads_words = reads_words

    def inspect(self, texts, name):
        """As `ExportedModel.inspect`, the last text first."""
        assert name
        self.texts += texts
        rows = iter(
            tokenize_to_lists([text for pair in texts for text in pair])
        )
        read = [(self._read(next(rows)), self._read(next(rows))) for _ in texts]
        for index in reversed(range(len(texts))):
            context, question = read[index]
            shape = len(context.tokens), len(question.tokens)
            yield (
                index,
                Inspection(
                    context,
                    question,
                    np.zeros(shape, np.float32),
                    np.zeros(shape[0], np.float32),
                    np.zeros(shape[0], np.float32),
                ),
            )

    def _read(self, row):
        tokens, starts, ends = row
        pairs = zip(["", *tokens], tokens, strict=False)
        arrays = {
            "contextual_vectors": self._stacked(
                [" ".join(pair) for pair in pairs], CONTEXTUAL_DIM
            )
        }
        if self._reads_words:
            known = [is_known(token) for token in tokens]
            arrays["is_known"] = np.array(known, bool)
            arrays["word_vectors"] = self._stacked(
                [
                    token.lower() if knows else "unknown"
                    for token, knows in zip(tokens, known, strict=True)
                ],
                WORD_DIM,
            )
        return InspectedText(
            tokens, np.array(starts, int), np.array(ends, int), **arrays
        )

    def _stacked(self, texts, width):
        vectors = [vector(text, width) for text in texts]
        return np.array(vectors, np.float32).reshape(len(texts), width)
