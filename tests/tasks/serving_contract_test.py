"""Every export keeps the contract of docs/serving.md.

TensorFlow Serving itself is not here. What it does to a version, loading it,
warming it up, joining requests to batches, is done by a process that has
TensorFlow and tensorflow-serving-api alone. What that process computes is what
the embedded server must answer too, over both of its APIs.
"""

import base64
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import saved_model_pb2

from elmo_tf.serving import Client
from elmo_tf.serving import warm_up
from tasks.exporting import export
from tests.elmo_tf.serving import serving_protos
from tests.elmo_tf.serving.running_server import RunningServer
from tests.tasks import tiny_exports
from tests.tasks import tiny_requests

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MODELS = (tiny_exports.BILM, *tiny_exports.TASKS)
VERSION = 7

_CPU = re.compile(r"|(/job:localhost/replica:0/task:0)?/device:CPU:[0*]")

pytestmark = pytest.mark.slow

# Knows nothing of the package. The calls are, for each model's folder, a list
# of a signature and its inputs, as tensor protocol buffers in base64; the
# results are the outputs likewise, or an error's text.
SCRIPT = """
import base64
import json
import sys

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import prediction_log_pb2

def read(text):
    proto = tensor_pb2.TensorProto.FromString(base64.b64decode(text))
    return tf.make_ndarray(proto)

def write(value):
    proto = tf.make_tensor_proto(value).SerializeToString()
    return base64.b64encode(proto).decode()

with open(sys.argv[1]) as file:
    calls = json.load(file)
results = {}
for folder, calls_of_folder in calls.items():
    signatures = tf.saved_model.load(folder).signatures

    def run(name, inputs):
        specs = signatures[name].structured_input_signature[1]
        assert inputs.keys() == specs.keys(), (name, inputs.keys())
        try:
            outputs = signatures[name](**{
                key: tf.constant(value, specs[key].dtype)
                for key, value in inputs.items()})
        except tf.errors.OpError as error:
            return f"{name}: {error.message}"
        return {key: write(value) for key, value in outputs.items()}

    results[folder] = {"calls": [
        run(name, {key: read(value) for key, value in inputs.items()})
        for name, inputs in calls_of_folder]}
    path = f"{folder}/assets.extra/tf_serving_warmup_requests"
    results[folder]["warm-up"] = []
    for record in tf.data.TFRecordDataset(path):
        log = prediction_log_pb2.PredictionLog.FromString(record.numpy())
        request = log.predict_log.request
        name = request.model_spec.signature_name
        results[folder]["warm-up"].append((name, run(name, {
            key: tf.make_ndarray(value)
            for key, value in request.inputs.items()})))
results["modules"] = [
    name for name in sys.modules
    if name.startswith(("elmo_tf", "bidaf_tf", "tasks", "tensorflow_text"))]
with open(sys.argv[2], "w") as file:
    json.dump(results, file)
"""


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """The versions of all models, moved, and what requests are made of."""
    folder = tmp_path_factory.mktemp("made")
    made = folder / "made"
    requests = {}
    bilm = made / tiny_exports.BILM / str(VERSION)
    tiny_exports.export_bilm(bilm)
    options = json.loads((bilm / "assets.extra/options.json").read_text())
    requests[tiny_exports.BILM] = tiny_requests.bilm_rows(
        options["char_cnn"]["max_characters_per_token"]
    )
    for name in tiny_exports.TASKS:
        source = folder / name
        source.mkdir()
        task_model = tiny_exports.make_task_model(name, bilm, source)
        export(lambda made=task_model: made, str(made / name), version=VERSION)
        shutil.rmtree(source)
        requests[name] = tiny_requests.task_rows(name, task_model.task)
    moved = tmp_path_factory.mktemp("moved") / "models"
    made.rename(moved)
    return moved, requests


def merge(rows):
    """Joins requests as TensorFlow Serving does to a batch.

    With `pad_variable_length_inputs` it fills each tensor up with the tensor's
    own first value (`PadTensor` in tensorflow_serving/batching/
    batching_util.cc).
    """
    merged = {}
    for name in rows[0]:
        values = [np.asarray(row[name]) for row in rows]
        shape = np.max([value.shape for value in values], axis=0)
        merged[name] = np.concatenate(
            [
                np.pad(
                    value,
                    [
                        (0, 0 if axis == 0 else size - value.shape[axis])
                        for axis, size in enumerate(shape)
                    ],
                    constant_values=value.flat[0],
                )
                for value in values
            ]
        )
    return merged


