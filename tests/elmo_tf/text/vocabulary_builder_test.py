"""Vocabularies against collections.Counter, within memory and beyond it."""

import collections
import gzip
import os
import tempfile

import numpy as np
import pytest

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import vocabulary_builder
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.text.vocabulary_builder import build_vocabulary

SPECIAL = ["<S>", "</S>", "<UNK>"]


@pytest.fixture(scope="module")
def words():
    """Words of a Zipf-like distribution, with characters of all sizes."""
    generator = np.random.default_rng(0)
    alphabet = np.array(list("abcé\u0416\uffee\U0001f600"))
    forms = [
        "".join(generator.choice(alphabet, generator.integers(1, 5)))
        for _ in range(1000)
    ]
    ranks = np.minimum(generator.zipf(1.3, 20_000), len(forms)) - 1
    return [forms[rank] for rank in ranks]


@pytest.fixture(scope="module")
def corpus(words, tmp_path_factory):
    """The words in three files, 17 a line."""
    folder = tmp_path_factory.mktemp("corpus")
    lines = [" ".join(words[i : i + 17]) for i in range(0, len(words), 17)]
    for shard in range(3):
        text = "\n".join(lines[shard::3]).encode()
        path = folder / f"{shard}.txt"
        path.write_bytes(gzip.compress(text) if shard == 1 else text)
    return f"{folder}/*"


def by_rank(counts):
    """The words of a Counter, as the vocabulary should have them."""
    return sorted(counts, key=lambda word: (-counts[word], word))


class TestBuildVocabulary:
    def test_equals_a_counter(self, corpus, words):
        vocabulary, counts = build_vocabulary(corpus)
        expected = collections.Counter(words)
        assert vocabulary.tokens == SPECIAL + by_rank(expected)
        assert counts.counts.dtype == np.int64
        assert counts.counts[:3].tolist() == [0, 0, 0]
        assert counts.counts[3:].tolist() == [
            expected[word] for word in by_rank(expected)
        ]
        assert counts.distinct_words == len(expected)
        assert counts.tokens == len(words)
        assert counts.coverage == 1.0

    @pytest.mark.parametrize("min_count", [1, 2, 3, 50])
    @pytest.mark.parametrize("max_size", [None, 4, 30, 100_000])
    def test_limits(self, corpus, words, min_count, max_size):
        vocabulary, counts = build_vocabulary(corpus, min_count, max_size)
        expected = collections.Counter(words)
        kept = [
            word for word in by_rank(expected) if expected[word] >= min_count
        ]
        if max_size is not None:
            kept = kept[: max_size - 3]
        assert vocabulary.tokens == SPECIAL + kept
        assert counts.distinct_words == len(expected)
        assert counts.tokens == len(words)
        known = sum(expected[word] for word in kept)
        assert counts.coverage == known / len(words)

    @pytest.mark.parametrize("max_words_in_memory", [1, 10, 100])
    @pytest.mark.parametrize("min_count, max_size", [(1, None), (2, 100)])
    @pytest.mark.parametrize("max_runs", [2, 128])
    def test_beyond_memory(
        self,
        corpus,
        min_count,
        max_size,
        max_words_in_memory,
        max_runs,
        monkeypatch,
    ):
        expected, expected_counts = build_vocabulary(
            corpus, min_count, max_size
        )
        monkeypatch.setattr(shards, "_BLOCK_SIZE", 1000)
        monkeypatch.setattr(vocabulary_builder, "_MAX_RUNS", max_runs)
        laid_aside = []
        lay_aside = vocabulary_builder._WordCounter._lay_aside

        def spy(self, items):
            laid_aside.append(len(self._counts))
            lay_aside(self, items)

        monkeypatch.setattr(vocabulary_builder._WordCounter, "_lay_aside", spy)
        vocabulary, counts = build_vocabulary(
            corpus, min_count, max_size, max_words_in_memory
        )
        assert len(laid_aside) > 5
        # At most the words of a block too many.
        assert max(laid_aside) <= max_words_in_memory + 500
        assert vocabulary.tokens == expected.tokens
        assert counts.counts.tolist() == expected_counts.counts.tolist()
        assert counts.tokens == expected_counts.tokens
        assert counts.distinct_words == expected_counts.distinct_words

    def test_nothing_stays_in_the_temporary_folder(
        self, corpus, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        build_vocabulary(corpus, max_words_in_memory=10)
        assert os.listdir(tmp_path) == []

    def test_special_tokens_in_the_text(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"<S> a <UNK> a </S>\nb <UNK> <unk>\n")
        vocabulary, counts = build_vocabulary(path)
        assert vocabulary.tokens == SPECIAL + ["a", "<unk>", "b"]
        assert counts.counts.tolist() == [1, 1, 2, 2, 1, 1]
        assert counts.distinct_words == 3
        assert counts.tokens == 8
        assert counts.coverage == 6 / 8

    def test_a_saved_vocabulary_loads(self, tmp_path):
        path = tmp_path / "a.txt"
        # A byte order mark and a line that bilm-tf skips could shift the ids.
        path.write_bytes("\ufeffa !!!MAXTERMID !!!MAXTERMID b b\n".encode())
        vocabulary, counts = build_vocabulary(path)
        assert vocabulary.tokens == SPECIAL + ["b", "a"]
        assert counts.tokens == 5
        vocabulary.save(tmp_path / "vocabulary.txt")
        loaded = Vocabulary.load(tmp_path / "vocabulary.txt")
        assert loaded.tokens == vocabulary.tokens

    def test_words_are_those_of_str_split(self, tmp_path):
        path = tmp_path / "a.txt"
        text = "10\u00a0000 a\u3000b\x1cc\u200bd\r\ne\n"
        path.write_bytes(text.encode())
        vocabulary, _ = build_vocabulary(path)
        assert set(vocabulary.tokens[3:]) == set(text.split())

    def test_progress(self, corpus):
        calls = []
        build_vocabulary(
            corpus, progress=lambda done, total: calls.append((done, total))
        )
        total = sum(map(os.path.getsize, shards.list_shards(corpus)))
        assert calls[-1] == (total, total)


class TestErrors:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"min_count": 0}, "min_count: found 0, expected at least 1"),
            ({"max_size": 3}, "max_size: found 3, expected at least 4"),
        ],
    )
    def test_arguments_out_of_range(self, corpus, arguments, message):
        with pytest.raises(InputError, match=f"^{message}$"):
            build_vocabulary(corpus, **arguments)

    def test_no_word_is_frequent_enough(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"a b a c\n")
        with pytest.raises(InputError) as info:
            build_vocabulary(path, min_count=3)
        assert str(info.value) == (
            f"{path}: no word occurs 3 times or more, the most frequent one 2 "
            "times"
        )

    @pytest.mark.parametrize("content", [b"\n\n", b"<S> </S>\n"])
    def test_no_word_at_all(self, tmp_path, content):
        path = tmp_path / "a.txt"
        path.write_bytes(content)
        with pytest.raises(InputError) as info:
            build_vocabulary(path)
        assert str(info.value) == f"{path}: no words in the text"

    def test_bad_files(self, tmp_path):
        path = tmp_path / "a.txt"
        with pytest.raises(InputError, match="a.txt: no such file$"):
            build_vocabulary(path)
        path.write_bytes(b"a\n\xff\n")
        with pytest.raises(InputError, match="a.txt:2: byte 0xff at position"):
            build_vocabulary(path)
