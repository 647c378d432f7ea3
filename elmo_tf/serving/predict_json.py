"""TensorFlow Serving's JSON of prediction requests and their answers.

https://www.tensorflow.org/tfx/serving/api_rest tells of it; where it leaves
something open, what TensorFlow Serving's json_tensor.cc does counts.
"""

import base64
import binascii
import json
import math

import grpc
import numpy as np
import orjson
import tensorflow as tf

from elmo_tf.serving.serving_error import ServingError

DEFAULT_SIGNATURE = "serving_default"
ROWS = "predictions"
COLUMNS = "outputs"

_BASE64_KEY = "b64"
_BYTES_SUFFIX = "_bytes"
_LONGEST_VALUE = 80
# NumPy's arrays have no more.
_MOST_AXES = 64


def parse_json(body):
    """Reads a request's JSON.

    Args:
        body: Its bytes.

    Returns:
        A tuple of the object, a dictionary, and of the signature's name in it.

    Raises:
        ServingError: It is not JSON, or not such an object.
    """
    if not body:
        raise ServingError.invalid("JSON Parse error: The document is empty")
    try:
        document = json.loads(body.decode("utf-8"))
    except RecursionError:
        raise ServingError.invalid(
            "JSON Parse error: nested too deeply"
        ) from None
    except ValueError as error:
        raise ServingError.invalid(f"JSON Parse error: {error}") from None
    if not isinstance(document, dict):
        raise ServingError.invalid(
            f"JSON Value: {_show(document)} Is not object"
        )
    name = document.get("signature_name", DEFAULT_SIGNATURE)
    if not isinstance(name, str):
        raise ServingError.invalid(
            f"JSON Value: {_show(name)} not formatted correctly. "
            "'signature_name' key must be a string value."
        )
    return document, name or DEFAULT_SIGNATURE


def read_inputs(document, signature):
    """Reads a request's inputs.

    Args:
        document: A dictionary, of `parse_json`.
        signature: The `Signature`.

    Returns:
        A tuple of a dictionary from names to arrays, and of the name that the
        answer has: "predictions" or "outputs".

    Raises:
        ServingError: They are not what the signature takes.
    """
    if "instances" in document and "inputs" in document:
        raise ServingError.invalid(
            "Not formatted correctly expecting only one of 'inputs' or "
            "'instances' keys to exist"
        )
    if "inputs" in document:
        return _read_columns(document["inputs"], signature.inputs), COLUMNS
    if "instances" not in document:
        raise ServingError.invalid("Missing 'inputs' or 'instances' key")
    instances = document["instances"]
    if not isinstance(instances, list):
        raise ServingError.invalid("Excepting 'instances' to be an list/array")
    if not instances:
        raise ServingError.invalid("No values in 'instances' array")
    return _read_rows(instances, signature.inputs), ROWS


def write_outputs(outputs, layout):
    """Writes an answer.

    Args:
        outputs: A dictionary from names to arrays.
        layout: "predictions": a list of rows; "outputs": whole arrays.

    Returns:
        JSON, bytes.

    Raises:
        ServingError: Outputs have not the same number of rows.
    """
    values = outputs.items()
    if layout == COLUMNS:
        text = _join_named(
            (name, _write_array(array, _is_bytes(name, array)))
            for name, array in values
        )
    else:
        n_rows = None
        for name, array in values:
            if array.ndim == 0:
                raise ServingError.invalid(
                    f"Tensor name: {name} has no shape information"
                )
            if n_rows not in (None, len(array)):
                raise ServingError.invalid(
                    f"Tensor name: {name} has inconsistent batch size: "
                    f"{len(array)} expecting: {n_rows}"
                )
            n_rows = len(array)
        columns = [
            _write_rows(array, _is_bytes(name, array)) for name, array in values
        ]
        rows = (
            _join_named(zip(outputs, row, strict=True))
            for row in zip(*columns, strict=True)
        )
        text = "[" + ", ".join(rows) + "]"
    return f'{{"{layout}": {text}}}'.encode()


def _read_columns(value, specs):
    if not isinstance(value, dict) or _is_base64(value):
        if len(specs) != 1:
            raise ServingError.invalid(
                "inputs is a plain value/list, but expecting an object as "
                "multiple input tensors required as per tensorinfo_map"
            )
        return {name: _read_array(value, spec) for name, spec in specs.items()}
    arrays = {}
    for name, spec in specs.items():
        if name not in value:
            raise ServingError.invalid(
                f"Missing named input: {name} in 'inputs' object."
            )
        arrays[name] = _read_array(value[name], spec)
    return arrays


def _read_rows(instances, specs):
    first = instances[0]
    is_named = isinstance(first, dict) and not _is_base64(first)
    if not is_named and len(specs) != 1:
        raise ServingError.invalid(
            "instances is a plain list, but expecting list of objects as "
            "multiple input tensors required as per tensorinfo_map"
        )
    if is_named:
        for position, row in enumerate(instances):
            if not isinstance(row, dict) or _is_base64(row):
                raise ServingError.invalid(
                    f"Expecting object but got list at item {position} of "
                    "input list"
                )
            if row.keys() != specs.keys():
                raise ServingError.invalid(
                    f"Failed to process element: {position} of 'instances' "
                    f"list. JSON object: {_show(row)} keys must be equal to: "
                    f"{','.join(sorted(specs))}"
                )
        return {
            name: _read_array([row[name] for row in instances], spec)
            for name, spec in specs.items()
        }
    for position, row in enumerate(instances):
        if isinstance(row, dict) and not _is_base64(row):
            raise ServingError.invalid(
                f"Expecting value/list but got object at item {position} of "
                "input list"
            )
    ((name, spec),) = specs.items()
    return {name: _read_array(instances, spec)}


