"""TensorFlow Serving's JSON: its documentation's examples, and hostile ones."""

import json
import math

import grpc
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.serving import predict_json
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.signature import Signature


def signature(**inputs):
    return Signature(
        {
            name: tf.TensorSpec(shape, dtype, name)
            for name, (shape, dtype) in inputs.items()
        },
        {},
    )


ONE = signature(x=([None], tf.float32))
NAMED = signature(
    tag=([None], tf.string),
    signal=([None, 5], tf.int32),
    sensor=([None, 2, 2], tf.float32),
)


def read(text, wanted=ONE):
    body = text if isinstance(text, bytes) else text.encode()
    document, _ = predict_json.parse_json(body)
    return predict_json.read_inputs(document, wanted)


def message(text, wanted=ONE):
    with pytest.raises(ServingError) as error:
        read(text, wanted)
    assert error.value.code == grpc.StatusCode.INVALID_ARGUMENT
    assert "\n" not in str(error.value)
    return str(error.value)


class TestReading:
    def test_rows_of_values(self):
        inputs, layout = read('{"instances": [1.0, 2.5, -3]}')
        assert layout == "predictions"
        assert inputs["x"].dtype == np.float32
        assert inputs["x"].tolist() == [1.0, 2.5, -3.0]

    def test_rows_of_named_values(self):
        # https://www.tensorflow.org/tfx/serving/api_rest
        inputs, layout = read(
            """{"instances": [
              {"tag": "foo", "signal": [1, 2, 3, 4, 5],
               "sensor": [[1, 2], [3, 4]]},
              {"tag": "bar", "signal": [3, 4, 1, 2, 5],
               "sensor": [[4, 5], [6, 8]]}]}""",
            NAMED,
        )
        assert layout == "predictions"
        assert inputs["tag"].tolist() == [b"foo", b"bar"]
        assert inputs["signal"].dtype == np.int32
        assert inputs["signal"].tolist() == [[1, 2, 3, 4, 5], [3, 4, 1, 2, 5]]
        assert inputs["sensor"].dtype == np.float32
        assert inputs["sensor"].tolist() == [[[1, 2], [3, 4]], [[4, 5], [6, 8]]]

    def test_columns(self):
        inputs, layout = read(
            """{"inputs": {
              "tag": ["foo", "bar"],
              "signal": [[1, 2, 3, 4, 5], [3, 4, 1, 2, 5]],
              "sensor": [[[1, 2], [3, 4]], [[4, 5], [6, 8]]]}}""",
            NAMED,
        )
        assert layout == "outputs"
        assert inputs["sensor"].shape == (2, 2, 2)
        inputs, _ = read('{"inputs": [1, 2]}')
        assert inputs["x"].tolist() == [1, 2]

    def test_base64(self):
        strings = signature(image=([None], tf.string))
        for text in (
            '{"instances": [{"b64": "aW1hZ2U="}, {"b64": "/w=="}, "text"]}',
            '{"instances": [{"image": {"b64": "aW1hZ2U="}}, '
            '{"image": {"b64": "/w=="}}, {"image": "text"}]}',
            '{"inputs": [{"b64": "aW1hZ2U="}, {"b64": "/w=="}, "text"]}',
            '{"inputs": {"image": [{"b64": "aW1hZ2U="}, {"b64": "/w=="}, '
            '"text"]}}',
        ):
            inputs, _ = read(text, strings)
            assert inputs["image"].tolist() == [b"image", b"\xff", b"text"]
        inputs, _ = read(
            '{"inputs": {"b64": "aW1hZ2U="}}', signature(image=([], tf.string))
        )
        assert inputs["image"].shape == ()
        assert inputs["image"].item() == b"image"

    def test_signature_name(self):
        for text, name in (
            ("{}", "serving_default"),
            ('{"signature_name": ""}', "serving_default"),
            ('{"signature_name": "tokens"}', "tokens"),
        ):
            assert predict_json.parse_json(text.encode())[1] == name

    def test_what_is_no_number(self):
        inputs, _ = read('{"instances": [NaN, Infinity, -Infinity]}')
        assert math.isnan(inputs["x"][0])
        assert inputs["x"][1:].tolist() == [math.inf, -math.inf]

    def test_unicode(self):
        strings = signature(s=([None], tf.string))
        inputs, _ = read('{"instances": ["naïve \\ud83d\\ude00"]}', strings)
        assert inputs["s"].tolist() == ["naïve 😀".encode()]

    def test_no_rows(self):
        inputs, _ = read('{"inputs": []}')
        assert inputs["x"].shape == (0,)


