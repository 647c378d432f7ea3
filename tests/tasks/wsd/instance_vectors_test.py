"""Vectors of words in sentences."""

import numpy as np

from tasks.wsd.instance_vectors import add_mean_layer
from tasks.wsd.instance_vectors import instance_vectors
from tests.tasks.wsd import tiny_sentences
from tests.tasks.wsd import vectors_by_hand


def test_against_vectors_by_hand(elmo):
    sentences = tiny_sentences.training()
    done = []
    embedded = list(
        instance_vectors(elmo, sentences, lambda *counts: done.append(counts))
    )
    assert len(embedded) == len(sentences)
    for sentence, vectors in zip(sentences, embedded, strict=True):
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(sentence.instances), 3, 8)
        for instance, vector in zip(sentence.instances, vectors, strict=True):
            np.testing.assert_allclose(
                add_mean_layer(vector),
                vectors_by_hand.word_vectors(elmo, sentence, instance),
                atol=1e-5,
            )
    assert done == [
        (number, len(sentence.tokens))
        for number, sentence in enumerate(sentences, start=1)
    ]
