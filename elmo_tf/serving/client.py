"""A client of TensorFlow Serving, and of the embedded server."""

import base64
import json
import math
import urllib.parse

import grpc
import numpy as np
import requests
import tensorflow as tf
from google.protobuf import json_format
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc

from elmo_tf.serving.predict_json import DEFAULT_SIGNATURE
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.signature import Signature

_CODE = grpc.StatusCode
_CODES = {
    400: _CODE.INVALID_ARGUMENT,
    401: _CODE.UNAUTHENTICATED,
    404: _CODE.NOT_FOUND,
    # As gRPC says it of a message.
    413: _CODE.RESOURCE_EXHAUSTED,
    429: _CODE.RESOURCE_EXHAUSTED,
    501: _CODE.UNIMPLEMENTED,
    503: _CODE.UNAVAILABLE,
    504: _CODE.DEADLINE_EXCEEDED,
}


class Client:
    """A client of TensorFlow Serving, and of the embedded server.

        with Client("http://localhost:8501") as client:
            outputs = client.predict(
                "mini", {"strings": ["A bank ."]}, signature="default"
            )

    Over either API the same arguments give the same result.

    Args:
        url: `http://HOST:PORT` or `https://…` for REST, `grpc://HOST:PORT` or
            `grpcs://…`, with TLS, for gRPC.
        token: The bearer token, or None.
        ca_file: The file of the certificates to trust, PEM; None: the usual.
        timeout: How many seconds to wait for an answer.

    Raises:
        ValueError: The URL is none of these.
    """

    def __init__(self, url, token=None, ca_file=None, timeout=60.0):
        scheme, _, target = url.rstrip("/").partition("://")
        if not target or scheme not in _TRANSPORTS:
            raise ValueError(
                f"url: found {url!r}, expected http://…, https://…, grpc://… "
                "or grpcs://…"
            )
        self._transport = _TRANSPORTS[scheme](
            url.rstrip("/"), token, ca_file, timeout
        )
        self._signatures = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the connection."""
        self._transport.close()

    def predict(self, model, inputs, signature=DEFAULT_SIGNATURE, version=None):
        """Asks for a prediction.

        Args:
            model: The model's name.
            inputs: A dictionary from the inputs' names to arrays, or to what
                arrays can be made of; they are converted to the signature's
                dtypes. Strings are str, as UTF-8, or bytes.
            signature: The signature's name.
            version: The version's number; None: the newest.

        Returns:
            A dictionary from the outputs' names to NumPy arrays; strings are
            bytes in arrays of objects.

        Raises:
            ServingError: The server's error, or that there is no answer.
            ValueError: An input cannot be converted.
        """
        specs = self._signature(model, signature, version)
        specs.check_names(inputs)
        arrays = {
            name: _to_array(name, value, specs.inputs[name])
            for name, value in inputs.items()
        }
        return self._transport.predict(model, version, signature, arrays, specs)

    def signatures(self, model, version=None):
        """Asks what a model offers.

        Args:
            model: The model's name.
            version: The version's number; None: the newest.

        Returns:
            A dictionary from names to `Signature`.

        Raises:
            ServingError: The server's error, or that there is no answer.
        """
        return {
            name: Signature.of_signature_def(signature_def)
            for name, signature_def in self._transport.signature_defs(
                model, version
            ).items()
            # TensorFlow's own, for the initialisation.
            if not name.startswith("__")
        }

    def _signature(self, model, signature, version):
        """Asks once; of a new version the dtypes are thought to stay."""
        key = model, version
        if signature not in self._signatures.get(key, ()):
            self._signatures[key] = self.signatures(model, version)
        if signature not in self._signatures[key]:
            raise ServingError.invalid(
                f'Serving signature name: "{signature}" not found in signature '
                f"def. There are: {', '.join(sorted(self._signatures[key]))}"
            )
        return self._signatures[key][signature]


class _Rest:
    def __init__(self, url, token, ca_file, timeout):
        self._url = url
        self._timeout = timeout
        self._session = requests.Session()
        if token is not None:
            self._session.headers["Authorization"] = f"Bearer {token}"
        # Given with each request, as else the environment would go before.
        self._verify = True if ca_file is None else ca_file

    def close(self):
        self._session.close()

    def predict(self, model, version, signature, arrays, specs):
        answer = self._ask(
            "POST",
            f"{_model_path(model, version)}:predict",
            {
                "signature_name": signature,
                "inputs": {
                    name: _to_json(array) for name, array in arrays.items()
                },
            },
        )["outputs"]
        if len(specs.outputs) == 1:
            answer = dict.fromkeys(specs.outputs, answer)
        return {
            name: _from_json(answer[name], spec)
            for name, spec in specs.outputs.items()
        }

    def signature_defs(self, model, version):
        answer = self._ask("GET", f"{_model_path(model, version)}/metadata")
        signatures = json_format.ParseDict(
            answer["metadata"]["signature_def"],
            get_model_metadata_pb2.SignatureDefMap(),
            ignore_unknown_fields=True,
        )
        return signatures.signature_def

    def _ask(self, method, path, content=None):
        try:
            response = self._session.request(
                method,
                self._url + path,
                # Its own JSON does without NaN.
                data=None if content is None else json.dumps(content),
                timeout=self._timeout,
                verify=self._verify,
            )
        except requests.Timeout:
            raise ServingError(
                _CODE.DEADLINE_EXCEEDED,
                f"no answer within {self._timeout:g} seconds",
            ) from None
        except requests.RequestException as error:
            raise ServingError(_CODE.UNAVAILABLE, str(error)) from None
        try:
            answer = response.json()
        except ValueError:
            answer = {"error": response.text}
        if not response.ok:
            raise ServingError(
                _CODES.get(response.status_code, _CODE.INTERNAL),
                str(answer.get("error", response.reason)),
            )
        return answer


class _Grpc:
    def __init__(self, url, token, ca_file, timeout):
        scheme, _, target = url.partition("://")
        options = [
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1),
        ]
        if scheme == "grpc":
            self._channel = grpc.insecure_channel(target, options)
        else:
            certificates = None
            if ca_file is not None:
                with open(ca_file, "rb") as file:
                    certificates = file.read()
            self._channel = grpc.secure_channel(
                target, grpc.ssl_channel_credentials(certificates), options
            )
        self._stub = prediction_service_pb2_grpc.PredictionServiceStub(
            self._channel
        )
        self._metadata = []
        if token is not None:
            self._metadata = [("authorization", f"Bearer {token}")]
        self._timeout = timeout

    def close(self):
        self._channel.close()

    def predict(self, model, version, signature, arrays, specs):
        request = predict_pb2.PredictRequest()
        _set_model(request.model_spec, model, version)
        request.model_spec.signature_name = signature
        for name, array in arrays.items():
            request.inputs[name].CopyFrom(
                tf.make_tensor_proto(array, specs.inputs[name].dtype)
            )
        response = self._ask(self._stub.Predict, request)
        return {
            name: tf.make_ndarray(tensor)
            for name, tensor in response.outputs.items()
        }

    def signature_defs(self, model, version):
        request = get_model_metadata_pb2.GetModelMetadataRequest()
        _set_model(request.model_spec, model, version)
        request.metadata_field.append("signature_def")
        response = self._ask(self._stub.GetModelMetadata, request)
        signatures = get_model_metadata_pb2.SignatureDefMap()
        response.metadata["signature_def"].Unpack(signatures)
        return signatures.signature_def

    def _ask(self, method, request):
        try:
            return method(
                request, timeout=self._timeout, metadata=self._metadata
            )
        except grpc.RpcError as error:
            raise ServingError(error.code(), error.details()) from None


_TRANSPORTS = {"http": _Rest, "https": _Rest, "grpc": _Grpc, "grpcs": _Grpc}


def _model_path(model, version):
    path = f"/v1/models/{urllib.parse.quote(model, safe='')}"
    return path if version is None else f"{path}/versions/{version}"


def _set_model(spec, model, version):
    spec.name = model
    if version is not None:
        spec.version.value = version


def _to_array(name, value, spec):
    """Makes an array of the signature's dtype."""
    if spec.dtype == tf.string:
        array = np.array(value, object)
        for item in array.ravel():
            if not isinstance(item, str | bytes):
                raise ValueError(
                    f"input {name}: found {item!r}, expected str or bytes"
                )
        return _to_bytes(array)
    array = np.asarray(value)
    converted = array.astype(spec.dtype.as_numpy_dtype)
    if spec.dtype.is_integer and np.any(converted != array):
        raise ValueError(
            f"input {name}: found numbers that {spec.dtype.name} cannot hold"
        )
    return converted


def _to_bytes(array):
    encoded = np.empty(array.size, object)
    for position, value in enumerate(array.ravel()):
        encoded[position] = (
            value.encode("utf-8") if isinstance(value, str) else value
        )
    return encoded.reshape(array.shape)


def _to_json(array):
    if array.dtype != object:
        return array.tolist()
    return np.vectorize(_string_to_json, otypes=[object])(array).tolist()


def _string_to_json(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(value).decode()}


def _from_json(value, spec):
    shape = []
    inner = value
    while isinstance(inner, list):
        shape.append(len(inner))
        inner = inner[0] if inner else None
    # Of an empty list the axes inside are not to be seen.
    known = spec.shape.as_list() if spec.shape.rank is not None else shape
    shape += [size or 0 for size in known[len(shape) :]]
    values = [value]
    for _ in shape:
        values = [item for inner in values for item in inner]
        if not values:
            break
    if spec.dtype == tf.string:
        array = np.empty(math.prod(shape), object)
        for position, item in enumerate(values):
            array[position] = (
                base64.b64decode(item["b64"])
                if isinstance(item, dict)
                else item.encode("utf-8")
            )
    else:
        array = np.asarray(values, spec.dtype.as_numpy_dtype)
    return array.reshape(shape)
