"""A server of TensorFlow Serving's two APIs, for where that is not to be had.

It stands on aiohttp and gRPC alone, in one process. `examples/ray_serve.py` has
what it consists of answer in the replicas of Ray Serve instead.
"""

import asyncio
import contextlib
import dataclasses
import ipaddress
import logging
import signal
import ssl
import time

import grpc
from aiohttp import http_exceptions
from aiohttp import web

from elmo_tf.errors import InputError
from elmo_tf.serving.bearer_token import BearerToken
from elmo_tf.serving.grpc_api import GrpcApi
from elmo_tf.serving.rest_api import RestApi

# Of requests, which aiohttp would log with a traceback each.
_CLIENTS_MISTAKES = (
    http_exceptions.HttpProcessingError,
    web.RequestPayloadError,
)


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a server listens.

    Attributes:
        host: A name or an address.
        rest_port: The port of REST; 0: any that is free; None: no REST.
        grpc_port: Likewise of gRPC.
        token: The `BearerToken` that requests need; None: none.
        tls_cert: The file of the certificate chain, PEM; None: no TLS.
        tls_key: The file of its key, PEM.

    Raises:
        InputError: There is a certificate without its key, or the reverse.
    """

    host: str = "127.0.0.1"
    rest_port: int | None = 8501
    grpc_port: int | None = 8500
    token: BearerToken | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def __post_init__(self):
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InputError("--tls_cert and --tls_key need each other")

    @property
    def is_loopback(self):
        """Whether no other machine reaches it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class EmbeddedServer:
    """A server of TensorFlow Serving's two APIs.

    Args:
        server: The `ModelServer`.
        address: The `Address`.
        poll_seconds: How long it waits before it looks for new versions again.
        grace_seconds: How long requests may take that still run at the end.

    Attributes:
        rest_port: The port of REST, once started; None without.
        grpc_port: Likewise of gRPC.
    """

    def __init__(self, server, address, poll_seconds=2.0, grace_seconds=30.0):
        self._server = server
        self._address = address
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._runner = None
        self._grpc = None
        self._poller = None
        self.rest_port = None
        self.grpc_port = None

    async def start(self):
        """Starts to listen.

        Raises:
            InputError: A port is taken, or TLS' files cannot be used.
        """
        address = self._address
        if address.rest_port is not None:
            await self._start_rest()
        if address.grpc_port is not None:
            await self._start_grpc()
        self._poller = asyncio.create_task(
            self._server.poll(self._poll_seconds)
        )

    async def stop(self):
        """Takes no more requests, and waits for those that run."""
        self._poller.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._poller
        end = time.monotonic() + self._grace_seconds
        await self._server.stop(self._grace_seconds)
        if self._grpc is not None:
            # Answers are perhaps still on their way.
            await self._grpc.stop(max(1.0, end - time.monotonic()))
        if self._runner is not None:
            await self._runner.cleanup()
        self._server.close()

    async def run(self, on_start):
        """Serves until SIGTERM or SIGINT.

        Args:
            on_start: Called without arguments once requests are taken.

        Raises:
            InputError: As `start`.
        """
        end = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, end.set)
        await self.start()
        on_start()
        await end.wait()
        await self.stop()

    async def _start_rest(self):
        address = self._address
        context = None
        if address.tls_cert is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            try:
                context.load_cert_chain(address.tls_cert, address.tls_key)
            except (OSError, ssl.SSLError) as error:
                raise InputError(
                    f"{address.tls_cert}, {address.tls_key}: not a certificate "
                    f"and its key: {error}"
                ) from None
        # Requests that have run to their end have had their grace already.
        self._runner = web.AppRunner(
            RestApi(self._server, address.token).application(),
            access_log=None,
            logger=_logger(),
            handler_cancellation=True,
            # Of connections without a request, or with half of one's headers.
            keepalive_timeout=self._server.limits.timeout,
            shutdown_timeout=1.0,
        )
        await self._runner.setup()
        site = web.TCPSite(
            self._runner,
            address.host,
            address.rest_port,
            ssl_context=context,
        )
        try:
            await site.start()
        except OSError as error:
            raise InputError(
                f"--rest_port={address.rest_port}: {error.strerror}"
            ) from None
        self.rest_port = self._runner.addresses[0][1]

    async def _start_grpc(self):
        address = self._address
        self._grpc = GrpcApi(self._server, address.token).make_server()
        host = f"[{address.host}]" if ":" in address.host else address.host
        target = f"{host}:{address.grpc_port}"
        try:
            if address.tls_cert is None:
                self.grpc_port = self._grpc.add_insecure_port(target)
            else:
                self.grpc_port = self._grpc.add_secure_port(
                    target, _grpc_credentials(address)
                )
        except RuntimeError:
            raise InputError(
                f"--grpc_port={address.grpc_port}: cannot listen at {target}"
            ) from None
        await self._grpc.start()


def _logger():
    """aiohttp's logger without clients' mistakes, of which these are told."""

    def is_ours(record):
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, _CLIENTS_MISTAKES)

    logger = logging.getLogger(__name__)
    logger.filters = [is_ours]
    return logger


def _grpc_credentials(address):
    contents = []
    for path in (address.tls_key, address.tls_cert):
        with open(path, "rb") as file:
            contents.append(file.read())
    return grpc.ssl_server_credentials([tuple(contents)])
