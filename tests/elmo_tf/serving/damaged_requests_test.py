"""What is wrong with a request is the client's to hear, and nobody else's."""

import gzip
import logging
import socket

import grpc
import numpy as np
import pytest
import requests
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2

_BODY = b'{"instances": [1.0]}'
_PREDICT = "/tensorflow.serving.PredictionService/Predict"


def call(server, data):
    with grpc.insecure_channel(server.grpc) as channel:
        predict = channel.unary_unary(
            _PREDICT, response_deserializer=lambda answer: answer
        )
        return predict(data, timeout=60)


def post(server, **options):
    url = f"http://{server.rest}/v1/models/toy:predict"
    return requests.post(url, timeout=60, **options)


def test_compressed_body(server):
    headers = {"Content-Encoding": "gzip"}
    response = post(server, data=gzip.compress(_BODY), headers=headers)
    assert response.json() == {"predictions": [2.5]}


def test_damaged_compressed_body(server, caplog):
    data = gzip.compress(_BODY)
    data = data[:15] + b"\xff" * 8 + data[23:]
    response = post(server, data=data, headers={"Content-Encoding": "gzip"})
    assert response.status_code == 400
    assert "the body is damaged" in response.json()["error"]
    assert "Traceback" not in caplog.text


def test_a_bomb_in_a_compressed_body(server):
    data = gzip.compress(b"[" * 10**6)
    assert len(data) < 20_000
    response = post(server, data=data, headers={"Content-Encoding": "gzip"})
    assert response.status_code == 413


def test_what_is_no_message(server):
    with pytest.raises(grpc.RpcError) as error:
        call(server, b"\xff\xff\xff")
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "not a valid message" in error.value.details()


def test_an_output_that_is_asked_for_often(server):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "toy"
    request.inputs["x"].CopyFrom(tf.make_tensor_proto(np.ones(2, np.float32)))
    request.output_filter.extend(["y"] * 5_000)
    response = predict_pb2.PredictResponse()
    response.ParseFromString(call(server, request.SerializeToString()))
    assert list(response.outputs) == ["y"]


def test_a_long_name_is_not_repeated_at_length(server):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "toy"
    request.inputs["x" * 15_000].CopyFrom(tf.make_tensor_proto(1.0))
    with pytest.raises(grpc.RpcError) as error:
        call(server, request.SerializeToString())
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert len(error.value.details()) < 1000


def test_the_log_does_not_grow_with_what_is_no_http(server, caplog):
    host, port = server.rest.split(":")
    with (
        caplog.at_level(logging.DEBUG),
        socket.create_connection((host, int(port)), 60) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n")
        assert connection.recv(2**16).split()[1] == b"400"
    assert "Traceback" not in caplog.text
    assert "Content-Length" not in caplog.text