def _read_array(value, spec):
    """Makes an array of nested lists, as many as the signature says."""
    shape = []
    inner = value
    while isinstance(inner, list):
        shape.append(len(inner))
        if not inner:
            break
        inner = inner[0]
    if not spec.shape.is_compatible_with(shape):
        raise ServingError.invalid(
            f"input {spec.name}: found the shape {shape[:32]}, expected "
            f"{spec.shape}"
        )
    if len(shape) > _MOST_AXES:
        raise ServingError.invalid(
            f"input {spec.name}: found {len(shape)} lists in each other, "
            f"expected at most {_MOST_AXES}"
        )
    values = [value]
    for size in shape:
        for inner in values:
            if not isinstance(inner, list) or len(inner) != size:
                raise ServingError.invalid(
                    f"input {spec.name}: JSON Value: {_show(inner)}: expected "
                    f"a list of {size}, as its first neighbours are"
                )
        values = [item for inner in values for item in inner]
    convert = _converter(spec.dtype)
    dtype = object if spec.dtype == tf.string else spec.dtype.as_numpy_dtype
    array = np.empty([len(values)], dtype)
    for position, item in enumerate(values):
        array[position] = convert(item)
    return array.reshape(shape)


def _converter(dtype):
    """Returns a function from JSON's values to those of an array."""

    def wrong(value):
        return ServingError.invalid(
            f"JSON Value: {_show(value)} Type: {_type_name(value)} is not of "
            f"expected type: {dtype.name}"
        )

    def lossy(value):
        return ServingError.invalid(
            f"Cannot convert JSON value: {_show(value)} to {dtype.name} "
            "without loss of precision."
        )

    def to_string(value):
        if _is_base64(value):
            try:
                return base64.b64decode(value[_BASE64_KEY], validate=True)
            except (binascii.Error, ValueError):
                raise ServingError.invalid("Unable to base64 decode") from None
        if not isinstance(value, str):
            raise wrong(value)
        try:
            return value.encode("utf-8")
        except UnicodeEncodeError:
            raise ServingError.invalid(
                f"JSON Value: {_show(value)} has half of a surrogate pair"
            ) from None

    def to_bool(value):
        if not isinstance(value, bool):
            raise wrong(value)
        return value

    def to_integer(value):
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(value)
        if not dtype.min <= value <= dtype.max:
            raise wrong(value)
        return value

    def to_float(value):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(value)
        if isinstance(value, int):
            if abs(value) >= 2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1):
                raise lossy(value)
        elif math.isfinite(value) and abs(value) > float(dtype.max):
            raise lossy(value)
        return value

    if dtype == tf.string:
        return to_string
    if dtype == tf.bool:
        return to_bool
    if dtype.is_integer:
        return to_integer
    if dtype in (tf.float16, tf.float32, tf.float64):
        return to_float
    raise ServingError(
        grpc.StatusCode.UNIMPLEMENTED,
        f"Conversion of JSON Value to type: {dtype.name}",
    )


def _is_base64(value):
    return (
        isinstance(value, dict)
        and value.keys() == {_BASE64_KEY}
        and isinstance(value[_BASE64_KEY], str)
    )


def _type_name(value):
    if value is None:
        return "Null"
    for kind, name in (
        (bool, "Bool"),
        (int | float, "Number"),
        (str, "String"),
        (list, "Array"),
    ):
        if isinstance(value, kind):
            return name
    return "Object"


def _show(value):
    """A value's JSON, its beginning only."""
    text = ""
    try:
        for part in json.JSONEncoder().iterencode(value):
            text += part
            if len(text) > _LONGEST_VALUE:
                return f"{text[:_LONGEST_VALUE]}..."
    except RecursionError:
        # Not deep enough for the reader to say so.
        return f"{text[:_LONGEST_VALUE]}..."
    return text


def _is_bytes(name, array):
    return array.dtype == object and name.endswith(_BYTES_SUFFIX)


def _join_named(named):
    """Names values, unless there is but one: TensorFlow Serving's layout."""
    named = list(named)
    if len(named) == 1:
        return named[0][1]
    fields = (f"{json.dumps(name)}: {text}" for name, text in named)
    return "{" + ", ".join(fields) + "}"


def _write_array(array, as_bytes):
    (text,) = _write_rows(array[np.newaxis], as_bytes)
    return text


def _write_rows(array, as_bytes):
    """Returns a list of the JSON of each row."""
    if array.dtype not in (object, bool, np.float64) and not np.issubdtype(
        array.dtype, np.integer
    ):
        # Of float32 the shortest text that gives the same float32.
        array = array.astype(np.float32, copy=False)
    if array.dtype != object and np.isfinite(array).all():
        array = np.ascontiguousarray(array)
        return [
            orjson.dumps(row, option=orjson.OPT_SERIALIZE_NUMPY).decode()
            for row in array
        ]
    texts = _write_values(array, as_bytes)
    for axis in range(array.ndim - 1, 0, -1):
        size = array.shape[axis]
        texts = [
            "[" + ", ".join(texts[start * size : (start + 1) * size]) + "]"
            for start in range(math.prod(array.shape[:axis]))
        ]
    return texts


def _write_values(array, as_bytes):
    if array.dtype == object:
        write = _write_base64 if as_bytes else _write_string
        return [write(value) for value in array.ravel()]
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    texts = array.ravel().astype(str).tolist()
    return [names.get(text, text) for text in texts]


def _write_string(value):
    try:
        return json.dumps(value.decode("utf-8"), ensure_ascii=False)
    except UnicodeDecodeError:
        # It would not be JSON.
        return _write_base64(value)


def _write_base64(value):
    return json.dumps({_BASE64_KEY: base64.b64encode(value).decode()})
