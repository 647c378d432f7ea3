"""The page on which people try the models that a server has."""

import asyncio
import json
import pathlib

import grpc
from aiohttp import web

from elmo_tf.serving import predict_json
from elmo_tf.serving.model_kind import ATTENTION_OUTPUTS
from elmo_tf.serving.model_kind import ATTENTION_SIGNATURE
from elmo_tf.serving.model_kind import model_kind
from elmo_tf.serving.model_kind import shows_attention
from elmo_tf.serving.neighbour_search import NeighbourSearch
from elmo_tf.serving.request_body import read_body
from elmo_tf.serving.serving_error import ServingError

_FOLDER = pathlib.Path(__file__).parent / "page"
_TYPES_BY_SUFFIX = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
# From the paths of URLs to files.
_FILES = {
    "/" if path.name == "index.html" else f"/page/{path.name}": path
    for path in sorted(_FOLDER.iterdir())
    if path.suffix in _TYPES_BY_SUFFIX
}
_HEADERS = {
    # Nothing from elsewhere, nothing inline, and no HTML made of text.
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_N_NEIGHBOURS = 8
_TYPES = {str: "string", int: "integer", bool: "boolean"}
# More cells than anybody can look at.
_MAX_CELLS = 2**15


class WebPage:
    """The page on which people try the models that a server has.

        GET  /, /page/page.js and so on: the files in page/
        GET  /page/models.json
        POST /page/neighbours
        POST /page/attention

    What else the page needs it asks of TensorFlow Serving's REST API.

    Args:
        server: The `ModelServer`.
    """

    # What a browser asks for before anybody could give it a token.
    open_paths = frozenset(_FILES)

    def __init__(self, server):
        self._server = server
        self._search = NeighbourSearch(server)
        self._texts = {
            path: file.read_text("utf-8") for path, file in _FILES.items()
        }

    def add_routes(self, router):
        """Adds what it answers.

        Args:
            router: The `aiohttp.web.UrlDispatcher`.
        """
        for path in self._texts:
            router.add_get(path, self._file)
        router.add_get("/page/models.json", self._models)
        router.add_post("/page/neighbours", self._neighbours)
        router.add_post("/page/attention", self._attention)

    async def _file(self, request):
        return web.Response(
            text=self._texts[request.path],
            content_type=_TYPES_BY_SUFFIX[_FILES[request.path].suffix],
            charset="utf-8",
            headers=_HEADERS,
        )

    async def _models(self, request):
        found = []
        for name in self._server.names:
            for loaded in self._server.versions(name).loaded():
                signatures = loaded.model.signatures
                found.append(
                    {
                        "name": name,
                        "version": loaded.model.version,
                        "kind": model_kind(signatures),
                        "attention": shows_attention(signatures),
                        "signatures": sorted(signatures),
                    }
                )
        # The newest version of a model first.
        found.sort(key=lambda model: (model["name"], -model["version"]))
        return _json({"models": found})

    async def _neighbours(self, request):
        """Answers `{"model", "version", "sentence", "text", "same_word"}`.

        All but the model and the sentence may be absent.
        """
        document = await self._read(request)
        name, version = _model(document)
        sentence = _field(document, "sentence", str)
        text = _field(document, "text", str, None)
        same_word = _field(document, "same_word", bool, False)
        async with self._server.request("rest", name, version) as loaded:
            _check_kind(
                name, model_kind(loaded.model.signatures) == "neighbours"
            )
            found = await self._search.search(
                loaded, sentence, text, _N_NEIGHBOURS, same_word
            )
            return await self._server.convert(_json, found)

    async def _attention(self, request):
        """Answers `{"model", "version", "context", "question"}`."""
        document = await self._read(request)
        name, version = _model(document)
        texts = {
            key: [_field(document, key, str)] for key in ("context", "question")
        }
        async with self._server.request("rest", name, version) as loaded:
            _check_kind(name, shows_attention(loaded.model.signatures))
            signature = loaded.model.signature(ATTENTION_SIGNATURE)

            def read():
                inputs, _ = predict_json.read_inputs(
                    {"inputs": texts}, signature
                )
                self._server.check_inputs(signature, inputs)
                return inputs

            outputs = await loaded.batcher.predict(
                ATTENTION_SIGNATURE, await self._server.convert(read)
            )
            return await self._server.convert(_describe_attention, outputs)

    async def _read(self, request):
        timeout = self._server.limits.timeout
        try:
            async with asyncio.timeout(timeout):
                body = await read_body(request)
        except TimeoutError:
            raise ServingError(
                grpc.StatusCode.DEADLINE_EXCEEDED,
                f"the request did not come within {timeout:g} seconds",
            ) from None
        document, _ = await self._server.convert(predict_json.parse_json, body)
        return document


def _model(document):
    return (
        _field(document, "model", str),
        _field(document, "version", int, None),
    )


def _field(document, name, kind, *default):
    """Reads a field, which may be absent if a default is given."""
    value = document.get(name, *default)
    if default and value is default[0]:
        return value
    if type(value) is not kind:
        raise ServingError.invalid(
            f"{name}: expected a JSON value of the type {_TYPES[kind]}"
        )
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ServingError.invalid(
                f"{name}: found half of a surrogate pair"
            ) from None
    return value


def _check_kind(name, is_right):
    if not is_right:
        raise ServingError(
            grpc.StatusCode.INVALID_ARGUMENT,
            f"the model {name} does not offer that",
        )


def _describe_attention(outputs):
    """JSON of the first row's words and what they attend to."""
    row = {name: outputs[name][0] for name in ATTENTION_OUTPUTS}
    n_context = int(row["context_sequence_len"])
    n_question = int(row["question_sequence_len"])
    if n_context * n_question > _MAX_CELLS:
        raise ServingError.invalid(
            f"found {n_context} × {n_question} words, expected at most "
            f"{_MAX_CELLS} pairs of them to show the attention of"
        )
    shown = {
        f"{field}_tokens": [
            token.decode("utf-8", "replace")
            for token in row[f"{field}_tokens"][:n]
        ]
        for field, n in (("context", n_context), ("question", n_question))
    }
    for name in ("context_starts", "context_ends"):
        shown[name] = row[name][:n_context].tolist()
    for name, values in (
        ("context_to_query", row["context_to_query"][:n_context, :n_question]),
        ("query_to_context", row["query_to_context"][:n_context]),
    ):
        shown[name] = values.astype(float).round(5).tolist()
    return _json(shown)


def _json(value):
    return web.Response(
        text=json.dumps(value, ensure_ascii=False),
        content_type="application/json",
        headers={
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )
