"""Counts the words of a corpus and keeps the frequent ones."""

import collections
import dataclasses
import heapq
import os

import numpy as np

from elmo_tf.atomic_file import temporary_folder
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import whitespace
from elmo_tf.text.characters import UNK
from elmo_tf.text.vocabulary import MAX_TERM_ID
from elmo_tf.text.vocabulary import SPECIAL_TOKENS
from elmo_tf.text.vocabulary import Vocabulary

# Runs merged at once, well below the number of files a process may open.
_MAX_RUNS = 128


@dataclasses.dataclass(frozen=True)
class VocabularyCounts:
    """How the words of a vocabulary occur in the text it was built from.

    Attributes:
        counts: int64 array `[len(vocabulary)]`, occurrences of each token; of
            a special token only those that stand in the text literally.
        distinct_words: Number of distinct words of the text, special tokens
            not counted.
        tokens: Number of tokens of the text.
    """

    counts: np.ndarray
    distinct_words: int
    tokens: int

    @property
    def coverage(self):
        """The part of the text's tokens that are in the vocabulary.

        `<UNK>` standing in the text is not a known word.
        """
        unknown = self.counts[SPECIAL_TOKENS.index(UNK)]
        return float(self.counts.sum() - unknown) / self.tokens


def build_vocabulary(
    input_path,
    min_count=1,
    max_size=None,
    max_words_in_memory=5_000_000,
    progress=None,
):
    """Builds the vocabulary of a corpus.

    The special tokens `<S> </S> <UNK>` come first, then the words by falling
    frequency, equally frequent ones by code points. Counts are exact however
    many distinct words there are: when they get too many for memory, sorted
    counts are laid aside in the temporary folder (`TMPDIR`) and merged at the
    end.

    Args:
        input_path: The corpus, as in `list_shards`.
        min_count: Words that occur less often are left out. The vocabulary of
            the released models has the words that occur 3 times or more.
        max_size: Most tokens to keep, the special tokens included; None for
            all.
        max_words_in_memory: Distinct words to hold in memory; about 150 bytes
            each.
        progress: A function called now and then with two ints, the bytes read
            so far and in all (as stored on disk).

    Returns:
        The tuple `(vocabulary, counts)`: `Vocabulary` and `VocabularyCounts`.

    Raises:
        InputError: If an argument is out of range, if no word is frequent
            enough, or as `list_shards` and `read_blocks`.
    """
    for name, value, minimum in (
        ("min_count", min_count, 1),
        ("max_size", max_size, len(SPECIAL_TOKENS) + 1),
    ):
        if value is not None and value < minimum:
            raise InputError(
                f"{name}: found {value}, expected at least {minimum}"
            )
    with temporary_folder("word_counts") as folder:
        counter = _WordCounter(folder, max_words_in_memory)
        paths = shards.list_shards(input_path)
        advance = shards.progress_over(paths, progress)
        for path in paths:
            for block in shards.read_blocks(path, advance):
                counter.update(whitespace.normalize(block).split())
        summary = _Summary(min_count)
        n_words = None if max_size is None else max_size - len(SPECIAL_TOKENS)
        words = _most_frequent(summary.watch(counter.items()), n_words)
    if not summary.distinct_words:
        raise InputError(f"{input_path}: no words in the text")
    if not words:
        raise InputError(
            f"{input_path}: no word occurs {min_count} times or more, the most "
            f"frequent one {summary.highest_count} times"
        )
    vocabulary = Vocabulary(
        [*SPECIAL_TOKENS, *(word.decode("utf-8") for word, _ in words)]
    )
    counts = [summary.special_counts[token] for token in SPECIAL_TOKENS]
    counts += [count for _, count in words]
    return vocabulary, VocabularyCounts(
        np.array(counts, np.int64), summary.distinct_words, summary.tokens
    )


def _most_frequent(items, n):
    """Returns the first n of the tuples (word, count), all if n is None."""

    # The bytes of UTF-8 sort as the code points do.
    def rank(item):
        return -item[1], item[0]

    return (
        sorted(items, key=rank)
        if n is None
        else heapq.nsmallest(n, items, key=rank)
    )


class _Summary:
    """Sums up the counts that pass by on their way to the vocabulary."""

    def __init__(self, min_count):
        self._min_count = min_count
        self.special_counts = dict.fromkeys(SPECIAL_TOKENS, 0)
        self.distinct_words = 0
        self.tokens = 0
        self.highest_count = 0

    def watch(self, items):
        """Yields those tuples (word, count) that the vocabulary may keep."""
        special = {token.encode(): token for token in SPECIAL_TOKENS}
        for word, count in items:
            self.tokens += count
            if word in special:
                self.special_counts[special[word]] = count
                continue
            self.distinct_words += 1
            self.highest_count = max(self.highest_count, count)
            # In a vocabulary file that line would not be a word.
            if count >= self._min_count and word != MAX_TERM_ID.encode():
                yield word, count


class _WordCounter:
    """Counts words exactly, in bounded memory.

    Args:
        folder: An existing folder for the counts laid aside.
        max_words: Distinct words to hold in memory.
    """

    def __init__(self, folder, max_words):
        self._folder = folder
        self._max_words = max_words
        self._counts = collections.Counter()
        # Files of lines `WORD COUNT`, sorted by word.
        self._runs = []
        self._n_files = 0

    def update(self, words):
        """Counts a list of bytes."""
        self._counts.update(words)
        if len(self._counts) > self._max_words:
            self._lay_aside(sorted(self._counts.items()))
            self._counts.clear()
            if len(self._runs) == _MAX_RUNS:
                runs, self._runs = self._runs, []
                self._lay_aside(_merge(runs))
                for run in runs:
                    os.remove(run)

    def items(self):
        """Returns an iterable of the tuples (word, count)."""
        if not self._runs:
            return self._counts.items()
        return _merge(self._runs, sorted(self._counts.items()))

    def _lay_aside(self, items):
        path = os.path.join(self._folder, f"{self._n_files}.txt")
        self._n_files += 1
        with open(path, "wb") as file:
            file.writelines(b"%s %d\n" % item for item in items)
        self._runs.append(path)


def _merge(runs, items=()):
    """Yields the summed (word, count) of sorted files and items, by word."""
    total = 0
    current = None
    for word, count in heapq.merge(*map(_read_run, runs), items):
        if word != current:
            if current is not None:
                yield current, total
            current = word
            total = 0
        total += count
    if current is not None:
        yield current, total


def _read_run(path):
    with open(path, "rb") as file:
        for line in file:
            word, count = line.split()
            yield word, int(count)