def no_rows(row):
    """A batch of nothing."""
    batch = {name: np.asarray(value)[:0] for name, value in row.items()}
    if "speakers" in batch:
        # As many columns as raw strings have tokens.
        batch["speakers"] = batch["speakers"][:, :0]
    return batch


@pytest.fixture(scope="module")
def bare(exports, tmp_path_factory):
    """What a bare TensorFlow process makes of the requests."""
    moved, requests = exports
    calls, keys = {}, {}
    for name, rows in requests.items():
        path = moved / name / str(VERSION)
        signatures = warm_up.read_signatures(path)
        batches = {
            **{row: values for row, values in enumerate(rows)},
            "batch": merge(rows),
            "none": no_rows(rows[0]),
        }
        keys[str(path)] = list(itertools.product(signatures, batches))
        calls[str(path)] = [
            (
                signature,
                {
                    n: write_tensor(batches[key][n], tensor.dtype)
                    for n, tensor in signatures[signature].inputs.items()
                },
            )
            for signature, key in keys[str(path)]
        ]
    folder = tmp_path_factory.mktemp("bare")
    (folder / "script.py").write_text(SCRIPT)
    (folder / "calls.json").write_text(json.dumps(calls))
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONPATH"
    }
    result = subprocess.run(
        [
            *(sys.executable, folder / "script.py"),
            *(folder / "calls.json", folder / "results.json"),
        ],
        cwd=folder,
        env={**environment, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    results = json.loads((folder / "results.json").read_text())
    # Nothing of ours is needed, and no operations from elsewhere.
    assert results.pop("modules") == []
    return {
        pathlib.Path(path).parent.name: {
            **dict(
                zip(keys[path], map(read_outputs, found["calls"]), strict=True)
            ),
            "warm-up": [
                (signature, read_outputs(outputs))
                for signature, outputs in found["warm-up"]
            ],
        }
        for path, found in results.items()
    }


def write_tensor(value, dtype):
    proto = tf.make_tensor_proto(value, dtype).SerializeToString()
    return base64.b64encode(proto).decode()


def read_outputs(outputs):
    """The arrays of a call; its error's text, if it failed."""
    if isinstance(outputs, str):
        return outputs
    return {
        name: tf.make_ndarray(
            tensor_pb2.TensorProto.FromString(base64.b64decode(text))
        )
        for name, text in outputs.items()
    }


def read_meta_graph(folder):
    saved_model = saved_model_pb2.SavedModel()
    saved_model.ParseFromString((folder / "saved_model.pb").read_bytes())
    (meta_graph,) = saved_model.meta_graphs
    return meta_graph


@pytest.mark.parametrize("name", MODELS)
class TestContract:
    def test_files(self, exports, name):
        base = exports[0] / name
        assert {path.name for path in (base / str(VERSION)).iterdir()} >= {
            *("saved_model.pb", "variables", "assets", "assets.extra"),
        }
        if name == tiny_exports.BILM:
            # Its versions are tested with elmo_tf.exporting.
            return
        assert {path.name for path in base.iterdir()} == {
            *(str(VERSION), "models.config", "batching_parameters.txt"),
        }
        (config,) = serving_protos.read_models_config(
            base / "models.config"
        ).model_config_list.config
        assert (config.name, config.base_path, config.model_platform) == (
            *(name, f"/models/{name}", "tensorflow"),
        )
        assert serving_protos.read_batching_parameters(
            base / "batching_parameters.txt"
        ).pad_variable_length_inputs

    def test_signatures_are_documented(self, exports, name):
        signatures = warm_up.read_signatures(exports[0] / name / str(VERSION))
        assert {"default", "tokens"} <= signatures.keys()
        for signature in signatures.values():
            assert signature.method_name == "tensorflow/serving/predict"
        page = REPOSITORY / "docs" / "serving.md"
        if not page.exists():
            pytest.skip("no docs here")
        table = "\n".join(describe(name, signatures))
        assert table in page.read_text(encoding="utf-8"), table

    def test_the_batch_is_the_first_dimension_and_free(self, exports, name):
        signatures = warm_up.read_signatures(exports[0] / name / str(VERSION))
        for signature in signatures.values():
            for tensor in (
                *signature.inputs.values(),
                *signature.outputs.values(),
            ):
                assert not tensor.tensor_shape.unknown_rank
                assert tensor.tensor_shape.dim[0].size == -1

    def test_the_graph(self, exports, name):
        """It computes on any machine, with what TensorFlow Serving has."""
        graph = read_meta_graph(exports[0] / name / str(VERSION)).graph_def
        nodes = list(graph.node)
        for function in graph.library.function:
            nodes += function.node_def
            # The server's binaries are built without the compiler.
            assert not function.attr["_XlaMustCompile"].b
        for node in nodes:
            assert "PyFunc" not in node.op
            # Tables of words are always on the CPU.
            assert _CPU.fullmatch(node.device), node.name
            assert not node.attr["_XlaMustCompile"].b

    def test_warm_up(self, exports, bare, name):
        signatures = warm_up.read_signatures(exports[0] / name / str(VERSION))
        replayed = bare[name]["warm-up"]
        assert [signature for signature, _ in replayed] == 2 * list(signatures)
        for place, (signature, outputs) in enumerate(replayed):
            assert isinstance(outputs, dict), outputs
            assert outputs.keys() == signatures[signature].outputs.keys()
            n = 1 if place < len(signatures) else 2
            assert {len(value) for value in outputs.values()} == {n}

    def test_alone_as_in_a_batch(self, exports, bare, name):
        moved, requests = exports
        n_rows = len(requests[name])
        for signature in warm_up.read_signatures(moved / name / str(VERSION)):
            together = bare[name][signature, "batch"]
            assert isinstance(together, dict), together
            for row in range(n_rows):
                alone = bare[name][signature, row]
                assert isinstance(alone, dict), alone
                for output, value in together.items():
                    assert len(value) == n_rows
                    (expected,) = alone[output]
                    check_row(value[row], expected, f"{signature}: {output}")

    def test_no_rows(self, exports, bare, name):
        for signature in warm_up.read_signatures(
            exports[0] / name / str(VERSION)
        ):
            found = bare[name][signature, "none"]
            assert isinstance(found, dict), found
            assert {len(value) for value in found.values()} == {0}


@pytest.fixture(scope="module")
def server(exports):
    """The embedded server, with all of them."""
    moved, _ = exports
    with RunningServer({name: str(moved / name) for name in MODELS}) as server:
        yield server


@pytest.mark.parametrize("api", ["rest", "grpc"])
@pytest.mark.parametrize("name", MODELS)
def test_the_embedded_server(exports, bare, server, name, api):
    moved, requests = exports
    rows = requests[name]
    batches = {0: rows[0], "batch": merge(rows)}
    # JSON has no word for the shape of what is empty.
    if api == "grpc":
        batches["none"] = no_rows(rows[0])
    signatures = warm_up.read_signatures(moved / name / str(VERSION))
    scheme = {"rest": "http", "grpc": "grpc"}[api]
    with Client(f"{scheme}://{getattr(server, api)}") as client:
        assert client.signatures(name).keys() == signatures.keys()
        for signature, info in signatures.items():
            for key, batch in batches.items():
                inputs = {field: batch[field] for field in info.inputs}
                found = client.predict(name, inputs, signature)
                expected = bare[name][signature, key]
                assert found.keys() == expected.keys()
                for output, value in expected.items():
                    where = f"{signature}, {key}: {output}"
                    assert found[output].shape == value.shape, where
                    assert found[output].dtype == value.dtype, where
                    if value.dtype.kind == "f":
                        np.testing.assert_allclose(
                            found[output], value, 1e-5, 1e-6, err_msg=where
                        )
                    else:
                        np.testing.assert_array_equal(
                            found[output], value, where
                        )


def check_row(found, expected, where):
    """Compares a row of a batch, which may be longer, with it alone."""
    if np.ndim(expected):
        found = found[tuple(map(slice, np.shape(expected)))]
    if np.asarray(expected).dtype.kind in "OSi":
        np.testing.assert_array_equal(found, expected, where)
    else:
        np.testing.assert_allclose(
            found, expected, rtol=1e-3, atol=1e-5, err_msg=where
        )


def describe(name, signatures):
    """The table of a model's signatures that stands in the documentation."""
    lines = [
        f"**{name}**",
        "",
        "| signature | inputs | outputs |",
        "|---|---|---|",
    ]
    for signature, info in signatures.items():
        lines.append(
            f"| `{signature}` | {_tensors(info.inputs)} | "
            f"{_tensors(info.outputs)} |"
        )
    return lines


def _tensors(tensors):
    return ", ".join(
        f"`{name}` {tf.as_dtype(info.dtype).name}"
        f"{'·' * (len(info.tensor_shape.dim) - 1)}"
        for name, info in sorted(tensors.items())
    )
