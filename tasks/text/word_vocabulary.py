"""The words that a task model has vectors for, and their numbers."""

import collections

import numpy as np

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.text.word_forms import word_forms

PADDING_ID = 0
UNKNOWN_ID = 1
# The id of the first word.
FIRST_ID = 2


class WordVocabulary:
    """A list of distinct words; a word's id is its place in the list plus 2.

    The ids 0 and 1 stand for padding and for unknown words. A token is looked
    up as it stands and then in its other forms (see `word_forms`). In a file,
    from which `WordLookup` does the same in the graph, each word is a line.

    Args:
        words: Sequence of str.
        lowercase: Whether a token that is no word is looked up in its
            lower-case form.
        zero_numbers: Whether at last its numbers are taken for `0`.

    Attributes:
        words: The list of words.
        lowercase: As above.
        zero_numbers: As above.

    Raises:
        InputError: There is no word, or one is empty, has a line end inside or
            is there twice.
    """

    def __init__(self, words, lowercase=False, zero_numbers=False):
        self._set_words(words, lambda number: f"vocabulary word {number}")
        self.lowercase = lowercase
        self.zero_numbers = zero_numbers

    @classmethod
    def build(
        cls,
        sentences,
        vectors=None,
        min_count=1,
        lowercase=False,
        zero_numbers=False,
    ):
        """Makes the vocabulary of training sentences and word vectors.

        All words that have a vector belong to it, whether or not they occur in
        the sentences: they stay known in other text. So do the tokens of the
        sentences that have no vector in any of their forms, each in the last
        of its forms, if that occurs often enough; they come first, by falling
        frequency, equally frequent ones by code points. What cannot be a line
        of a file, as the empty token, stays unknown.

        Args:
            sentences: Iterable of sequences of tokens (str).
            vectors: `WordVectors`; None: there are none.
            min_count: How often a word without a vector must occur.
            lowercase: As above.
            zero_numbers: As above.

        Returns:
            A `WordVocabulary`.

        Raises:
            InputError: As above.
        """
        counts = collections.Counter(
            token for sentence in sentences for token in sentence
        )
        without_vector = collections.Counter()
        forms = _python_forms(list(counts), lowercase, zero_numbers)
        for count, token_forms in zip(counts.values(), forms, strict=True):
            if vectors is None or not any(
                form in vectors for form in token_forms
            ):
                without_vector[token_forms[-1]] += count
        words = sorted(
            (word for word, n in without_vector.items() if n >= min_count),
            key=lambda word: (-without_vector[word], word),
        )
        if vectors is not None:
            words += vectors.words
        return cls(filter(_is_a_line, words), lowercase, zero_numbers)

    @classmethod
    def load(cls, path, lowercase=False, zero_numbers=False):
        """Reads a vocabulary file, one word a line.

        Args:
            path: The path of the file.
            lowercase: As above; the file does not say.
            zero_numbers: Likewise.

        Returns:
            A `WordVocabulary`.

        Raises:
            InputError: The file is missing, empty or not UTF-8, or as above;
                with the number of the line.
        """
        shards.check_file(path, expected="one word a line")
        vocabulary = cls.__new__(cls)
        vocabulary._set_words(
            (line.decode("utf-8") for line in shards.read_lines(path)),
            lambda number: f"{path}:{number}",
        )
        vocabulary.lowercase = lowercase
        vocabulary.zero_numbers = zero_numbers
        return vocabulary

    def _set_words(self, words, place):
        """Checks and takes over the words; `place` says where the nth is."""
        ids = {}
        for number, word in enumerate(words, 1):
            if not _is_a_line(word):
                raise InputError(
                    f"{place(number)}: found {word!r}, expected a word "
                    "without line end"
                )
            if word in ids:
                first = place(ids[word] - FIRST_ID + 1)
                raise InputError(
                    f"{place(number)}: found {word!r} again, which is "
                    f"at {first}, expected distinct words"
                )
            ids[word] = len(ids) + FIRST_ID
        if not ids:
            raise InputError("vocabulary: no words, expected at least one")
        self._ids = ids
        self.words = list(ids)

    def __len__(self):
        """The number of ids, those of padding and unknown words included."""
        return len(self.words) + FIRST_ID

    def save(self, path):
        """Writes the vocabulary, one word a line; never half a file.

        Args:
            path: The path of the file.

        Raises:
            OSError: The file cannot be written.
        """
        with (
            write_file(path) as partial,
            open(partial, "w", encoding="utf-8", newline="\n") as file,
        ):
            file.writelines(f"{word}\n" for word in self.words)

    def ids(self, tokens):
        """Looks up tokens.

        Args:
            tokens: Sequence of str.

        Returns:
            int32 array `[len(tokens)]`, 1 for unknown tokens.
        """
        ids = [
            next(
                (self._ids[form] for form in forms if form in self._ids),
                UNKNOWN_ID,
            )
            for forms in _python_forms(
                tokens, self.lowercase, self.zero_numbers
            )
        ]
        return np.array(ids, np.int32)

    def initial_vectors(self, vectors, seed):
        """Makes the vectors that training starts from.

        A word without a vector starts at random: each value is drawn from the
        normal distribution with the mean and standard deviation that the
        value has among the vectors. Their mean stands for unknown words.

        Args:
            vectors: `WordVectors`, at least one.
            seed: Non-negative int that determines the random values.

        Returns:
            float32 array `[len(self), vectors.dim]`; row i is the vector of
            id i, zeros for padding.

        Raises:
            InputError: There are no vectors.
        """
        if not len(vectors):
            raise InputError("word vectors: found none, expected at least one")
        mean = vectors.vectors.mean(axis=0, dtype=np.float64)
        # Without a second copy of the vectors.
        mean_square = np.einsum(
            "ij,ij->j", vectors.vectors, vectors.vectors, dtype=np.float64
        ) / len(vectors)
        deviation = np.sqrt(np.maximum(mean_square - mean**2, 0.0))
        initial = np.zeros([len(self), vectors.dim], np.float32)
        initial[UNKNOWN_ID] = mean
        generator = np.random.default_rng(seed)
        for row, word in enumerate(self.words, FIRST_ID):
            if word in vectors:
                initial[row] = vectors[word]
            else:
                initial[row] = generator.normal(mean, deviation)
        return initial


def _is_a_line(word):
    """Whether a file of one word a line gives the word back."""
    return word and "\n" not in word and "\r" not in word


def _python_forms(tokens, lowercase, zero_numbers):
    """The forms of each token: a list of tuples of str."""
    if not tokens:
        return []
    # The graph's own operations: Python knows other letters.
    return list(
        zip(
            *(
                [form.decode("utf-8") for form in forms.numpy()]
                for forms in word_forms(list(tokens), lowercase, zero_numbers)
            ),
            strict=True,
        )
    )
