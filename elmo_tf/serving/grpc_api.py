"""TensorFlow Serving's gRPC services."""

import math

import grpc
import numpy as np
import tensorflow as tf
from google.protobuf import message
from tensorflow.core.framework import types_pb2
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import model_service_pb2_grpc
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc

from elmo_tf.errors import one_line
from elmo_tf.serving.predict_json import DEFAULT_SIGNATURE
from elmo_tf.serving.serving_error import ServingError

_METADATA_FIELD = "signature_def"


class GrpcApi:
    """TensorFlow Serving's gRPC services: predictions, metadata and status.

    Args:
        server: The `ModelServer`.
        token: The `BearerToken` that requests need; None: none.
    """

    def __init__(self, server, token=None):
        self._server = server
        self._token = token

    def make_server(self):
        """Returns a `grpc.aio.Server` without a port."""
        interceptors = []
        if self._token is not None:
            interceptors.append(_TokenInterceptor(self._token))
        interceptors.append(_DecodingInterceptor())
        server = grpc.aio.server(
            interceptors=interceptors,
            options=[
                (
                    "grpc.max_receive_message_length",
                    self._server.limits.max_body_bytes,
                ),
                ("grpc.max_send_message_length", -1),
                # Another server on the same port is a mistake.
                ("grpc.so_reuseport", 0),
            ],
        )
        prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
            PredictionService(self._server), server
        )
        model_service_pb2_grpc.add_ModelServiceServicer_to_server(
            _ModelService(self._server), server
        )
        return server


class _TokenInterceptor(grpc.aio.ServerInterceptor):
    def __init__(self, token):
        self._token = token

        async def refuse(request, context):
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED, "expected a valid bearer token"
            )

        self._refusal = grpc.unary_unary_rpc_method_handler(refuse)

    async def intercept_service(self, continuation, details):
        for key, value in details.invocation_metadata:
            if key == "authorization" and self._token.matches(value):
                return await continuation(details)
        return self._refusal


class _DecodingInterceptor(grpc.aio.ServerInterceptor):
    """Tells who sends bytes that are no message that the mistake is theirs."""

    async def intercept_service(self, continuation, details):
        handler = await continuation(details)
        if handler is None or handler.request_deserializer is None:
            return handler

        def deserialize(data):
            try:
                return handler.request_deserializer(data)
            except message.DecodeError as error:
                return error

        async def answer(request, context):
            if isinstance(request, message.DecodeError):
                await context.abort(
                    grpc.StatusCode.INVALID_ARGUMENT,
                    f"not a valid message: {one_line(request)}",
                )
            return await handler.unary_unary(request, context)

        return grpc.unary_unary_rpc_method_handler(
            answer, deserialize, handler.response_serializer
        )


