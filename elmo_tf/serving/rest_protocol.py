"""TensorFlow Serving's REST API, whatever speaks HTTP for it."""

import json
import re
from typing import NamedTuple

import grpc
from google.protobuf import json_format
from tensorflow_serving.apis import get_model_metadata_pb2

from elmo_tf.serving import predict_json
from elmo_tf.serving.serving_error import ServingError

PREDICT = ":predict"
METADATA = "/metadata"
STATUS = ""

_PATH = re.compile(
    r"/v1/models/(?P<name>[^/:]+)(?:/versions/(?P<version>\d{1,18}))?"
    r"(?P<verb>:predict|[:/]metadata)?"
)
_CODE = grpc.StatusCode
_HTTP_STATUS = {
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


class Target(NamedTuple):
    """What a request asks for.

    Attributes:
        name: The model's name.
        version: The version's number; None: the newest.
        verb: `PREDICT`, `METADATA` or `STATUS`.
    """

    name: str
    version: int | None
    verb: str


def parse_target(method, path):
    """Reads what a request asks for.

    Args:
        method: HTTP's method, a string.
        path: The URL's path, without what is escaped in it.

    Returns:
        A `Target`.

    Raises:
        ServingError: The API has no such path, or not with this method.
    """
    match = _PATH.fullmatch(path)
    if match is None or method != (
        "POST" if match["verb"] == PREDICT else "GET"
    ):
        raise ServingError.invalid(f"Malformed request: {method} {path}")
    verb = match["verb"] or STATUS
    return Target(
        match["name"],
        match["version"] and int(match["version"]),
        # TensorFlow Serving takes a colon there too.
        METADATA if verb.endswith("metadata") else verb,
    )


async def predict(server, loaded, body):
    """Answers a request for a prediction.

    Args:
        server: The `ModelServer`.
        loaded: The `LoadedVersion` that is asked, of `server.request`.
        body: The request's body, bytes.

    Returns:
        JSON, bytes.

    Raises:
        ServingError: The body is not what the model takes, or what it takes
            cannot be computed.
    """

    def read():
        document, signature_name = predict_json.parse_json(body)
        signature = loaded.model.signature(signature_name)
        inputs, layout = predict_json.read_inputs(document, signature)
        server.check_inputs(signature, inputs)
        return signature_name, inputs, layout

    signature_name, inputs, layout = await server.convert(read)
    outputs = await loaded.batcher.predict(signature_name, inputs)
    return await server.convert(predict_json.write_outputs, outputs, layout)


def describe(server, target):
    """Answers a request for a model's status or metadata.

    Args:
        server: The `ModelServer`.
        target: The `Target`.

    Returns:
        JSON, bytes.

    Raises:
        ServingError: The model or the version is not served.
    """
    versions = server.versions(target.name)
    if target.verb == STATUS:
        return _json(_to_dict(versions.status(target.version)))
    with versions.use(target.version) as loaded:
        model = loaded.model
    signatures = get_model_metadata_pb2.SignatureDefMap()
    for key, signature in model.signature_defs.items():
        signatures.signature_def[key].CopyFrom(signature)
    return _json(
        {
            "model_spec": {
                "name": target.name,
                "signature_name": "",
                "version": str(model.version),
            },
            "metadata": {"signature_def": _to_dict(signatures)},
        }
    )


def http_status(error):
    """Returns the number of HTTP's status for a `ServingError`."""
    return _HTTP_STATUS.get(error.code, 500)


def error_json(message):
    """Returns the JSON, bytes, that tells of an error."""
    return _json({"error": message})


def _json(value):
    return json.dumps(value).encode()


def _to_dict(message):
    return json_format.MessageToDict(
        message,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )
