"""Word vectors from files."""

import bisect
import re

import numpy as np
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.text import shards

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# Of word2vec's first line.
_SIZE = re.compile(rb"[0-9]{1,9}")
_REPLACEMENT_CHARACTER = "\ufffd"


class WordVectors:
    """Words and their vectors.

    Args:
        words: Sequence of distinct str.
        vectors: Float array `[len(words), dim]`, kept as float32.

    Attributes:
        words: The list of words.
        vectors: Float32 array `[len(words), dim]`.
    """

    def __init__(self, words, vectors):
        self.words = list(words)
        self.vectors = np.asarray(vectors, np.float32)
        self._rows = {word: row for row, word in enumerate(self.words)}

    @classmethod
    def load(cls, input_path, words_path=None, dim=None, keep=None):
        """Reads word vectors in GloVe's, word2vec's or Senna's text format.

        In the first two a line holds a word and its vector, with a space
        before each value; word2vec's has a first line besides, with the number
        of words and the width. A word may have spaces inside, as some of
        GloVe's 840B have: the last `dim` fields are the vector. Senna's has the
        words in a file of their own.

        Words with U+FFFD inside are left out: a character could not be read
        when the vectors were made, so nothing can be looked up there, and in
        GloVe's 840B two words have become one so.

        Args:
            input_path: The files, plain or gzip, as in `list_shards`: paths or
                globs, or a list of them.
            words_path: Senna's file of words, one a line, for the vectors one
                a line of `input_path`; None: words and vectors stand together.
            dim: Width of the vectors; None: what the first line has.
            keep: The words to keep, anything with `in`; None: all of them. The
                values of others are not looked at.

        Returns:
            A `WordVectors`, in the order of the files and lines.

        Raises:
            InputError: A file cannot be read or is not UTF-8, or a line has no
                word, another number of values than `dim`, a value that is not
                a finite number, or a word that was there before; with the
                number of the line. Or there are more or fewer lines than
                word2vec's first line or Senna's words say.
        """
        reader = _Reader(words_path, dim, keep)
        paths = shards.list_shards(
            input_path,
            expected=(
                "a word and its vector a line"
                if words_path is None
                else "a vector a line"
            ),
        )
        for path in paths:
            reader.read(path)
        reader.check_end(paths[-1])
        words, vectors = reader.result()
        return cls(words, vectors)

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return word in self._rows

    def __getitem__(self, word):
        """Returns a word's vector, float32 `[dim]`; KeyError: it has none."""
        return self.vectors[self._rows[word]]

    @property
    def dim(self):
        """Width of the vectors."""
        return self.vectors.shape[1]


