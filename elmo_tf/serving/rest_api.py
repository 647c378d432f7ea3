"""TensorFlow Serving's REST API, health, metrics, and the page for people."""

import asyncio

import grpc
from aiohttp import web

from elmo_tf.serving import rest_protocol
from elmo_tf.serving.request_body import read_body
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.web_page import WebPage

_OPEN_PATHS = {"/healthz", "/readyz"} | WebPage.open_paths


class RestApi:
    """TensorFlow Serving's REST API, health, metrics, and the page for people.

        POST /v1/models/NAME[/versions/V]:predict
        GET  /v1/models/NAME[/versions/V]
        GET  /v1/models/NAME[/versions/V]/metadata
        GET  /healthz, /readyz
        GET  /metrics, /monitoring/prometheus/metrics
        GET  / and what `WebPage` tells of

    Args:
        server: The `ModelServer`.
        token: The `BearerToken` that all requests need but those for health
            and for the page's files; None: none.
    """

    def __init__(self, server, token=None):
        self._server = server
        self._token = token
        self._page = WebPage(server)

    def application(self):
        """Returns the `aiohttp.web.Application`."""
        application = web.Application(
            client_max_size=self._server.limits.max_body_bytes,
            middlewares=[self._guard],
        )
        application.router.add_get("/healthz", self._health)
        application.router.add_get("/readyz", self._readiness)
        for path in ("/metrics", "/monitoring/prometheus/metrics"):
            application.router.add_get(path, self._metrics)
        self._page.add_routes(application.router)
        application.router.add_route("*", "/{path:.*}", self._models)
        return application

    @web.middleware
    async def _guard(self, request, handler):
        """Checks the token, and answers errors."""
        try:
            if request.path not in _OPEN_PATHS:
                self._check_token(request)
            return await handler(request)
        except ServingError as error:
            return _error(rest_protocol.http_status(error), str(error))
        except web.HTTPException as error:
            return _error(error.status, error.reason)

    def _check_token(self, request):
        if self._token is not None and not self._token.matches(
            request.headers.get("Authorization", "")
        ):
            raise ServingError(
                grpc.StatusCode.UNAUTHENTICATED,
                "expected a valid bearer token",
            )

    async def _health(self, request):
        return web.json_response({"status": "alive"})

    async def _readiness(self, request):
        if self._server.is_ready:
            return web.json_response({"status": "ready"})
        return web.json_response({"status": "stopping"}, status=503)

    async def _metrics(self, request):
        return web.Response(
            body=self._server.metrics_text(),
            content_type="text/plain",
            charset="utf-8",
        )

    async def _models(self, request):
        target = rest_protocol.parse_target(request.method, request.path)
        if target.verb == rest_protocol.PREDICT:
            return await self._predict(request, target)
        return _json(rest_protocol.describe(self._server, target))

    async def _predict(self, request, target):
        name, version, _ = target
        async with self._server.request("rest", name, version) as loaded:
            # Before the work of reading it.
            loaded.batcher.check_queue()
            body = await read_body(request)
            content = await rest_protocol.predict(self._server, loaded, body)
            response = _json(content)
            await _send(request, response)
        return response


async def _send(request, response):
    """Sends an answer; returns when the kernel has all of it."""
    transport = request.transport
    if transport is None:
        raise asyncio.CancelledError("the client has left")
    transport.set_write_buffer_limits(high=0)
    try:
        await response.prepare(request)
        await response.write_eof()
    except ConnectionError:
        raise asyncio.CancelledError("the client has left") from None
    except asyncio.CancelledError:
        # Who does not take it in time must not keep it in memory.
        transport.abort()
        raise


def _error(status, message):
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return _json(rest_protocol.error_json(message), status, headers)


def _json(content, status=200, headers=None):
    return web.Response(
        body=content,
        status=status,
        content_type="application/json",
        headers=headers,
    )
