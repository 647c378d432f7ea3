"""How much of a text a vocabulary knows."""

import collections
import dataclasses

import numpy as np

from tasks.text.word_vocabulary import FIRST_ID
from tasks.text.word_vocabulary import UNKNOWN_ID


@dataclasses.dataclass(frozen=True)
class WordCoverage:
    """How many words of a text have a vector, are trained or are unknown.

    Types are the distinct tokens as they stand in the text. A word may both
    have a vector and be trained.

    Attributes:
        types: Number of types.
        tokens: Number of tokens.
        types_with_vector: Types whose id is that of a word with a vector.
        tokens_with_vector: Likewise tokens.
        types_trained: Types with the id of a word that the training data have.
        tokens_trained: Likewise tokens.
        types_unknown: Types with the id of unknown words.
        tokens_unknown: Likewise tokens.
    """

    types: int
    tokens: int
    types_with_vector: int
    tokens_with_vector: int
    types_trained: int
    tokens_trained: int
    types_unknown: int
    tokens_unknown: int

    @classmethod
    def measure(cls, sentences, vocabulary, training_sentences, vectors=None):
        """Counts the words of sentences.

        Args:
            sentences: Iterable of sequences of tokens (str).
            vocabulary: The `WordVocabulary`.
            training_sentences: The training data, as `sentences`.
            vectors: The `WordVectors`; None: there are none.

        Returns:
            A `WordCoverage`.
        """
        counts = collections.Counter(
            token for sentence in sentences for token in sentence
        )
        training_types = {
            token for sentence in training_sentences for token in sentence
        }
        ids = vocabulary.ids(list(counts))
        unknown = ids == UNKNOWN_ID
        trained = np.isin(ids, vocabulary.ids(list(training_types))) & ~unknown
        with_vector = np.array(
            [
                vectors is not None
                and id_ != UNKNOWN_ID
                and vocabulary.words[id_ - FIRST_ID] in vectors
                for id_ in ids
            ],
            bool,
        )
        n_tokens = np.array(list(counts.values()), np.int64)
        return cls(
            types=len(counts),
            tokens=int(n_tokens.sum()),
            **{
                f"{unit}_{name}": int(weights[chosen].sum())
                for name, chosen in (
                    ("with_vector", with_vector),
                    ("trained", trained),
                    ("unknown", unknown),
                )
                for unit, weights in (
                    ("types", np.ones_like(n_tokens)),
                    ("tokens", n_tokens),
                )
            },
        )

    def __str__(self):
        shares = "; ".join(
            f"{words} {_percent(tokens, self.tokens)} of the tokens and "
            f"{_percent(types, self.types)} of the types"
            for words, tokens, types in (
                (
                    "with a vector:",
                    self.tokens_with_vector,
                    self.types_with_vector,
                ),
                ("trained:", self.tokens_trained, self.types_trained),
                ("unknown:", self.tokens_unknown, self.types_unknown),
            )
        )
        return f"{self.tokens:,} tokens, {self.types:,} types; {shares}"


def _percent(part, whole):
    return f"{part / whole:.1%}" if whole else "0.0%"
