"""One word in two uses: the vectors that the quickstart looks at."""

import numpy as np

WORD = "call"

# The word as a noun and as a verb; in each raw sentence it stands once.
SENTENCES = {
    "noun": [
        "A call to the function is made.",
        "The call returns a value.",
        "Each call creates a new object.",
    ],
    "verb": [
        "These methods call the function.",
        "It must call the base class method.",
        "You may call it with no arguments.",
    ],
}


def occurrence_similarities(elmo):
    """Compares the vectors of the word in all the sentences.

    Args:
        elmo: The `Elmo`.

    Returns:
        Float array `[n_layers, n, n]`, the cosines of the n occurrences.
    """
    sentences = elmo.tokenize(
        [text for use in SENTENCES.values() for text in use]
    )
    # [n_layers, n, output_dim]
    vectors = np.stack(
        [
            layers[:, tokens.index(WORD)]
            for tokens, layers in zip(
                sentences, elmo.embed(sentences), strict=True
            )
        ],
        axis=1,
    )
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors @ np.swapaxes(vectors, 1, 2)


def mean_similarities(similarities):
    """Averages the cosines of the pairs of each kind.

    Args:
        similarities: What `occurrence_similarities` returned.

    Returns:
        A dictionary from a pair of uses to a list of floats, one a layer.
    """
    uses = [use for use, texts in SENTENCES.items() for _ in texts]
    means = {}
    for first, second in (("noun", "noun"), ("verb", "verb"), ("noun", "verb")):
        pairs = [
            similarities[:, i, j]
            for i in range(len(uses))
            for j in range(i)
            if {uses[i], uses[j]} == {first, second}
        ]
        means[f"{first} and {second}"] = np.mean(pairs, axis=0).tolist()
    return means


def nearest_occurrences(elmo, sentences, n=2):
    """Finds where a text uses the word as the first sentence of each use does.

    Args:
        elmo: The `Elmo`.
        sentences: The text, a list of token lists.
        n: How many occurrences to find.

    Returns:
        A dictionary from each use to a list of pairs of a cosine (of the top
        layer) and the words around the occurrence.
    """
    with_word = [tokens for tokens in sentences if WORD in tokens]
    nearest = {}
    for use, texts in SENTENCES.items():
        (query,) = elmo.tokenize(texts[:1])
        nearest[use] = [
            (
                found.similarity,
                _excerpt(with_word[found.sentence_index], found.position),
            )
            for found in elmo.neighbours(
                query, query.index(WORD), with_word, n, same_word=True
            )
        ]
    return nearest


def _excerpt(tokens, position, n_around=5):
    """The words around a position, the one there in brackets."""
    start = max(0, position - n_around)
    return " ".join(
        [
            *tokens[start:position],
            f"[{tokens[position]}]",
            *tokens[position + 1 : position + 1 + n_around],
        ]
    )
