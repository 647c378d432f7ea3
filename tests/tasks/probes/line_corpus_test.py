"""Sentences, tokens and their places in files."""

import gzip

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.probes.line_corpus import LineCorpus


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_text("\nthe naïve\u00a0bank\n", encoding="utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"river\n\nthe end"))
    return LineCorpus(f"{tmp_path}/*")


def test_sentences(corpus):
    sentences = [[], ["the", "naïve", "bank"], ["river"], [], ["the", "end"]]
    assert list(corpus.sentences()) == sentences
    assert (corpus.n_sentences, corpus.n_tokens) == (5, 6)
    np.testing.assert_array_equal(corpus.starts, [0, 0, 3, 4, 4, 6])


def test_places(corpus, tmp_path):
    found = [corpus.locate(number) for number in range(corpus.n_tokens)]
    assert found == [(1, 0), (1, 1), (1, 2), (2, 0), (4, 0), (4, 1)]
    places = [corpus.place(sentence) for sentence in range(corpus.n_sentences)]
    a, b = f"{tmp_path}/a.txt", f"{tmp_path}/b.txt.gz"
    assert places == [(a, 1), (a, 2), (b, 1), (b, 2), (b, 3)]


def test_fingerprint(tmp_path):
    def of(text):
        (tmp_path / "text").write_text(text)
        return LineCorpus(tmp_path / "text").fingerprint

    assert of("a b\nc\n") == of("a  b\nc")
    texts = ["a b\nc\n", "a\nb c\n", "ab\nc\n", "a b\nd\n", "a b\n\nc\n"]
    assert len({of(text) for text in texts}) == len(texts)


@pytest.mark.parametrize(
    "text, message",
    [
        (b"", "empty file, expected one sentence a line"),
        (b"\n \n", "no token in 2 blank lines, expected one sentence a line"),
        (b"a\n\xff\n", ":2: byte 0xff at position 1 of the line is not UTF-8"),
    ],
)
def test_mistakes(tmp_path, text, message):
    path = tmp_path / "text.txt"
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        LineCorpus(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