class TestMistakes:
    @pytest.mark.parametrize(
        "text, expected",
        [
            ("", "JSON Parse error: The document is empty"),
            ("{", "JSON Parse error: "),
            (b"\xff\xfe", "JSON Parse error: 'utf-8' codec can't decode"),
            ("[" * 100_000, "JSON Parse error: nested too deeply"),
            ('{"instances": ' + "9" * 5000 + "}", "JSON Parse error: Exceeds"),
            ("[1]", "JSON Value: [1] Is not object"),
            ('{"signature_name": 3}', "JSON Value: 3 not formatted correctly"),
            ("{}", "Missing 'inputs' or 'instances' key"),
            ('{"inputs": 1, "instances": 2}', "Not formatted correctly expec"),
            ('{"instances": 3}', "Excepting 'instances' to be an list/array"),
            ('{"instances": []}', "No values in 'instances' array"),
            ('{"instances": ["1"]}', 'JSON Value: "1" Type: String is not of'),
            ('{"instances": [null]}', "JSON Value: null Type: Null is not"),
            ('{"instances": [true]}', "JSON Value: true Type: Bool is not"),
            ('{"instances": [1, [2]]}', "JSON Value: [2] Type: Array is not"),
            ('{"instances": [1e39]}', "Cannot convert JSON value: 1e+39 to fl"),
            ('{"instances": [16777217]}', "Cannot convert JSON value: 167772"),
            ('{"instances": [[1], [2]]}', "input x: found the shape [2, 1], "),
            ('{"inputs": {"y": [1]}}', "Missing named input: x in 'inputs'"),
            ('{"instances": [{"x": 1}, 2]}', "Expecting object but got list "),
            ('{"instances": [2, {"x": 1}]}', "Expecting value/list but got o"),
            ('{"instances": [{"y": 1}]}', "Failed to process element: 0 of "),
        ],
    )
    def test_one_input(self, text, expected):
        assert message(text).startswith(expected)

    def test_deep_lists(self):
        # As deep as the parser goes.
        deep = '{"instances": ' + "[" * 400 + "]" * 400 + "}"
        assert message(deep).startswith("input x: found the shape [1, 1, ")

    @pytest.mark.parametrize(
        "text, expected",
        [
            ('{"instances": [1]}', "instances is a plain list, but expecting"),
            ('{"inputs": [1]}', "inputs is a plain value/list, but expecting"),
            (
                '{"inputs": {"tag": [], "signal": [[1, 2]], "sensor": []}}',
                "input signal: found the shape [1, 2], expected (None, 5)",
            ),
        ],
    )
    def test_named_inputs(self, text, expected):
        assert message(text, NAMED).startswith(expected)

    @pytest.mark.parametrize(
        "value", ["1.5", "2.0", "2147483648", "-1e3", "true", '"1"', "1e400"]
    )
    def test_no_integer(self, value):
        integers = signature(n=([None], tf.int32))
        assert "is not of expected type: int32" in message(
            f'{{"instances": [{value}]}}', integers
        )

    @pytest.mark.parametrize(
        "value, expected",
        [
            ('{"b64": "a"}', "Unable to base64 decode"),
            ('{"b64": "+++\\u00e9"}', "Unable to base64 decode"),
            ('"\\ud800"', 'JSON Value: "\\ud800" has half of a surrogate'),
            ("3", "JSON Value: 3 Type: Number is not of expected type: string"),
        ],
    )
    def test_no_string(self, value, expected):
        strings = signature(s=([None], tf.string))
        assert message(f'{{"instances": [{value}]}}', strings).startswith(
            expected
        )

    def test_ragged_lists(self):
        matrix = signature(m=([None, None], tf.float32))
        for text in ("[[1, 2], [3]]", "[[1, 2], 3]", "[[1], [[3]]]"):
            assert "JSON Value" in message(f'{{"instances": {text}}}', matrix)


class TestWriting:
    def write(self, outputs, layout):
        text = predict_json.write_outputs(outputs, layout).decode()
        return json.loads(text)

    def test_one_output(self):
        outputs = {"y": np.array([[1.5, 2.0], [3.0, 0.1]], np.float32)}
        assert self.write(outputs, "predictions") == {
            "predictions": [[1.5, 2.0], [3.0, 0.1]]
        }
        assert self.write(outputs, "outputs") == {
            "outputs": [[1.5, 2.0], [3.0, 0.1]]
        }

    def test_named_outputs(self):
        outputs = {
            "n": np.array([1, 2], np.int64),
            "flag": np.array([True, False]),
            "text": np.array(["naïve".encode(), b'"'], object),
            "raw_bytes": np.array([b"a", b"\xff"], object),
        }
        assert self.write(outputs, "predictions") == {
            "predictions": [
                {
                    "n": 1,
                    "flag": True,
                    "text": "naïve",
                    "raw_bytes": {"b64": "YQ=="},
                },
                {
                    "n": 2,
                    "flag": False,
                    "text": '"',
                    "raw_bytes": {"b64": "/w=="},
                },
            ]
        }
        columns = self.write(outputs, "outputs")["outputs"]
        assert columns["n"] == [1, 2]
        assert columns["raw_bytes"] == [{"b64": "YQ=="}, {"b64": "/w=="}]

    def test_what_is_no_number(self):
        values = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
        text = predict_json.write_outputs({"y": values}, "outputs")
        assert text == b'{"outputs": [NaN, Infinity, -Infinity, 1.0]}'

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
    def test_floats_come_back(self, dtype):
        generator = np.random.default_rng(0)
        values = generator.normal(size=500) * 10.0 ** generator.integers(
            -7, 5, 500
        )
        values = values.astype(dtype)
        text = predict_json.write_outputs({"y": values}, "outputs")
        again = np.array(json.loads(text)["outputs"], dtype)
        np.testing.assert_array_equal(again, values)

    def test_shapes(self):
        for shape in ([], [0], [2, 0], [0, 2], [1, 2, 3, 4]):
            values = np.arange(math.prod(shape)).reshape(shape)
            found = self.write({"y": values}, "outputs")["outputs"]
            assert found == values.tolist()

    def test_no_rows(self):
        with pytest.raises(ServingError, match="y has no shape information"):
            self.write({"y": np.array(1)}, "predictions")
        with pytest.raises(ServingError, match="z has inconsistent batch size"):
            self.write({"y": np.zeros(2), "z": np.zeros(3)}, "predictions")
