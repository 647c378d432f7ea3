"""The gRPC services, asked with TensorFlow Serving's own stubs."""

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import classification_pb2
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.apis import model_service_pb2_grpc
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc) as channel:
        yield channel


@pytest.fixture(scope="module")
def stub(channel):
    return prediction_service_pb2_grpc.PredictionServiceStub(channel)


def predict_request(signature_name="", name="toy", **inputs):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    request.model_spec.signature_name = signature_name
    for key, value in inputs.items():
        request.inputs[key].CopyFrom(
            value
            if isinstance(value, tensor_pb2.TensorProto)
            else tf.make_tensor_proto(value)
        )
    return request


def error_of(method, request):
    with pytest.raises(grpc.RpcError) as error:
        method(request, timeout=60)
    return error.value.code(), error.value.details()


def test_predict(stub):
    request = predict_request(x=np.array([1, 2, 5], np.float32))
    for version in (None, 1):
        if version is not None:
            request.model_spec.version.value = version
        response = stub.Predict(request, timeout=60)
        assert response.model_spec.name == "toy"
        assert response.model_spec.version.value == 1
        assert response.model_spec.signature_name == "serving_default"
        assert list(response.outputs) == ["y"]
        found = tf.make_ndarray(response.outputs["y"])
        assert found.dtype == np.float32
        assert found.tolist() == [2.5, 3.0, 4.5]


def test_strings_and_output_filter(stub):
    request = predict_request(
        "named",
        tag=np.array([b"a", b"\xff"], object),
        signal=np.ones([2, 3], np.int32),
        sensor=np.zeros([2, 2, 2], np.float32),
    )
    response = stub.Predict(request, timeout=60)
    assert sorted(response.outputs) == [
        *("tag", "tag_bytes", "total", "transposed")
    ]
    request.output_filter.extend(["tag", "total"])
    response = stub.Predict(request, timeout=60)
    assert sorted(response.outputs) == ["tag", "total"]
    tags = tf.make_ndarray(response.outputs["tag"])
    assert tags.tolist() == [b"a", b"\xff"]


def test_metadata(stub):
    request = get_model_metadata_pb2.GetModelMetadataRequest()
    request.model_spec.name = "toy"
    request.metadata_field.append("signature_def")
    response = stub.GetModelMetadata(request, timeout=60)
    assert response.model_spec.version.value == 1
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert response.metadata["signature_def"].Unpack(signatures)
    default = signatures.signature_def["serving_default"]
    assert default.inputs["x"].dtype == tf.float32.as_datatype_enum
    request.metadata_field.append("other")
    assert error_of(stub.GetModelMetadata, request) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "Metadata field other is not supported",
    )
    del request.metadata_field[:]
    code, _ = error_of(stub.GetModelMetadata, request)
    assert code == grpc.StatusCode.INVALID_ARGUMENT


def test_status(channel):
    stub = model_service_pb2_grpc.ModelServiceStub(channel)
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = "toy"
    (status,) = stub.GetModelStatus(request, timeout=60).model_version_status
    assert status.version == 1
    assert status.State.Name(status.state) == "AVAILABLE"
    assert status.status.error_code == 0
    request.model_spec.version.value = 2
    code, _ = error_of(stub.GetModelStatus, request)
    assert code == grpc.StatusCode.NOT_FOUND


def test_what_is_not_offered(stub):
    code, _ = error_of(
        stub.Classify, classification_pb2.ClassificationRequest()
    )
    assert code == grpc.StatusCode.UNIMPLEMENTED
    request = predict_request(x=np.zeros(1, np.float32))
    request.model_spec.version_label = "stable"
    code, _ = error_of(stub.Predict, request)
    assert code == grpc.StatusCode.UNIMPLEMENTED


def claim(shape, **values):
    """A tensor that claims to have a shape."""
    tensor = tf.make_tensor_proto(np.zeros(1, np.float32))
    tensor.ClearField("float_val")
    tensor.ClearField("tensor_content")
    tensor.tensor_shape.ClearField("dim")
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    for name, value in values.items():
        if isinstance(value, list):
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    return tensor


STRING = tf.string.as_datatype_enum


@pytest.mark.parametrize(
    "request_, message",
    [
        (predict_request(), "input size does not match signature: 0!=1"),
        (predict_request(y=[1.0]), "input size does not match signature: 1!=1"),
        (predict_request(x=[1]), "input x: found DT_INT32, expected DT_FLOAT"),
        (predict_request(x=1.0), "input x: found the shape [], expected [?]"),
        (
            predict_request(x=[1.0] * 101),
            "input x: found 101 rows, at most 100",
        ),
        (
            predict_request(x=claim([10**12], float_val=[1.0])),
            "input x: found 1000000000000 rows, at most 100 are allowed",
        ),
        (predict_request(x=claim([-1])), "input x: found the shape [-1]"),
        (
            predict_request(x=claim([3], tensor_content=b"abc")),
            "input x: not a valid tensor",
        ),
        (
            predict_request(x=claim([1], float_val=[1.0, 2.0])),
            "input x: not a valid tensor",
        ),
        (predict_request(x=claim([1], dtype=999)), "input x: found 999, expec"),
        (
            predict_request(
                "named",
                tag=claim([2], dtype=STRING, string_val=[b"a"] * 3),
                signal=np.ones([2, 3], np.int32),
                sensor=np.zeros([2, 2, 2], np.float32),
            ),
            "input tag: not a valid tensor: found 3 strings, expected 2",
        ),
        (
            predict_request("checked", x=[-1.0]),
            "assertion failed: [`x` should not be negative.",
        ),
        (
            predict_request("no", x=[1.0]),
            'Serving signature name: "no" not fou',
        ),
    ],
)
def test_mistakes(stub, request_, message):
    code, details = error_of(stub.Predict, request_)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert details.startswith(message)


def test_other_mistakes(stub):
    assert error_of(stub.Predict, predict_request(name="../x", x=[1.0])) == (
        grpc.StatusCode.NOT_FOUND,
        "Servable not found for request: Latest(../x)",
    )
    request = predict_request(x=[1.0])
    request.output_filter.append("z")
    code, details = error_of(stub.Predict, request)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert details.startswith("output tensor alias not found in signature: z")
    # Longer than a request may be.
    request = predict_request(x=np.zeros(6000, np.float32))
    code, _ = error_of(stub.Predict, request)
    assert code == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_the_last_value_stands_for_the_rest(stub):
    # As TensorFlow itself reads tensors.
    request = predict_request(x=claim([3], float_val=[4.0]))
    response = stub.Predict(request, timeout=60)
    assert tf.make_ndarray(response.outputs["y"]).tolist() == [4.0, 4.0, 4.0]
