"""Embeds a corpus in shards: plans it, and does what is missing."""

import os

import tensorflow as tf

from elmo_tf.bulk.bulk_progress import BulkProgress
from elmo_tf.bulk.corpus_plan import CorpusPlan
from elmo_tf.bulk.corpus_plan import InputFile
from elmo_tf.bulk.output_folder import OutputFolder
from elmo_tf.bulk.shard_embedder import ShardEmbedder
from elmo_tf.errors import InputError
from elmo_tf.text.shards import list_shards


class BulkEmbedding:
    """A corpus that is to be embedded, and the folder with what was done.

    Args:
        source: The `EmbedderSource`.
        input_path: The corpus, as in `elmo_tf.text.shards.list_shards`.
        output_dir: The folder; made if it does not exist.
        options: A dictionary of the arguments of
            `elmo_tf.embedding_file.write_embeddings` that are flags of the
            binary.
        shard_sentences: The most sentences of a shard.
        threads: How many threads a process computes with.
        progress: Called while the corpus is read; see `CorpusPlan.make`.

    Attributes:
        plan: The `CorpusPlan`.

    Raises:
        InputError: The corpus cannot be read, or the folder holds what was
            begun with another corpus, model or options.
    """

    def __init__(
        self,
        source,
        input_path,
        output_dir,
        options,
        shard_sentences=10_000,
        threads=1,
        progress=None,
    ):
        self._source = source.absolute()
        self._options = options
        self._threads = threads
        self._elmo = None
        if os.path.lexists(output_dir) and not os.path.isdir(output_dir):
            raise InputError(f"--output_dir={output_dir}: not a folder")
        self._make_plan(
            list_shards(input_path), output_dir, shard_sentences, progress
        )
        self._output = OutputFolder(
            os.path.abspath(output_dir), self.plan.identity
        )

    def run(self, workers=None, share=(0, 1), progress_file=None):
        """Embeds what is missing.

        Args:
            workers: The `RayWorkers`; None: this process works.
            share: A tuple of I and N: of this process is every Nth shard, from
                the Ith on.
            progress_file: Where to print what is done; None: standard output.

        Returns:
            The manifest; None: others have not done their share yet.

        Raises:
            InputError: As `ShardEmbedder` and `RayWorkers`.
            OSError: As `ShardEmbedder`.
            RunError: As `RayWorkers`.
        """
        index, number = share
        shards = self.plan.shards[index::number]
        todo = [shard for shard in shards if not self._output.record(shard)]
        self._output.clear(set(shards).difference(todo))
        if todo:
            progress = BulkProgress(shards, todo, progress_file)
            if workers is None:
                records = self._embed_here(todo, progress)
            else:
                # The workers load it for themselves.
                self._elmo = None
                records = workers.embed(
                    *(todo, self._source, self.plan.model),
                    *(self._options, self._output),
                )
            for record in records:
                progress.finish(record)
        return self._output.write_manifest(self.plan)

    def _embed_here(self, shards, progress):
        elmo = self._elmo or self._source.load(self.plan.model)
        embedder = ShardEmbedder(elmo, self._options, self._output)
        for shard in shards:
            yield embedder.embed(shard, progress.advance)

    def _make_plan(self, paths, output_dir, shard_sentences, progress):
        model = self._source.fingerprint()
        options = {
            **{f"--{name}": value for name, value in self._options.items()},
            "--shard_sentences": shard_sentences,
            "--threads_per_worker": self._threads,
            "--word_cache_size": self._source.word_cache_size,
            "--dtype": self._source.dtype,
            "TensorFlow": tf.__version__,
        }
        plan = CorpusPlan.load(output_dir)
        if plan is None:
            # A plan for what is no model would be in the way.
            self._elmo = self._source.load()
        else:
            plan.check_same_way(model, options, output_dir)
            files = tuple(map(InputFile.of, paths))
            if plan.check_same_files(files, output_dir):
                self.plan = plan
                return
        self.plan = CorpusPlan.make(
            paths, shard_sentences, model, options, progress
        )
        if plan is not None:
            plan.check_same_content(self.plan, output_dir)
        os.makedirs(output_dir, exist_ok=True)
        self.plan.save(output_dir)
