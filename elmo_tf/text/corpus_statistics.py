"""The size of a corpus, known after a reading that checks all of it."""

import dataclasses

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text import whitespace


@dataclasses.dataclass(frozen=True)
class CorpusStatistics:
    """The size of a corpus.

    Attributes:
        shards: Number of files.
        sentences: Number of lines, blank ones included.
        tokens: Number of tokens, sentence boundaries not counted.
    """

    shards: int
    sentences: int
    tokens: int

    @property
    def targets(self):
        """Number of tokens that one direction predicts in one pass.

        Besides its tokens each sentence has one boundary to predict.
        """
        return self.tokens + self.sentences


def scan(input_path, progress=None):
    """Reads a whole corpus once, so that bad data is found before training.

    Args:
        input_path: The corpus, as in `list_shards`.
        progress: A function called now and then with two ints, the bytes read
            so far and in all (as stored on disk).

    Returns:
        The `CorpusStatistics`.

    Raises:
        InputError: If a shard is missing, empty or without any token, cannot
            be read, is a damaged gzip file or is not UTF-8; with the number
            of the line where there is one.
    """
    paths = shards.list_shards(input_path)
    advance = shards.progress_over(paths, progress)
    sentences = 0
    tokens = 0
    for path in paths:
        shard_sentences = 0
        shard_tokens = 0
        for block in shards.read_blocks(path, advance):
            shard_tokens += len(whitespace.normalize(block).split())
            shard_sentences += block.count(b"\n") + (not block.endswith(b"\n"))
        if not shard_tokens:
            raise no_tokens_error(path, shard_sentences)
        sentences += shard_sentences
        tokens += shard_tokens
    return CorpusStatistics(len(paths), sentences, tokens)


def no_tokens_error(path, n_lines):
    """Returns the InputError for a shard of blank lines only."""
    return InputError(
        f"{path}: no token in {n_lines} blank lines, expected one sentence a "
        "line"
    )