class PredictionService(prediction_service_pb2_grpc.PredictionServiceServicer):
    """The service of predictions and metadata, in an event loop.

    Args:
        server: The `ModelServer`.
    """

    def __init__(self, server):
        self._server = server

    async def Predict(self, request, context):  # noqa: N802
        return await _answer(context, self._predict(request))

    async def GetModelMetadata(self, request, context):  # noqa: N802
        return await _answer(context, self._metadata(request))

    async def Classify(self, request, context):  # noqa: N802
        await _refuse(context)

    async def Regress(self, request, context):  # noqa: N802
        await _refuse(context)

    async def MultiInference(self, request, context):  # noqa: N802
        await _refuse(context)

    async def _predict(self, request):
        server = self._server
        spec = request.model_spec
        version = _version(spec)
        signature_name = spec.signature_name or DEFAULT_SIGNATURE
        async with server.request("grpc", spec.name, version) as loaded:
            # Before the work of reading it.
            loaded.batcher.check_queue()
            signature = loaded.model.signature(signature_name)
            # Each once, however often it is asked for.
            wanted = list(
                dict.fromkeys(request.output_filter or signature.outputs)
            )
            _check_output_filter(wanted, signature)

            def read():
                signature.check_names(request.inputs)
                inputs = {
                    name: _read_tensor(
                        name, request.inputs[name], expected, server.limits
                    )
                    for name, expected in signature.inputs.items()
                }
                server.check_inputs(signature, inputs)
                return inputs

            inputs = await server.convert(read)
            outputs = await loaded.batcher.predict(signature_name, inputs)

            def write():
                response = predict_pb2.PredictResponse()
                response.model_spec.name = spec.name
                response.model_spec.version.value = loaded.model.version
                response.model_spec.signature_name = signature_name
                for name in wanted:
                    response.outputs[name].CopyFrom(
                        tf.make_tensor_proto(
                            outputs[name], signature.outputs[name].dtype
                        )
                    )
                return response

            return await server.convert(write)

    async def _metadata(self, request):
        for field in request.metadata_field:
            if field != _METADATA_FIELD:
                raise ServingError.invalid(
                    f"Metadata field {field} is not supported"
                )
        if not request.metadata_field:
            raise ServingError.invalid(
                "GetModelMetadataRequest must specify at least one "
                "metadata_field"
            )
        spec = request.model_spec
        versions = self._server.versions(spec.name)
        with versions.use(_version(spec)) as loaded:
            model = loaded.model
        response = get_model_metadata_pb2.GetModelMetadataResponse()
        response.model_spec.name = spec.name
        response.model_spec.version.value = model.version
        signatures = get_model_metadata_pb2.SignatureDefMap()
        for name, signature in model.signature_defs.items():
            signatures.signature_def[name].CopyFrom(signature)
        response.metadata[_METADATA_FIELD].Pack(signatures)
        return response


class _ModelService(model_service_pb2_grpc.ModelServiceServicer):
    def __init__(self, server):
        self._server = server

    async def GetModelStatus(self, request, context):  # noqa: N802
        async def status():
            spec = request.model_spec
            return self._server.versions(spec.name).status(_version(spec))

        return await _answer(context, status())

    async def HandleReloadConfigRequest(self, request, context):  # noqa: N802
        await _refuse(context)


async def _answer(context, work):
    try:
        return await work
    except ServingError as error:
        await context.abort(error.code, str(error))


async def _refuse(context):
    await context.abort(
        grpc.StatusCode.UNIMPLEMENTED, "this server does not offer that"
    )


def _version(spec):
    if spec.WhichOneof("version_choice") == "version_label":
        raise ServingError(
            grpc.StatusCode.UNIMPLEMENTED, "versions have no labels here"
        )
    if spec.HasField("version"):
        return spec.version.value
    return None


def _check_output_filter(wanted, signature):
    for name in wanted:
        if name not in signature.outputs:
            raise ServingError.invalid(
                f"output tensor alias not found in signature: {name} Outputs "
                "expected to be in the set "
                f"{{{','.join(sorted(signature.outputs))}}}."
            )


def _read_tensor(name, tensor, spec, limits):
    """Makes an array of a tensor that may claim to be of any size."""
    if tensor.dtype != spec.dtype.as_datatype_enum:
        names = {number: key for key, number in types_pb2.DataType.items()}
        raise ServingError.invalid(
            f"input {name}: found {names.get(tensor.dtype, tensor.dtype)}, "
            f"expected {names[spec.dtype.as_datatype_enum]}"
        )
    if tensor.tensor_shape.unknown_rank:
        raise ServingError.invalid(f"input {name}: found no shape")
    shape = [axis.size for axis in tensor.tensor_shape.dim]
    limits.check_shape(name, shape, spec)
    try:
        if spec.dtype == tf.string:
            return _read_strings(tensor.string_val, shape)
        return np.asarray(tf.make_ndarray(tensor)).reshape(shape)
    except (TypeError, ValueError, OverflowError) as error:
        raise ServingError.invalid(
            f"input {name}: not a valid tensor: {error}"
        ) from None


def _read_strings(values, shape):
    """Strings, the last of which may stand for all that are missing."""
    size = math.prod(shape)
    if len(values) > size or (size and not values):
        raise ValueError(f"found {len(values)} strings, expected {size}")
    array = np.empty([size], object)
    array[: len(values)] = list(values)
    array[len(values) :] = values[-1] if values else b""
    return array.reshape(shape)
