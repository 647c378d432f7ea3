"""A loaded version: its checks, its metadata and its warm-up."""

import grpc
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.serving import warm_up
from elmo_tf.serving.served_model import ServedModel
from elmo_tf.serving.serving_error import ServingError
from tests.elmo_tf.serving import toy_model

WARM_UP = {
    "x": [1.0],
    "tag": ["a"],
    "signal": [[1, 2, 3]],
    "sensor": [[[1, 2], [3, 4]]],
    "n": 1,
    "flag": [True],
}


def test_predict(toy):
    model = ServedModel(toy, 3)
    assert model.version == 3
    found = model.predict("serving_default", {"x": np.float32([1, 2])})
    assert found["y"].tolist() == [2.5, 3.0]
    found = model.predict("scalar", {"n": np.array(41)})
    assert found["next"].shape == ()
    assert found["next"] == 42
    strings = np.array([b"\xff"], object)
    found = model.predict(
        "named",
        {
            "tag": strings,
            "signal": np.ones([1, 3], np.int32),
            "sensor": np.zeros([1, 2, 2], np.float32),
        },
    )
    assert found["tag"].tolist() == [b"\xff"]


@pytest.mark.parametrize(
    "name, inputs, expected",
    [
        ("no", {}, 'Serving signature name: "no" not found in signature def'),
        ("scalar", {}, "input size does not match signature: 0!=1 len({}) != "),
        (
            "scalar",
            {"n": np.array(1.0)},
            "input n: found float64, expected int64",
        ),
        (
            "scalar",
            {"n": np.array("a", object)},
            "input n: found string, expected int64",
        ),
        (
            "scalar",
            {"n": np.array([1])},
            "input n: found the shape [1], expected ()",
        ),
        (
            "checked",
            {"x": np.float32([-1])},
            "assertion failed: [`x` should not be negative.",
        ),
    ],
)
def test_mistakes(toy, name, inputs, expected):
    with pytest.raises(ServingError) as error:
        ServedModel(toy, 1).predict(name, inputs)
    assert error.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert str(error.value).startswith(expected)


@pytest.mark.slow
def test_of_a_name():
    model = ServedModel("mini", 1)
    definition = model.signature_defs["tokens"]
    assert definition.method_name == "tensorflow/serving/predict"
    assert definition.inputs["tokens"].dtype == tf.string.as_datatype_enum
    sizes = [axis.size for axis in definition.inputs["tokens"].tensor_shape.dim]
    assert sizes == [-1, -1]
    found = model.predict(
        "tokenize", {"strings": np.array([b"A bank .", b""], object)}
    )
    assert found["tokens"].tolist() == [[b"A", b"bank", b"."], [b"", b"", b""]]


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match="none: no such folder"):
        ServedModel(tmp_path / "none", 1)


def test_warm_up(tmp_path, monkeypatch):
    folder = toy_model.save(tmp_path / "model")
    model = ServedModel(folder, 1)
    # There is nothing to do.
    model.warm_up(folder)
    model.warm_up("mini")
    warm_up.write_warm_up_requests(folder, [WARM_UP])
    ran = []
    predict = model.predict

    def record(name, inputs):
        ran.append(name)
        return predict(name, inputs)

    monkeypatch.setattr(model, "predict", record)
    model.warm_up(folder)
    assert ran == sorted(model.signatures)


def test_a_warm_up_that_fails(tmp_path):
    folder = toy_model.save(tmp_path / "model")
    warm_up.write_warm_up_requests(folder, [{**WARM_UP, "x": [-1.0]}])
    model = ServedModel(folder, 1)
    path = f"{folder}/assets.extra/tf_serving_warmup_requests"
    with pytest.raises(InputError) as error:
        model.warm_up(folder)
    assert str(error.value).startswith(
        f"{path}: a request to warm up with fails: assertion failed"
    )
    with open(path, "ab") as file:
        file.write(b"broken")
    with pytest.raises(InputError, match="a request to warm up with fails: "):
        model.warm_up(folder)
