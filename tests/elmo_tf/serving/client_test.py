"""The client gives the same over both APIs, and what the model itself gives."""

import grpc
import numpy as np
import pytest

from elmo_tf.serving.client import Client
from elmo_tf.serving.served_model import ServedModel
from elmo_tf.serving.serving_error import ServingError


@pytest.fixture(params=["http", "grpc"])
def client(server, request):
    address = server.rest if request.param == "http" else server.grpc
    with Client(f"{request.param}://{address}/") as client:
        yield client


@pytest.mark.parametrize(
    "signature, inputs",
    [
        ("serving_default", {"x": np.array([0.1, 2, np.nan, np.inf])}),
        ("serving_default", {"x": []}),
        ("negate", {"flag": [True, False]}),
        ("scalar", {"n": 41}),
        (
            "named",
            {
                "tag": ["naïve", b"\xff"],
                "signal": np.arange(6).reshape(2, 3),
                "sensor": np.ones([2, 2, 2]),
            },
        ),
    ],
)
def test_predict(client, toy, signature, inputs):
    model = ServedModel(toy, 1)
    dtypes = {
        name: spec.dtype.as_numpy_dtype
        for name, spec in model.signatures[signature].inputs.items()
    }
    direct = {
        name: np.asarray(value, dtypes[name]) for name, value in inputs.items()
    }
    if "tag" in direct:
        direct["tag"] = np.array(["naïve".encode(), b"\xff"], object)
    expected = model.predict(signature, direct)
    for version in (None, 1):
        found = client.predict("toy", inputs, signature, version)
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert found[name].dtype == value.dtype
            np.testing.assert_array_equal(found[name], value)


def test_signatures(client, toy):
    expected = ServedModel(toy, 1).signatures
    assert client.signatures("toy") == expected


def test_errors(client):
    for arguments, code in (
        (("other", {"x": [1]}), grpc.StatusCode.NOT_FOUND),
        (("toy", {"x": [1]}, "no"), grpc.StatusCode.INVALID_ARGUMENT),
        (("toy", {"y": [1]}), grpc.StatusCode.INVALID_ARGUMENT),
        (("toy", {"x": [-1]}, "checked"), grpc.StatusCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(ServingError) as error:
            client.predict(*arguments)
        assert error.value.code == code
    with pytest.raises(ValueError, match="input n: found numbers that int64"):
        client.predict("toy", {"n": 1.5}, "scalar")
    with pytest.raises(ValueError, match="input tag: found 1, expected str or"):
        client.predict("toy", {"tag": [1], "signal": [], "sensor": []}, "named")


def test_nobody_there():
    for scheme in ("http", "grpc"):
        with Client(f"{scheme}://localhost:1", timeout=5) as client:
            with pytest.raises(ServingError) as error:
                client.signatures("toy")
            assert error.value.code == grpc.StatusCode.UNAVAILABLE
    with pytest.raises(ValueError, match="url: found 'localhost:1', expected"):
        Client("localhost:1")