class _Reader:
    """Collects words and vectors from files; arguments as in `load`."""

    def __init__(self, words_path, dim, keep):
        self._dim = dim
        self._keep = keep
        self._words_path = words_path
        self._separate_words = None
        if words_path is not None:
            shards.check_file(words_path, expected="one word a line")
            self._separate_words = shards.read_lines(words_path)
        # Of each file: the number of lines before it, and its path.
        self._files = []
        self._n_lines = 0
        # From a word to the number of its line among those of all files.
        self._lines = {}
        # Of each block float32 [words, dim].
        self._vectors = []

    def read(self, path):
        """Takes in a file."""
        self._files.append((self._n_lines, path))
        declared = None
        n_lines = 0
        for block in shards.read_blocks(path):
            lines = block.removesuffix(b"\n").split(b"\n")
            # word2vec ends lines with a space.
            lines = [line.rstrip(b" \r") for line in lines]
            if n_lines == 0:
                declared = self._read_first(lines[0])
            first = 0 if declared is None or n_lines else 1
            self._add(lines[first:], first + 1)
            n_lines += len(lines)
            self._n_lines += len(lines)
        if declared is not None and n_lines - 1 != declared:
            raise InputError(
                f"{path}: found {n_lines - 1} words, expected {declared} by "
                "the first line"
            )

    def check_end(self, path):
        """Checks that there is no word without vector after the last file."""
        if self._separate_words is None:
            return
        if (word := next(self._separate_words, None)) is not None:
            raise InputError(
                f"{path}: ends before the vector of {word.decode()!r} in "
                f"{self._words_path}, expected a line for each of its words"
            )

    def result(self):
        """Returns the words and the vectors; the reader is empty then."""
        n_words = len(self._lines)
        vectors = np.empty([n_words, self._dim], np.float32)
        start = 0
        # So that not everything is in memory twice.
        self._vectors.reverse()
        while self._vectors:
            block = self._vectors.pop()
            vectors[start : start + len(block)] = block
            start += len(block)
        return list(self._lines), vectors

    def _read_first(self, line):
        """Learns the width from a file's first line.

        Returns the number of words if it is word2vec's, else None.
        """
        place = self._place(self._n_lines + 1)
        fields = line.split(b" ")
        if self._separate_words is not None:
            dim = len(fields)
        elif len(fields) == 2 and all(map(_SIZE.fullmatch, fields)):
            size, dim = map(int, fields)
            if not dim or self._dim not in (None, dim):
                raise InputError(
                    f"{place}: found vectors of {dim} values, expected "
                    f"{self._dim or 'at least 1'}"
                )
            self._dim = dim
            return size
        else:
            dim = len(fields) - 1
        if self._dim is None:
            if not dim:
                raise InputError(
                    f"{place}: found {line.decode()!r}, expected a word and "
                    "its vector with spaces between them"
                )
            self._dim = dim
        return None

    def _add(self, lines, first):
        """Takes in the lines of a block, from its line number `first` on."""
        values = []
        numbers = []
        for number, line in enumerate(lines, self._n_lines + first):
            word, vector = self._split(line, number)
            if _REPLACEMENT_CHARACTER in word:
                continue
            if self._keep is not None and word not in self._keep:
                continue
            if word in self._lines:
                raise InputError(
                    f"{self._place(number)}: found {word!r} again, which is at "
                    f"{self._place(self._lines[word])}, expected distinct words"
                )
            self._lines[word] = number
            values.append(vector)
            numbers.append(number)
        if values:
            vectors = _parse(b" ".join(values))
            if vectors is None:
                self._complain(values, numbers)
            self._vectors.append(vectors.reshape(-1, self._dim))

    def _split(self, line, number):
        """Returns a line's word, str, and its values, bytes."""
        if self._separate_words is not None:
            word = next(self._separate_words, None)
            if word is None:
                raise InputError(
                    f"{self._place(number)}: found a vector, expected the end "
                    f"of the file, as {self._words_path} has no more words"
                )
            vector = line
            n_values = line.count(b" ") + 1
        else:
            word, _, vector = line.partition(b" ")
            n_values = line.count(b" ")
            if n_values > self._dim:
                long_word, *fields = line.rsplit(b" ", self._dim)
                last = long_word.rpartition(b" ")[-1]
                # What looks like a value is one, not the end of the word.
                if last and not _NUMBER.fullmatch(last):
                    word = long_word
                    vector = b" ".join(fields)
                    n_values = self._dim
        if not word:
            raise InputError(
                f"{self._place(number)}: found no word for the vector"
            )
        if n_values != self._dim:
            raise InputError(
                f"{self._place(number)}: found {n_values} values, expected "
                f"{self._dim}"
            )
        return word.decode(), vector

    def _complain(self, vectors, numbers):
        """Raises InputError at the first value that is not a finite number."""
        index = _first_bad(vectors)
        values = vectors[index].split(b" ")
        value = values[_first_bad(values)].decode()
        raise InputError(
            f"{self._place(numbers[index])}: found {value!r}, expected a "
            "finite number"
        )

    def _place(self, number):
        """Where the line with a number among those of all files stands."""
        before, path = [file for file in self._files if file[0] < number][-1]
        return f"{path}:{number - before}"


def _parse(text):
    """Values with a space between them, float32 `[n]`; None: not all finite."""
    try:
        values = tf.strings.to_number(tf.strings.split(text, " ")).numpy()
    except tf.errors.InvalidArgumentError:
        return None
    return values if np.isfinite(values).all() else None


def _first_bad(texts):
    """The index of the first of the texts that cannot be parsed."""
    return bisect.bisect_left(
        range(len(texts)),
        True,
        key=lambda index: _parse(b" ".join(texts[: index + 1])) is None,
    )
