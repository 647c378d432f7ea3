"""TensorFlow Serving's REST API, health, metrics, and the page for people."""

import asyncio
import json
import re

import grpc
from aiohttp import web
from google.protobuf import json_format
from tensorflow_serving.apis import get_model_metadata_pb2

from elmo_tf.serving import predict_json
from elmo_tf.serving.request_body import read_body
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.web_page import WebPage

_PATH = re.compile(
    r"/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>\d{1,18}))?"
    r"(?P<verb>:predict|[:/]metadata)?"
)
_CODE = grpc.StatusCode
_STATUS = {
    _CODE.INVALID_ARGUMENT: 400,
    _CODE.UNAUTHENTICATED: 401,
    _CODE.NOT_FOUND: 404,
    # Of a request's body.
    _CODE.OUT_OF_RANGE: 413,
    _CODE.RESOURCE_EXHAUSTED: 429,
    _CODE.INTERNAL: 500,
    _CODE.UNIMPLEMENTED: 501,
    _CODE.UNAVAILABLE: 503,
    _CODE.DEADLINE_EXCEEDED: 504,
}
_OPEN_PATHS = {"/healthz", "/readyz"} | WebPage.open_paths
_METHODS = {None: "GET", ":predict": "POST"}


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
            return _error(_STATUS.get(error.code, 500), str(error))
        except web.HTTPException as error:
            return _error(error.status, error.reason)

    def _check_token(self, request):
        if self._token is not None and not self._token.matches(
            request.headers.get("Authorization", "")
        ):
            raise ServingError(
                _CODE.UNAUTHENTICATED, "expected a valid bearer token"
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
        match = _PATH.fullmatch(request.path)
        if match is None or request.method != _METHODS.get(
            match["verb"], "GET"
        ):
            raise ServingError.invalid(
                f"Malformed request: {request.method} {request.path}"
            )
        name = match["name"]
        version = match["version"] and int(match["version"])
        if match["verb"] == ":predict":
            return await self._predict(request, name, version)
        if match["verb"] is None:
            return self._status(name, version)
        return self._metadata(name, version)

    async def _predict(self, request, name, version):
        server = self._server
        async with server.request("rest", name, version) as loaded:
            # Before the work of reading it.
            loaded.batcher.check_queue()
            body = await read_body(request)

            def read():
                document, signature_name = predict_json.parse_json(body)
                signature = loaded.model.signature(signature_name)
                inputs, layout = predict_json.read_inputs(document, signature)
                server.check_inputs(signature, inputs)
                return signature_name, inputs, layout

            signature_name, inputs, layout = await server.convert(read)
            outputs = await loaded.batcher.predict(signature_name, inputs)
            text = await server.convert(
                predict_json.write_outputs, outputs, layout
            )
            response = web.Response(body=text, content_type="application/json")
            await _send(request, response)
        return response

    def _status(self, name, version):
        status = self._server.versions(name).status(version)
        return web.json_response(_to_dict(status))

    def _metadata(self, name, version):
        with self._server.versions(name).use(version) as loaded:
            model = loaded.model
        signatures = get_model_metadata_pb2.SignatureDefMap()
        for key, signature in model.signature_defs.items():
            signatures.signature_def[key].CopyFrom(signature)
        return web.json_response(
            {
                "model_spec": {
                    "name": name,
                    "signature_name": "",
                    "version": str(model.version),
                },
                "metadata": {"signature_def": _to_dict(signatures)},
            }
        )


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
    return web.Response(
        status=status,
        text=json.dumps({"error": message}),
        content_type="application/json",
        headers=headers,
    )


def _to_dict(message):
    return json_format.MessageToDict(
        message,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )
