"""Requests to the embedded server, without and with the network."""

import functools
import gzip
import json
import os
import re
import socket
import zlib

import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.apis import predict_pb2

from elmo_tf.serving import predict_json
from elmo_tf.serving.limits import Limits
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.signature import Signature
from tests.elmo_tf.serving import toy_model
from tests.elmo_tf.serving.running_server import RunningServer
from tests.fuzz.fuzz_target import FuzzTarget
from tests.fuzz.fuzz_target import scratch_folder

_CODE = grpc.StatusCode
# What a request may be refused with.
_REFUSALS = {
    _CODE.INVALID_ARGUMENT,
    _CODE.NOT_FOUND,
    _CODE.OUT_OF_RANGE,
    _CODE.UNIMPLEMENTED,
}
_STATUSES = {200, 400, 401, 404, 405, 408, 411, 413, 414, 417, 422, 431, 501}
_LONGEST_MESSAGE = 2000
_TOKEN_LIMIT = 10_000
_SECONDS = 20
_UNFINISHED_SECONDS = 0.2

_SPECS = {
    "rows": {"x": ([None], tf.float32)},
    "matrix": {"x": ([None, 2], tf.float64)},
    "half": {"x": ([None], tf.float16)},
    "tokens": {
        "tokens": ([None, None], tf.string),
        "sequence_len": ([None], tf.int32),
    },
    "strings": {"strings": ([None], tf.string)},
    "scalar": {"n": ([], tf.int64)},
    "small": {"n": ([None], tf.uint8)},
    "flags": {"flag": ([None], tf.bool)},
    "any": {"x": (None, tf.float32)},
    "complex": {"x": ([None], tf.complex64)},
    "nothing": {},
}
SIGNATURES = {
    name: Signature(
        {key: tf.TensorSpec(*spec, name=key) for key, spec in specs.items()}, {}
    )
    for name, specs in _SPECS.items()
}
_JSON_SEEDS = (
    b'{"instances": [1.0, 2, 5.0]}',
    b'{"signature_name": "tokens", "inputs": {"tokens": [["a", "b"], ["c", '
    b'""]], "sequence_len": [2, 1]}}',
    b'{"instances": [{"tokens": ["a"], "sequence_len": 1}]}',
    b'{"inputs": [{"b64": "AP8="}, "text"]}',
    b'{"inputs": {"n": 3}}',
    b'{"instances": [true, false]}',
    b'{"instances": [[1, 2], [3, 4e5]]}',
    b'{"inputs": [[[[1.5]]]]}',
    b'{"signature_name": "named", "instances": [{"tag": "a", "signal": [1, 2, '
    b'3], "sensor": [[1, 2], [3, 4]]}]}',
)
_JSON_TOKENS = (
    b'{"instances": ',
    b'{"inputs": ',
    b'"signature_name": ',
    b'"b64"',
    b"null",
    b"true",
    b"NaN",
    b"-Infinity",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b'"',
    b'"tokens"',
    b'"sequence_len"',
    b"1e308",
    b"3.5e38",
    b"65520.0",
)


def targets():
    """Returns a list of `FuzzTarget`."""
    return [
        FuzzTarget(
            "predict_json",
            _run_json,
            lambda: list(_JSON_SEEDS),
            _JSON_TOKENS,
            is_json=True,
        ),
        FuzzTarget("rest", _run_rest, _rest_seeds, _REST_TOKENS),
        FuzzTarget(
            "rest_json",
            _run_rest_json,
            lambda: list(_JSON_SEEDS),
            _JSON_TOKENS,
            is_json=True,
        ),
        FuzzTarget("grpc", _run_grpc, _grpc_seeds),
    ]


def check_error(error):
    """Checks a `ServingError`."""
    assert error.code in _REFUSALS, (error.code, str(error))
    assert len(str(error)) <= _LONGEST_MESSAGE, str(error)


