"""The folder of a model's versions, as TensorFlow Serving reads it.

    BASE/1/saved_model.pb …           a version, a SavedModel
    BASE/2/saved_model.pb …           a later one
    BASE/models.config                for --model_config_file
    BASE/batching_parameters.txt      for --batching_parameters_file

Both files are text that may be edited: what is there is never overwritten.
"""

import os
import re

from tensorflow_serving.config import model_server_config_pb2

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError

MODELS_FILE_NAME = "models.config"
BATCHING_FILE_NAME = "batching_parameters.txt"

# Where the official images look for models.
_SERVER_FOLDER = "/models"
_NAME = re.compile(r"[\w.-]+", re.ASCII)

# A BatchingParameters, which tensorflow-serving-api has no class for.
_BATCHING_PARAMETERS = """\
# The most rows that run together, and that one request may have.
max_batch_size { value: 32 }
# How long a request waits for others, at most.
batch_timeout_micros { value: 2000 }
# Requests that come while so many batches wait are refused.
max_enqueued_batches { value: 100 }
# Batches that run at once; more hardly help than there are cores or GPUs.
num_batch_threads { value: 4 }
# Texts of different lengths run together; the lengths say what is padding.
pad_variable_length_inputs: true
"""


def version_folder(base, version):
    """Names the folder of a version that is to be written.

    Args:
        base: The folder of the model's versions; its name is the model's.
        version: The version's number.

    Returns:
        The folder's path.

    Raises:
        InputError: The version is less than 1 or exists, `base` is something
            else than a folder of versions, or its name cannot be a model's.
    """
    if version < 1:
        raise InputError(f"--version={version}: expected 1 or more")
    name = _model_name(base)
    if not _NAME.fullmatch(name):
        raise InputError(
            f"--output={base}: found {name!r}, expected a folder's name of "
            "letters, digits and the characters . _ - only, as it becomes the "
            "model's name"
        )
    if os.path.lexists(os.path.join(base, "saved_model.pb")):
        raise InputError(
            f"--output={base}: found a SavedModel, expected a folder for "
            "versions of one"
        )
    path = os.path.join(base, str(version))
    if os.path.lexists(path):
        raise InputError(f"--version={version}: {path} exists already")
    return path


def write_server_files(base, serving_path=None):
    """Writes models.config and batching_parameters.txt, where they are absent.

    Args:
        base: The folder of the model's versions.
        serving_path: The path at which the server finds this folder; None:
            `/models/NAME`, as in the official images.
    """
    name = _model_name(base)
    config = model_server_config_pb2.ModelServerConfig()
    config.model_config_list.config.add(
        name=name,
        base_path=serving_path or f"{_SERVER_FOLDER}/{name}",
        model_platform="tensorflow",
    )
    for file_name, text in (
        (MODELS_FILE_NAME, str(config)),
        (BATCHING_FILE_NAME, _BATCHING_PARAMETERS),
    ):
        path = os.path.join(base, file_name)
        if not os.path.lexists(path):
            with write_file(path) as partial:
                with open(partial, "w", encoding="utf-8") as file:
                    file.write(text)


def check_version_flags(version, serving_path):
    """Checks what is given besides the output.

    Args:
        version: The version's number, or None.
        serving_path: As for `write_server_files`.

    Raises:
        InputError: There is a path without a version, or it is not absolute.
    """
    if serving_path is None:
        return
    if version is None:
        raise InputError("--serving_path is for --version")
    if not re.match(r"/|\w+://", serving_path):
        raise InputError(
            f"--serving_path={serving_path}: expected an absolute path, or one "
            "with a scheme such as gs://"
        )


def _model_name(base):
    return os.path.basename(os.path.abspath(base))
