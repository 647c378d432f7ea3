"""A server in a thread of its own, for tests."""

import asyncio
import threading

from elmo_tf.serving.embedded_server import Address
from elmo_tf.serving.embedded_server import EmbeddedServer
from elmo_tf.serving.limits import Limits
from elmo_tf.serving.model_server import ModelServer


class RunningServer:
    """A server in a thread of its own; a context manager.

    Args:
        paths: As for `ModelServer`.
        limits: A dictionary of what differs in its `Limits`.
        address: Likewise in its `Address`.
        poll_seconds: As for `EmbeddedServer`.
        **options: The other arguments of `ModelServer`.

    Attributes:
        models: The `ModelServer`.
    """

    def __init__(
        self, paths, limits=None, address=None, poll_seconds=0.05, **options
    ):
        self.models = ModelServer(paths, Limits(**(limits or {})), **options)
        self._server = EmbeddedServer(
            self.models,
            Address(**{"rest_port": 0, "grpc_port": 0, **(address or {})}),
            poll_seconds,
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self):
        self._thread.start()
        try:
            self._call(self._server.start())
        except BaseException:
            self._end_thread()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self._end_thread()

    def stop(self):
        """Stops it gracefully; once is enough."""
        if self._server is not None:
            self._call(self._server.stop())
            self._server = None

    @property
    def rest(self):
        """The URL of REST, without its scheme."""
        return f"localhost:{self._server.rest_port}"

    @property
    def grpc(self):
        """That of gRPC."""
        return f"localhost:{self._server.grpc_port}"

    def _end_thread(self):
        # One that goes on would keep the process from its end.
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work):
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(60)
