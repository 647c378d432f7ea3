"""What a run's folder holds, in a form that two runs can be compared in."""

import hashlib
import json
import os
import re

import h5py
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from elmo_tf.checksums import CHECKSUMS_FILE_NAME
from elmo_tf.saved_model import open_saved_model
from elmo_tf.serving.warm_up import EXTRA_FOLDER
from elmo_tf.serving.warm_up import REQUESTS_FILE_NAME
from elmo_tf.training.durable_checkpoint_manager import POINTER_FILE_NAME
from elmo_tf.training.durable_checkpoint_manager import find_checkpoint

# What a killed process may leave until another one writes there.
_LEFTOVER = re.compile(
    r"\.partial-.*|ckpt-\d+_temp|.*\.tempstate\d+|checkpoint\.tmp\w+"
)
_CHECKPOINT = re.compile(r"ckpt-\d+\.(index|data-\d+-of-\d+)")
# TensorBoard's, a new one of each process.
_EVENTS = re.compile(r"events\.out\.tfevents\..*")
# No two exports are the same to the last byte.
_OF_SAVED_MODEL = ("saved_model.pb", "fingerprint.pb", CHECKSUMS_FILE_NAME)
# What two runs need not have in common.
_OF_THE_PROCESS = ("date", "seconds")


def read_contents(folder):
    """Reads all that has its final name.

    Args:
        folder: The folder.

    Returns:
        A dictionary from paths in the folder to digests. The last checkpoint
        of a folder is the entry `checkpoint`, of all its tensors. What a
        SavedModel computes is the entry `saved_model`, a dictionary.

    Raises:
        Exception: Something is damaged.
    """
    contents = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _LEFTOVER.fullmatch(name)]
        if "saved_model.pb" in names:
            folders.remove("variables")
            names = [name for name in names if name not in _OF_SAVED_MODEL]
            path = os.path.join(os.path.relpath(parent, folder), "saved_model")
            contents[path] = _describe_saved_model(parent)
        for name in names:
            path = os.path.join(parent, name)
            if name == POINTER_FILE_NAME:
                digest = _digest_checkpoint(find_checkpoint(parent))
            elif any(
                pattern.fullmatch(name)
                for pattern in (_LEFTOVER, _CHECKPOINT, _EVENTS)
            ):
                continue
            elif name.endswith((".hdf5", ".h5")):
                digest = _digest_hdf5(path)
            elif name == "results.json":
                digest = _digest_results(path)
            else:
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            contents[os.path.relpath(path, folder)] = digest
    return contents


def is_same(found, expected):
    """Whether two values of `read_contents` are the same.

    No two SavedModels are to the last byte, and their functions may differ in
    the last bits.

    Args:
        found: A value, or None.
        expected: Likewise.
    """
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return found == expected
    if found["weights"] != expected["weights"]:
        return False
    if found["outputs"].keys() != expected["outputs"].keys():
        return False
    return all(
        np.allclose(value, expected["outputs"][name], rtol=1e-4, atol=1e-6)
        for name, value in found["outputs"].items()
    )


def checkpoint_digests(folder):
    """Reads all checkpoints of a folder.

    Args:
        folder: The folder.

    Returns:
        A tuple of two lists of digests: of all their tensors, as
        `read_contents` has it, and of the model's alone.
    """
    paths = [
        os.path.join(folder, name.removesuffix(".index"))
        for name in sorted(os.listdir(folder))
        if name.endswith(".index")
    ]
    return (
        [_digest_checkpoint(path) for path in paths],
        [_digest_checkpoint(path, "model/") for path in paths],
    )


def find_leftovers(folder):
    """Finds what should not be there after an undisturbed run.

    Args:
        folder: The folder.

    Returns:
        A sorted list of paths.
    """
    found = []
    for parent, folders, names in os.walk(folder):
        known = _known_checkpoints(parent)
        for name in (*folders, *names):
            is_unknown = (
                _CHECKPOINT.fullmatch(name) and name.split(".")[0] not in known
            )
            if is_unknown or _LEFTOVER.fullmatch(name):
                found.append(os.path.join(parent, name))
    return sorted(found)


def _known_checkpoints(folder):
    state = tf.train.get_checkpoint_state(folder)
    if state is None:
        return ()
    return {os.path.basename(path) for path in state.all_model_checkpoint_paths}


def _digest_checkpoint(path, prefix=""):
    reader = tf.train.load_checkpoint(path)
    digest = hashlib.sha256()
    for name in sorted(reader.get_variable_to_shape_map()):
        # Reading checks it in any case.
        tensor = reader.get_tensor(name)
        if name.startswith(prefix) and not name.startswith(
            ("save_counter", "_CHECKPOINTABLE")
        ):
            data = tensor if isinstance(tensor, bytes) else tensor.tobytes()
            digest.update(f"{name}\0".encode() + data)
    return digest.hexdigest()


def _describe_saved_model(folder):
    """Its weights, whatever they are called there, and what it computes."""
    reader = tf.train.load_checkpoint(
        os.path.join(folder, "variables", "variables")
    )
    # The others are the states of dropout's random generators, which are made
    # anew each time.
    weights = sorted(
        hashlib.sha256(reader.get_tensor(name).tobytes()).hexdigest()
        for name, dtype in reader.get_variable_to_dtype_map().items()
        if dtype.is_floating
    )
    loaded = open_saved_model(folder)
    records = tf.data.TFRecordDataset(
        os.path.join(folder, EXTRA_FOLDER, REQUESTS_FILE_NAME)
    )
    outputs = {}
    for number, record in enumerate(records):
        log = prediction_log_pb2.PredictionLog.FromString(record.numpy())
        request = log.predict_log.request
        inputs = {
            name: tf.constant(tf.make_ndarray(value))
            for name, value in request.inputs.items()
        }
        signature = request.model_spec.signature_name
        for name, value in loaded.signatures[signature](**inputs).items():
            if value.dtype != tf.string:
                outputs[f"{number}/{signature}/{name}"] = [
                    float(tf.reduce_mean(tf.cast(value, tf.float64))),
                    float(tf.norm(tf.cast(value, tf.float64))),
                ]
    return {"weights": weights, "outputs": outputs}


def _digest_hdf5(path):
    digest = hashlib.sha256()

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            value = item[()]
            if item.dtype.hasobject:
                data = b"\0".join(value.ravel().tolist())
            else:
                data = value.tobytes()
            digest.update(f"{name}\0{item.shape}\0".encode() + data)

    with h5py.File(path) as file:
        file.visititems(visit)
    return digest.hexdigest()


def _digest_results(path):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    for name in _OF_THE_PROCESS:
        del results[name]
    return json.dumps(results, sort_keys=True)
