"""A word with its sense in a sentence, and its vectors."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Occurrence:
    """A word in a sentence, and the sense that it has there.

    Attributes:
        word: What the senses are senses of: the word or its lemma.
        sense: The sense.
        tokens: The sentence, a tuple of tokens.
        position: Which token the word is.
    """

    word: str
    sense: str
    tokens: tuple
    position: int


def occurrence_vectors(elmo, occurrences):
    """Embeds occurrences in their sentences.

    Args:
        elmo: The `Elmo`.
        occurrences: A list of n `Occurrence`; a sentence of several that stand
            side by side is embedded once.

    Returns:
        Float32 array `[n, n_layers, output_dim]`, vectors of length one.
    """
    sentences = []
    for occurrence in occurrences:
        if not sentences or sentences[-1] != occurrence.tokens:
            sentences.append(occurrence.tokens)
    embedded = elmo.embed_stream(sentences)
    vectors = np.empty(
        (len(occurrences), elmo.n_layers, elmo.output_dim), np.float32
    )
    tokens = None
    for index, occurrence in enumerate(occurrences):
        if occurrence.tokens != tokens:
            tokens = occurrence.tokens
            # [n_layers, time, output_dim]
            layers = next(embedded)
        vectors[index] = layers[:, occurrence.position]
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(norms, 1e-12)
