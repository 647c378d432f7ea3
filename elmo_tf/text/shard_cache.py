"""Shards in memory."""

import weakref

import numpy as np

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import whitespace
from elmo_tf.text.corpus_statistics import no_tokens_error


class ShardCache:
    """Loads shards, each once as long as somebody uses it.

    The two directions of a language model read the same corpus: when that is
    one file, they share its text.
    """

    def __init__(self):
        self._shards = weakref.WeakValueDictionary()

    def load(self, path, size):
        """Returns a shard, read from its file unless it is in use already.

        Args:
            path: The path of the file.
            size: The size in bytes that the file should have.

        Returns:
            A sequence of lines: `len(shard)` is their number,
            `shard.tokens(i)` the list of the tokens (bytes) of line i.

        Raises:
            InputError: If the file has another size or no token, or as
                `read_blocks`.
        """
        shard = self._shards.get(path)
        if shard is None:
            shard = self._shards[path] = _Shard(path, size)
        return shard


class _Shard:
    """The text of a file, and where its lines end.

    Tens of millions of tokens as Python objects would take ten times the
    memory of the text.
    """

    def __init__(self, source, size):
        self.source = source
        blocks = []
        # Line i is text[line_breaks[i] + 1 : line_breaks[i + 1]].
        line_breaks = [np.array([-1])]
        n_bytes = 0
        n_read = 0

        def count(n):
            nonlocal n_read
            n_read += n

        for block in shards.read_blocks(source, count):
            block = whitespace.normalize(block)
            blocks.append(block)
            is_break = np.frombuffer(block, np.uint8) == ord("\n")
            line_breaks.append(np.flatnonzero(is_break) + n_bytes)
            n_bytes += len(block)
        if n_read != size:
            raise InputError(
                f"{source}: changed while it was in use, from {size} to "
                f"{n_read} bytes"
            )
        self._text = b"".join(blocks)
        if not self._text.endswith(b"\n"):
            line_breaks.append(np.array([n_bytes]))
        self._line_breaks = np.concatenate(line_breaks)
        if not self._text or self._text.isspace():
            raise no_tokens_error(source, len(self))

    def __len__(self):
        return len(self._line_breaks) - 1

    def tokens(self, line):
        start, end = self._line_breaks[line : line + 2]
        return self._text[start + 1 : end].split()
