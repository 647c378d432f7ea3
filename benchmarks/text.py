"""Random sentences that are to a biLM what natural text is."""

import numpy as np

_N_WORDS = 100_000
# Zipf's law with the offset of Mandelbrot, which fits the frequent words, and a
# second, steeper exponent from some rank on. Of n running words this many
# differ, and in English novels: 496 and 530 of 1,108; 1,483 and 1,553 of 4,880;
# 4,018 and 3,846 of 19,141; 16,889 and 15,850 of 193,267; 52,192 and 52,859 of
# 1,934,347.
_OFFSET = 2.7
_EXPONENT = 1.1
_RARE_RANK = 1000
_RARE_EXPONENT = 1.5


class RandomText:
    """Sentences of words with natural frequencies and lengths.

    Two texts of the same seed give the same sentences; a text's later sentences
    are of the same vocabulary as its earlier ones, so that they hold new words
    as often as natural text does.

    Args:
        seed: A non-negative integer.
    """

    def __init__(self, seed):
        self._random = np.random.default_rng(seed)
        self.words = _make_words(self._random)
        ranks = np.arange(1, _N_WORDS + 1.0)
        weights = (ranks + _OFFSET) ** -_EXPONENT
        rare = ranks > _RARE_RANK
        weights[rare] *= (ranks[rare] / _RARE_RANK) ** (
            _EXPONENT - _RARE_EXPONENT
        )
        self._cumulative = np.cumsum(weights / weights.sum())

    def sentences(self, n, shortest=5, longest=50):
        """Makes the next sentences.

        Args:
            n: How many.
            shortest: Number of words of the shortest; all lengths up to
                `longest` are equally frequent.
            longest: Number of words of the longest.

        Returns:
            A list of lists of words.
        """
        lengths = self._random.integers(shortest, longest + 1, n)
        ranks = np.searchsorted(
            self._cumulative, self._random.random(lengths.sum())
        )
        return self._cut(lengths, np.minimum(ranks, _N_WORDS - 1))

    def sentences_of_vocabulary(self, n, length, n_distinct):
        """Makes the next sentences, of equally frequent words.

        Args:
            n: How many.
            length: Number of words of each.
            n_distinct: Number of distinct words, at most those of all.

        Returns:
            A list of lists of words.
        """
        chosen = self._random.choice(_N_WORDS, n_distinct, replace=False)
        words = np.resize(chosen, n * length)
        self._random.shuffle(words)
        return self._cut(np.full(n, length), words)

    def _cut(self, lengths, indices):
        words = [self.words[index] for index in indices]
        ends = np.cumsum(lengths)
        return [
            words[end - length : end]
            for end, length in zip(ends, lengths, strict=True)
        ]


def _make_words(random):
    """Makes distinct words, the frequent ones shorter as in English."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    log_rank = np.log10(np.arange(1, _N_WORDS + 1))
    lengths = 0.6 + 1.67 * log_rank
    lengths += random.standard_normal(_N_WORDS) * 0.63 * log_rank
    lengths = np.maximum(np.rint(lengths), 1).astype(int)
    words = {}
    for length in lengths:
        word = "".join(letters[i] for i in random.integers(0, 26, length))
        while word in words:
            word += letters[random.integers(0, 26)]
        words[word] = None
    return list(words)


def n_tokens(sentences):
    """The number of words of a list of sentences."""
    return sum(len(sentence) for sentence in sentences)


def distinct_words(sentences):
    """The set of words of a list of sentences."""
    return {word for sentence in sentences for word in sentence}
