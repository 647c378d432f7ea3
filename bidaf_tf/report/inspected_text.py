"""A context or a question as a model reads it."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class InspectedText:
    """The tokens of a text, and their vectors.

    Attributes:
        tokens: A list of str.
        starts: Int array `[tokens]`: where each begins, in characters.
        ends: Likewise, the offset after each one's last character.
        contextual_vectors: Float32 array `[tokens, features]`: what the
            encoder that context and question share makes of them.
        word_vectors: Likewise, the words' own vectors; None: the model reads
            no words.
        is_known: Bool array `[tokens]`: whether the word has a vector of its
            own; None: likewise.
    """

    tokens: list
    starts: np.ndarray
    ends: np.ndarray
    contextual_vectors: np.ndarray
    word_vectors: np.ndarray | None = None
    is_known: np.ndarray | None = None
