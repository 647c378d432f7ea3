"""Embeds shards of a corpus, one after the other."""

import hashlib

import tensorflow as tf

from elmo_tf.atomic_file import fill_hdf5
from elmo_tf.atomic_file import write_file
from elmo_tf.checksums import file_sha256
from elmo_tf.embedding_file import text_of_line
from elmo_tf.embedding_file import write_embeddings
from elmo_tf.errors import InputError
from elmo_tf.text.shards import read_range
from elmo_tf.text.shards import split_lines


class ShardEmbedder:
    """Embeds shards of a corpus, one after the other.

    A shard's file is the same, byte by byte, whoever writes it, after whichever
    other shards, with the same release of TensorFlow and number of threads on
    the same kind of processor.

    Args:
        elmo: The `Elmo`.
        options: A dictionary of the arguments of `write_embeddings` that are
            flags of the binary.
        output: The `OutputFolder`.
    """

    def __init__(self, elmo, options, output):
        self._elmo = elmo
        self._options = options
        self._output = output

    def embed(self, shard, progress=None):
        """Embeds a shard, unless it is complete.

        Args:
            shard: The `OutputShard`.
            progress: As for `write_embeddings`.

        Returns:
            The shard's record.

        Raises:
            InputError: The text has changed since the plan was made.
            OSError: The file cannot be written.
        """
        record = self._output.record(shard)
        if record is not None:
            return record
        text = read_range(shard.path, shard.offset, shard.size)
        if hashlib.sha256(text).hexdigest() != shard.sha256:
            raise InputError(
                f"{shard.path}: has changed since the plan was made, at or "
                f"behind line {shard.first_line + 1}"
            )
        # Words of earlier shards have other neighbours in the batches of the
        # character CNN, which their last bits may depend on.
        self._elmo.forget_words()
        try:
            n_tokens, sha256 = self._write(shard, text, progress)
        except FileNotFoundError:
            # Where locks do not reach, who has finished this shard elsewhere
            # has removed what is written here.
            record = self._output.record(shard)
            if record is None:
                raise
            return record
        return self._output.write_record(shard, n_tokens, sha256)

    def _write(self, shard, text, progress):
        with write_file(self._output.file(shard)) as partial:
            with fill_hdf5(partial) as file:
                _, n_tokens = write_embeddings(
                    file,
                    self._elmo,
                    map(text_of_line, split_lines(text)),
                    first_number=shard.first_line,
                    progress=progress,
                    **self._options,
                )
            sha256 = file_sha256(partial)
        return n_tokens, sha256


def use_threads(n_threads):
    """Sets how many threads TensorFlow computes with in this process.

    Args:
        n_threads: Their number.
    """
    tf.config.threading.set_intra_op_parallelism_threads(n_threads)
    tf.config.threading.set_inter_op_parallelism_threads(n_threads)
