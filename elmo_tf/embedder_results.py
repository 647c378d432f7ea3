"""What an `Elmo` finds besides vectors."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class SentenceScore:
    """A language model's log-probabilities of a sentence, in nats.

    Attributes:
        tokens: The sentence's n tokens.
        forward: Of each token given those before it, float32 `[n]`.
        forward_end: Of the sentence's end given all tokens.
        backward: Of each token given those after it, float32 `[n]`; None
            without a backward direction.
        backward_begin: Of the sentence's begin given all tokens; None likewise.
    """

    tokens: list
    forward: np.ndarray
    forward_end: float
    backward: np.ndarray | None
    backward_begin: float | None


@dataclasses.dataclass(frozen=True)
class Substitute:
    """A word that a language model expects at a position.

    Attributes:
        word: The word.
        log_probability: Its log-probability, in nats.
    """

    word: str
    log_probability: float


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """An occurrence of a word in a similar context.

    Attributes:
        similarity: The cosine of the two contextual vectors.
        sentence_index: Which of the sentences it is in.
        position: Which token of the sentence it is.
        token: The token.
    """

    similarity: float
    sentence_index: int
    position: int
    token: str
