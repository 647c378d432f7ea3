"""The progress line of a bulk embedding."""

import time

from elmo_tf.training.progress import Progress


class BulkProgress:
    """Prints a line now and then: what is done, how fast, how long still.

    Args:
        shards: The list of `OutputShard`.
        todo: Those of them that are not complete yet.
        file: Where to print; None: standard output.
    """

    def __init__(self, shards, todo, file=None):
        self._total = sum(shard.sentences for shard in shards)
        self._first = self._total - sum(shard.sentences for shard in todo)
        self._sentences = self._first
        self._shards = len(shards) - len(todo)
        self._tokens_in_shard = 0
        self._start = time.monotonic()
        self._progress = Progress(
            *(self._total, self._first), step_name="sentence", file=file
        )

    def advance(self, sentences, tokens):
        """Counts a sentence of the shard that is being embedded.

        Args:
            sentences: How many sentences of the shard are done.
            tokens: The number of tokens of the last one.
        """
        self._tokens_in_shard += tokens
        # The last one's line comes with its shard.
        if self._sentences + sentences < self._total:
            self._print(self._sentences + sentences, tokens)

    def finish(self, record):
        """Counts a shard.

        Args:
            record: Its record; see `OutputFolder`.
        """
        tokens = record["tokens"] - self._tokens_in_shard
        self._tokens_in_shard = 0
        self._sentences += record["sentences"]
        self._shards += 1
        self._print(self._sentences, tokens)

    def _print(self, sentences, tokens):
        seconds = max(time.monotonic() - self._start, 1e-9)
        self._progress.update(
            sentences,
            tokens,
            {
                "sentences/s": (sentences - self._first) / seconds,
                "shards": self._shards,
            },
        )