def _run_json(body):
    limits = Limits(max_rows=50, max_tokens=200)
    try:
        document, _ = predict_json.parse_json(body)
    except ServingError as error:
        check_error(error)
        return
    for signature in SIGNATURES.values():
        try:
            inputs, layout = predict_json.read_inputs(document, signature)
            for name, spec in signature.inputs.items():
                limits.check_shape(name, inputs[name].shape, spec)
            signature.check(inputs)
            text = predict_json.write_outputs(inputs, layout)
        except ServingError as error:
            check_error(error)
            continue
        json.loads(text)


@functools.cache
def server():
    """A server of the toy model that runs until the process ends."""
    folder = os.path.join(scratch_folder(), "toy")
    toy_model.save(folder)
    return serve("toy", folder)


def serve(name, folder):
    """Starts a server of a model that runs until the process ends."""
    limits = {"max_body_bytes": 100_000, "max_rows": 100, "max_tokens": 200}
    running = RunningServer({name: folder}, limits)
    # Nobody waits for it at the end.
    running._thread.daemon = True
    running.__enter__()
    return running


def _http(body, path="/v1/models/toy:predict", headers=b"", method=b"POST"):
    return (
        method
        + b" "
        + path.encode()
        + b" HTTP/1.1\r\nHost: localhost\r\n"
        + headers
        + b"Content-Length: %d\r\n\r\n" % len(body)
        + body
    )


def exchange(data, seconds=_SECONDS, running=None):
    """Sends bytes to a server; returns its first answer, maybe empty."""
    host, port = (running or server()).rest.split(":")
    with socket.create_connection((host, int(port)), seconds) as connection:
        answer = b""
        try:
            connection.sendall(data)
            while not _is_complete(answer):
                part = connection.recv(2**16)
                if not part:
                    break
                answer += part
        except ConnectionError:
            # Refused before its end.
            pass
    return answer


