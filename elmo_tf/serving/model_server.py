"""Serves models: what is common to REST and gRPC."""

import asyncio
import concurrent.futures
import contextlib
import re
import time

import grpc
from absl import logging

from elmo_tf.errors import InputError
from elmo_tf.serving.limits import Limits
from elmo_tf.serving.micro_batcher import MicroBatcher
from elmo_tf.serving.served_model import ServedModel
from elmo_tf.serving.served_versions import ServedVersions
from elmo_tf.serving.server_metrics import ServerMetrics
from elmo_tf.serving.serving_error import ServingError


class LoadedVersion:
    """A version of a model that takes requests.

    Args:
        model: The `ServedModel`.
        batcher: Its `MicroBatcher`.
    """

    def __init__(self, model, batcher):
        self.model = model
        self.batcher = batcher


class ModelServer:
    """Serves models: what is common to REST and gRPC.

    Nothing of TensorFlow, and no conversion of arrays, runs in the event loop.

    Args:
        paths: A dictionary from the models' names to their folders; see
            `ServedVersions`.
        limits: The `Limits`.
        n_workers: How many batches run at once.
        max_batch_size: See `MicroBatcher`.
        batch_timeout: See `MicroBatcher`.

    Raises:
        InputError: A folder has nothing that can be served.
    """

    def __init__(
        self,
        paths,
        limits=None,
        n_workers=1,
        max_batch_size=32,
        batch_timeout=0.0,
    ):
        self.limits = limits or Limits()
        self.metrics = ServerMetrics()
        self._n_workers = n_workers
        self._max_batch_size = max_batch_size
        self._batch_timeout = batch_timeout
        self._workers = concurrent.futures.ThreadPoolExecutor(
            n_workers, "worker"
        )
        self._converters = concurrent.futures.ThreadPoolExecutor(
            n_workers + 1, "converter"
        )
        self._n_active = 0
        self._is_stopping = False
        self._models = {}
        for name, path in paths.items():
            versions = ServedVersions(name, path, self._loader(name))
            versions.load_first()
            self._models[name] = versions

    @property
    def is_ready(self):
        """Whether requests are taken."""
        return not self._is_stopping

    @property
    def n_active(self):
        """The number of requests for predictions that are not answered yet."""
        return self._n_active

    @property
    def names(self):
        """The models' names, a list."""
        return list(self._models)

    def versions(self, name):
        """Returns a model's `ServedVersions`.

        Args:
            name: The model's name.

        Raises:
            ServingError: There is no such model.
        """
        if name not in self._models:
            raise ServingError(
                grpc.StatusCode.NOT_FOUND,
                f"Servable not found for request: Latest({name})",
            )
        return self._models[name]

    @contextlib.asynccontextmanager
    async def request(self, api, name, version=None):
        """Surrounds a request for a prediction: its time-out and its metrics.

        Args:
            api: "rest" or "grpc".
            name: The model's name.
            version: The version's number; None: the newest.

        Yields:
            The `LoadedVersion`, which stays loaded.

        Raises:
            ServingError: The model or version is not served, the server is
                stopping, or the request takes too long.
        """
        if self._is_stopping:
            raise ServingError(
                grpc.StatusCode.UNAVAILABLE, "the server is stopping"
            )
        versions = self.versions(name)
        start = time.monotonic()
        # Of what is a defect of ours.
        code = grpc.StatusCode.INTERNAL
        self._n_active += 1
        try:
            async with asyncio.timeout(self.limits.timeout):
                with versions.use(version) as loaded:
                    yield loaded
            code = grpc.StatusCode.OK
        except TimeoutError:
            code = grpc.StatusCode.DEADLINE_EXCEEDED
            raise ServingError(
                code, f"not answered within {self.limits.timeout:g} seconds"
            ) from None
        except ServingError as error:
            code = error.code
            raise
        except asyncio.CancelledError:
            # The client has left.
            code = grpc.StatusCode.CANCELLED
            raise
        finally:
            self._n_active -= 1
            self.metrics.add_request(
                name, api, code.name, time.monotonic() - start
            )

    async def convert(self, function, *arguments):
        """Runs a conversion outside of the event loop.

        Args:
            function: The function.
            *arguments: Its arguments.

        Returns:
            What it returns.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._converters, function, *arguments
        )

    def check_inputs(self, signature, inputs):
        """Checks how large inputs are.

        Args:
            signature: The `Signature`.
            inputs: A dictionary of arrays.

        Raises:
            ServingError: They are too large, or not the signature's.
        """
        signature.check_names(inputs)
        for name, spec in signature.inputs.items():
            array = inputs[name]
            self.limits.check_shape(name, array.shape, spec)
            if array.dtype == object and array.ndim == 1:
                self.limits.check_strings(name, array)

    async def poll(self, seconds):
        """Looks for new versions for ever.

        Args:
            seconds: How long it rests in between.
        """
        while True:
            await asyncio.sleep(seconds)
            for versions in self._models.values():
                try:
                    await asyncio.to_thread(versions.refresh)
                except OSError as error:
                    # Perhaps a disk that comes back.
                    logging.error("%s: %s", versions.name, error)

    def metrics_text(self):
        """Returns Prometheus' text, bytes."""
        for name, versions in self._models.items():
            with versions.use() as loaded:
                number = loaded.model.version
            waiting = sum(
                loaded.batcher.n_waiting for loaded in versions.loaded()
            )
            self.metrics.set_model(name, number, waiting)
        return self.metrics.text()

    async def stop(self, seconds):
        """Takes no more requests, and waits for those that run.

        Args:
            seconds: The most seconds to wait.
        """
        self._is_stopping = True
        end = time.monotonic() + seconds
        while self._n_active and time.monotonic() < end:
            await asyncio.sleep(0.01)

    def close(self):
        """Ends the threads; what runs ends first."""
        self._workers.shutdown(cancel_futures=True)
        self._converters.shutdown(cancel_futures=True)

    def _loader(self, name):
        def load(folder, version):
            model = ServedModel(folder, version)
            model.warm_up(folder)
            return LoadedVersion(
                model,
                MicroBatcher(
                    model,
                    self._workers,
                    self._n_workers,
                    self._max_batch_size,
                    self._batch_timeout,
                    self.limits.max_queue,
                    lambda rows: self.metrics.add_batch(name, rows),
                ),
            )

        return load


def read_models(values):
    """Reads what models to serve.

    Args:
        values: A list of strings `NAME:DIR`.

    Returns:
        A dictionary from names to folders.

    Raises:
        InputError: One is something else, a name is there twice, or the list is
            empty.
    """
    models = {}
    for value in values:
        name, _, path = value.partition(":")
        if not (path and re.fullmatch(r"[\w.-]+", name, re.ASCII)):
            raise InputError(
                f"--model={value}: expected NAME:DIR with a name of letters, "
                "digits and the characters . _ -"
            )
        if name in models:
            raise InputError(f"--model={value}: {name} is there twice")
        models[name] = path
    if not models:
        raise InputError("--model: expected NAME:DIR, found nothing")
    return models
