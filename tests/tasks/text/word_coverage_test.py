import dataclasses

import numpy as np

from tasks.text.word_coverage import WordCoverage
from tasks.text.word_vectors import WordVectors
from tasks.text.word_vocabulary import WordVocabulary

TRAINING = [["The", "zorg", "ate"], ["the", "rare", "ate", "zorg"]]
VECTORS = WordVectors(["the", "cat"], np.ones([2, 3]))
TEXT = [["The", "cat", "ate", "ate"], ["rare", "new", "the", "ate"]]


def test_counts():
    vocabulary = WordVocabulary.build(
        TRAINING, VECTORS, min_count=2, lowercase=True
    )
    coverage = WordCoverage.measure(TEXT, vocabulary, TRAINING, VECTORS)
    assert dataclasses.asdict(coverage) == dict(
        types=6,
        tokens=8,
        # The, the, cat
        types_with_vector=3,
        tokens_with_vector=3,
        # The, the, ate
        types_trained=3,
        tokens_trained=5,
        # rare, new
        types_unknown=2,
        tokens_unknown=2,
    )
    assert str(coverage) == (
        "8 tokens, 6 types; with a vector: 37.5% of the tokens and 50.0% of "
        "the types; trained: 62.5% of the tokens and 50.0% of the types; "
        "unknown: 25.0% of the tokens and 33.3% of the types"
    )


def test_without_vectors():
    vocabulary = WordVocabulary.build(TRAINING)
    coverage = WordCoverage.measure(TEXT, vocabulary, TRAINING)
    assert coverage.types_with_vector == coverage.tokens_with_vector == 0
    assert (coverage.types_trained, coverage.tokens_trained) == (4, 6)
    assert (coverage.types_unknown, coverage.tokens_unknown) == (2, 2)


def test_no_text():
    vocabulary = WordVocabulary.build(TRAINING)
    coverage = WordCoverage.measure([], vocabulary, TRAINING)
    assert coverage.tokens == coverage.types == 0
    assert str(coverage).startswith("0 tokens, 0 types; with a vector: 0.0%")


def test_real_text(shared_data):
    """Lower-case forms find the vectors of names and first words."""
    folder = shared_data / "data"
    vectors = WordVectors.load(folder / "vectors" / "glove6b50d" / "*.gz")
    path = folder / "ner" / "wikigold" / "wikigold.conll.txt"
    text = path.read_text(encoding="utf-8")
    sentences = [
        [line.split()[0] for line in sentence.splitlines() if line.strip()]
        for sentence in text.split("\n\n")
    ]
    training, test = sentences[:1200], sentences[1200:]
    with_vector = []
    unknown = []
    for lowercase in (False, True):
        vocabulary = WordVocabulary.build(
            training, vectors, lowercase=lowercase
        )
        coverage = WordCoverage.measure(test, vocabulary, training, vectors)
        assert coverage.tokens == 12_855
        with_vector.append(coverage.tokens_with_vector / coverage.tokens)
        unknown.append(coverage.tokens_unknown / coverage.tokens)
    assert with_vector[0] < 0.76 and with_vector[1] > 0.9
    assert unknown[0] > 0.15 and unknown[1] < 0.1