def _is_complete(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(end) and length is not None and len(body) >= int(length[1])


def check_answer(answer):
    """Checks that all that a server answers is no defect of its own."""
    if not answer:
        return
    assert answer.startswith(b"HTTP/"), answer[:200]
    status = int(answer[9:12])
    assert status in _STATUSES, answer[:1000]
    assert b"Traceback" not in answer, answer


def _run_rest(data):
    try:
        answer = exchange(data, _UNFINISHED_SECONDS)
    except TimeoutError:
        # It waits for more, as it should if this is no whole request.
        return
    check_answer(answer)


def _run_rest_json(body):
    ask(server(), "toy", body)


def ask(running, name, body):
    """Sends a model's server the JSON of a request, and checks its answer."""
    path = f"/v1/models/{name}:predict"
    answer = exchange(
        _http(body, path, b"Connection: close\r\n"), running=running
    )
    check_answer(answer)
    head, _, content = answer.partition(b"\r\n\r\n")
    assert b"application/json" in head, head
    document = json.loads(content)
    assert isinstance(document, dict)
    assert len(document.get("error", "")) <= _LONGEST_MESSAGE


_REST_TOKENS = (
    b"GET ",
    b"POST ",
    b"PUT ",
    b"OPTIONS ",
    b"HEAD ",
    b"/v1/models/toy",
    b"/versions/1",
    b":predict",
    b"/metadata",
    b"/healthz",
    b"/metrics",
    b"..%2F",
    b"%00",
    b"%0A",
    b"%ff",
    b"\r\n",
    b"Content-Length: ",
    b"Content-Encoding: gzip\r\n",
    b"Content-Encoding: deflate\r\n",
    b"Content-Encoding: br\r\n",
    b"Content-Encoding: zstd\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Expect: 100-continue\r\n",
    b"Expect: 1\r\n",
    b"Upgrade: websocket\r\nConnection: upgrade\r\n",
    b"Authorization: Bearer \xff\r\n",
    b"Content-Type: application/json; charset=\r\n",
    b"Connection: keep-alive\r\n",
    b"HTTP/1.0",
    b"HTTP/2.0",
)


def _rest_seeds():
    seeds = [_http(body) for body in _JSON_SEEDS]
    for path in (
        "/v1/models/toy",
        "/v1/models/toy/versions/1/metadata",
        "/v1/models/..%2F..%2Fetc",
        "/healthz",
        "/readyz",
        "/metrics",
        "/",
        "/page/models.json",
    ):
        seeds.append(_http(b"", path, method=b"GET"))
    for path, content in (
        (
            "/page/neighbours",
            b'{"model": "toy", "version": 1, "sentence": "A bank .", "text": '
            b'"A bank .\\nA river .", "same_word": false}',
        ),
        (
            "/page/attention",
            b'{"model": "toy", "version": 1, "context": "a b", "question": '
            b'"c?"}',
        ),
    ):
        seeds.append(_http(content, path))
    body = _JSON_SEEDS[0]
    seeds += [
        _http(gzip.compress(body), headers=b"Content-Encoding: gzip\r\n"),
        _http(zlib.compress(body), headers=b"Content-Encoding: deflate\r\n"),
        b"POST /v1/models/toy:predict HTTP/1.1\r\nHost: a\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
    ]
    return seeds


_METHODS = (
    "/tensorflow.serving.PredictionService/Predict",
    "/tensorflow.serving.PredictionService/GetModelMetadata",
    "/tensorflow.serving.ModelService/GetModelStatus",
    "/tensorflow.serving.ModelService/HandleReloadConfigRequest",
    "/tensorflow.serving.PredictionService/Classify",
)


@functools.cache
def _calls():
    channel = grpc.insecure_channel(server().grpc)
    return [
        channel.unary_unary(
            method,
            request_serializer=lambda data: data,
            response_deserializer=lambda data: data,
        )
        for method in _METHODS
    ]


def _run_grpc(data):
    """The first byte chooses the method, the others are the message."""
    number = data[0] % len(_METHODS) if data else 0
    try:
        _calls()[number](data[1:], timeout=_SECONDS)
    except grpc.RpcError as error:
        assert error.code() in _REFUSALS, (error.code(), error.details())
        assert len(error.details()) <= _LONGEST_MESSAGE, error.details()


def _grpc_seeds():
    seeds = []
    for signature_name, inputs in (
        ("", {"x": np.ones(2, np.float32)}),
        (
            "named",
            {
                "tag": np.array([b"a"], object),
                "signal": np.ones([1, 3], np.int32),
                "sensor": np.ones([1, 2, 2], np.float32),
            },
        ),
        ("scalar", {"n": np.int64(3)}),
        ("negate", {"flag": np.array([True, False])}),
        ("checked", {"x": np.array([-1.0], np.float32)}),
    ):
        request = predict_pb2.PredictRequest()
        request.model_spec.name = "toy"
        request.model_spec.signature_name = signature_name
        for name, array in inputs.items():
            request.inputs[name].CopyFrom(tf.make_tensor_proto(array))
        seeds.append(b"\0" + request.SerializeToString())
    # The fields for each value, in place of bytes.
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "toy"
    request.model_spec.version.value = 1
    request.output_filter.append("y")
    tensor = request.inputs["x"]
    tensor.dtype = tf.float32.as_datatype_enum
    tensor.tensor_shape.dim.add(size=3)
    tensor.float_val.extend([1.0, 2.0])
    seeds.append(b"\0" + request.SerializeToString())
    metadata = get_model_metadata_pb2.GetModelMetadataRequest()
    metadata.model_spec.name = "toy"
    metadata.metadata_field.append("signature_def")
    seeds.append(b"\1" + metadata.SerializeToString())
    status = get_model_status_pb2.GetModelStatusRequest()
    status.model_spec.name = "toy"
    seeds.append(b"\2" + status.SerializeToString())
    return seeds
