"""A text of one sentence a line, whose tokens are numbered."""

import array
import bisect
import hashlib

import numpy as np

from elmo_tf.text import shards
from elmo_tf.text import whitespace
from elmo_tf.text.corpus_statistics import no_tokens_error


class LineCorpus:
    """The tokens of files of one sentence a line, in their order.

    Args:
        input_path: As in `elmo_tf.text.list_shards`. The files are read once,
            and again whenever the sentences are asked for.

    Attributes:
        starts: int64 `[sentences + 1]`, how many tokens there are before each
            sentence, and in all.
        fingerprint: A text of 64 hexadecimal digits, which differs if a token
            does.

    Raises:
        InputError: As `elmo_tf.text.scan`.
    """

    def __init__(self, input_path):
        self._paths = shards.list_shards(input_path)
        # Of each file, the number of lines before it.
        self._lines_before = []
        digest = hashlib.sha256()
        lengths = array.array("q")
        for path in self._paths:
            before = len(lengths)
            self._lines_before.append(before)
            for tokens in _read(path):
                lengths.append(len(tokens))
                digest.update(b" ".join(tokens) + b"\n")
            if not any(lengths[before:]):
                raise no_tokens_error(path, len(lengths) - before)
        self.starts = np.concatenate(
            [[0], np.cumsum(np.frombuffer(lengths, np.int64))]
        )
        self.fingerprint = digest.hexdigest()

    @property
    def n_sentences(self):
        """Number of lines, blank ones among them."""
        return len(self.starts) - 1

    @property
    def n_tokens(self):
        """Number of tokens."""
        return int(self.starts[-1])

    def sentences(self):
        """Yields each sentence's list of tokens, str."""
        for path in self._paths:
            for tokens in _read(path):
                yield [token.decode() for token in tokens]

    def locate(self, number):
        """Finds a token.

        Args:
            number: The token's number, from 0 on.

        Returns:
            A tuple of the number of its sentence and its position there, both
            from 0 on.
        """
        sentence = int(np.searchsorted(self.starts, number, "right")) - 1
        return sentence, int(number - self.starts[sentence])

    def place(self, sentence):
        """Tells where a sentence stands.

        Args:
            sentence: Its number, from 0 on.

        Returns:
            A tuple of the file's path and the number of the line, from 1 on.
        """
        file = bisect.bisect_right(self._lines_before, sentence) - 1
        return self._paths[file], sentence - self._lines_before[file] + 1


def _read(path):
    """Yields the tokens of each line of a file, bytes."""
    for block in shards.read_blocks(path):
        block = whitespace.normalize(block)
        for line in block.removesuffix(b"\n").split(b"\n"):
            yield line.split()
