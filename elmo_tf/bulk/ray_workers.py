"""Embeds shards with Ray Data: by many processes, on one machine or several."""

import contextlib
import importlib
import json
import logging
import os
import sys
import warnings

import tensorflow as tf

from elmo_tf.bulk.output_shard import OutputShard
from elmo_tf.bulk.shard_embedder import ShardEmbedder
from elmo_tf.bulk.shard_embedder import use_threads
from elmo_tf.errors import InputError
from elmo_tf.errors import RunError

# How often a shard is begun again whose worker has died.
_MAX_RETRIES = 3
# Embeddings do not go through Ray; 75 MB is the least it takes.
_OBJECT_STORE_BYTES = 80 * 2**20


class RayWorkers:
    """Workers that embed shards, each with the model in its memory.

    A worker that dies is started again, and so is its shard, by it or another.

    Args:
        n_workers: How many there are.
        address: The address of a Ray cluster, "auto" for the one that this
            machine belongs to; None: one is started on this machine and ended
            with the work.
        threads: How many threads each computes with.
        gpus: How many GPUs each has for itself; may be a fraction.

    Raises:
        InputError: Ray is not installed.
    """

    def __init__(self, n_workers, address=None, threads=1, gpus=0.0):
        # Unless the user wants them.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            self._ray = importlib.import_module("ray")
            self._data = importlib.import_module("ray.data")
        except ImportError as error:
            raise InputError(
                f"--workers and --ray_address need Ray ({error}): pip install "
                "--requirement requirements-ray.txt"
            ) from None
        # They are the workers'.
        tf.config.set_visible_devices([], "GPU")
        self._n_workers = n_workers
        self._address = address
        self._threads = threads
        self._gpus = gpus

    def embed(self, shards, source, model, options, output):
        """Embeds shards.

        Args:
            shards: A list of `OutputShard`, one at least.
            source: The `EmbedderSource`, its paths the same on all machines.
            model: The fingerprint that it must have.
            options: As for `ShardEmbedder`.
            output: The `OutputFolder`, likewise.

        Yields:
            The shards' records, in the order in which they are ready.

        Raises:
            InputError: As `ShardEmbedder`; or there is no cluster, or another
                model.
            OSError: As `ShardEmbedder`.
            RunError: Ray fails, or workers die again and again.
        """
        # What Ray prints is for people, not for who reads our result.
        with contextlib.redirect_stdout(sys.stderr), self._cluster():
            dataset = self._dataset(
                shards, (source, model, options, output, self._threads)
            )
            try:
                for row in dataset.iter_rows():
                    yield _record(json.loads(row["result"]))
            except self._ray.exceptions.RayActorError as error:
                raise RunError(
                    "a worker died, and again when its shard was begun again "
                    f"{_MAX_RETRIES} times: {_first_line(error)} What is "
                    "complete is kept."
                ) from None

    def _dataset(self, shards, arguments):
        """What gives a row for each shard when it is read."""
        rows = [{"shard": json.dumps(vars(shard))} for shard in shards]
        dataset = self._data.from_items(rows, override_num_blocks=len(rows))
        with warnings.catch_warnings():
            # There is no other way yet to say how often to begin again; for
            # ever, by default.
            warnings.filterwarnings("ignore", ".*ray_remote_args")
            return dataset.map(
                _Worker,
                fn_constructor_args=arguments,
                compute=self._data.ActorPoolStrategy(
                    size=min(self._n_workers, len(rows)),
                    # The last shards go to whoever is free.
                    max_tasks_in_flight_per_actor=1,
                ),
                num_cpus=self._threads,
                num_gpus=self._gpus,
                max_restarts=-1,
                max_task_retries=_MAX_RETRIES,
            )

    @contextlib.contextmanager
    def _cluster(self):
        ray = self._ray
        options = {}
        if self._address is None:
            options = {
                "num_cpus": self._n_workers * self._threads,
                "include_dashboard": False,
                "object_store_memory": _OBJECT_STORE_BYTES,
            }
        try:
            ray.init(
                address=self._address or "local",
                logging_level=logging.WARNING,
                **options,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(
                f"--ray_address={self._address or ''}: no Ray cluster: "
                f"{_first_line(error)}"
            ) from None
        self._data.DataContext.get_current().enable_progress_bars = False
        # Errors are told in our words.
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            ray.shutdown()


class _Worker:
    """What Ray Data calls with a row for each shard."""

    def __init__(self, source, model, options, output, threads):
        use_threads(threads)
        self._source = source
        self._model = model
        self._options = options
        self._output = output
        self._embedder = None

    def __call__(self, row):
        # What is the user's to mend is told without a traceback.
        try:
            if self._embedder is None:
                self._embedder = ShardEmbedder(
                    self._source.load(self._model), self._options, self._output
                )
            shard = OutputShard(**json.loads(row["shard"]))
            result = {"record": self._embedder.embed(shard)}
        except InputError as error:
            result = {"input_error": str(error)}
        except OSError as error:
            result = {"os_error": str(error)}
        return {"result": json.dumps(result)}


def _record(result):
    if "input_error" in result:
        raise InputError(result["input_error"])
    if "os_error" in result:
        raise OSError(result["os_error"])
    return result["record"]


def _first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
