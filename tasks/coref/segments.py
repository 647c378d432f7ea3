"""Cuts documents to what a model can take."""

import dataclasses


def take_sentences(document, first, n_sentences):
    """Takes some sentences out of a document.

    Args:
        document: A `CorefDocument`.
        first: The number of the first sentence to take, from 0 up.
        n_sentences: How many to take; less where there are no more.

    Returns:
        A `CorefDocument` with these sentences. Its clusters have the mentions
        that lie in them as a whole, numbered anew; those that are left with one
        mention are kept, those that are left with none are not. It is without
        `others`, which may count tokens.
    """
    chosen = slice(first, first + n_sentences)
    start = sum(map(len, document.sentences[:first]))
    end = start + sum(map(len, document.sentences[chosen]))
    clusters = (
        tuple(
            (first_token - start, last_token - start)
            for first_token, last_token in cluster
            if start <= first_token and last_token < end
        )
        for cluster in document.clusters
    )
    return dataclasses.replace(
        document,
        sentences=document.sentences[chosen],
        speakers=document.speakers[chosen],
        clusters=tuple(filter(None, clusters)),
        others={},
    )


def truncate_at_random(document, max_sentences, generator):
    """Takes a random run of sentences of a document that has too many.

    So does e2e-coref, in training only, with 50 sentences (Lee et al. 2017).

    Args:
        document: A `CorefDocument`.
        max_sentences: How many sentences to leave, at least one.
        generator: A `numpy.random.Generator`. Each possible first sentence is
            as probable as the others. Not asked where nothing is cut.

    Returns:
        A `CorefDocument`: as it is if it has no more sentences, else what
        `take_sentences` takes.
    """
    n_left_over = len(document.sentences) - max_sentences
    if n_left_over <= 0:
        return document
    first = int(generator.integers(n_left_over, endpoint=True))
    return take_sentences(document, first, max_sentences)
