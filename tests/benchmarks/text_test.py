"""The benchmarks' sentences are as repetitive as English text."""

import numpy as np
import pytest

from benchmarks.text import RandomText
from benchmarks.text import distinct_words
from benchmarks.text import n_tokens


@pytest.fixture(scope="module")
def text():
    return RandomText(0)


def test_a_seed_gives_the_same_sentences_again():
    text = RandomText(1)
    first, second = text.sentences(3), text.sentences(3)
    again = RandomText(1)
    assert again.sentences(3) == first
    assert again.sentences(3) == second
    assert first != second
    assert RandomText(2).sentences(3) != first


def test_all_lengths_occur_equally_often(text):
    lengths = [len(sentence) for sentence in text.sentences(4600)]
    counts = np.bincount(lengths, minlength=51)
    assert counts[:5].sum() == 0
    assert len(counts) == 51
    assert counts[5:].min() > 50
    assert counts[5:].max() < 150


def test_lengths_may_be_fixed(text):
    assert {len(s) for s in text.sentences(9, 22, 22)} == {22}


# The novels of the data for pre-training, their sentences in random order.
@pytest.mark.parametrize(
    "tokens, distinct", [(1108, 496), (4880, 1483), (19141, 4018)]
)
def test_words_recur_as_often_as_in_novels(tokens, distinct):
    found = RandomText(3).sentences(1, tokens, tokens)
    assert len(distinct_words(found)) == pytest.approx(distinct, rel=0.15)


def test_frequent_words_are_shorter(text):
    words = text.words
    assert len(set(words)) == len(words)
    assert np.mean([len(word) for word in words[:100]]) < 4
    assert 7 < np.mean([len(word) for word in words]) < 10
    tokens = sum(text.sentences(200), [])
    assert 3 < np.mean([len(word) for word in tokens]) < 5


@pytest.mark.parametrize("n_distinct", [1, 30, 280])
def test_a_vocabulary_of_a_given_size(text, n_distinct):
    sentences = text.sentences_of_vocabulary(10, 28, n_distinct)
    assert [len(sentence) for sentence in sentences] == [28] * 10
    assert n_tokens(sentences) == 280
    assert len(distinct_words(sentences)) == n_distinct
