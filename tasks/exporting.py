"""What `tasks.export` does."""

import tensorflow as tf

from elmo_tf.atomic_file import write_folder
from elmo_tf.checksums import write_checksums
from elmo_tf.serving.model_versions import check_version_flags
from elmo_tf.serving.model_versions import version_folder
from elmo_tf.serving.model_versions import write_server_files
from elmo_tf.serving.warm_up import write_warm_up_requests
from tasks.task_functions import TaskFunctions


def export(
    load, output, tokenizer="whitespace", version=None, serving_path=None
):
    """Writes a task model with its biLM as one SavedModel.

    Args:
        load: A function without arguments that makes the `TaskModel`, called
            when it is known that `output` can be written.
        output: The folder to write; must not exist. With `version`, the folder
            of the model's versions, which may exist.
        tokenizer: How raw strings are split, see `TaskFunctions`.
        version: The number of the version to write for TensorFlow Serving.
        serving_path: Where the server finds the versions; see
            `elmo_tf.serving.model_versions.write_server_files`.

    Returns:
        A sorted list of the signatures' names.

    Raises:
        InputError: `output` or the version exists, or the arguments do not fit
            each other.
    """
    check_version_flags(version, serving_path)
    target = output
    if version is not None:
        target = version_folder(output, version)
    with write_folder(target) as folder:
        task_model = load()
        functions = TaskFunctions(task_model.task.config, task_model, tokenizer)
        signatures = functions.signatures()
        tf.saved_model.save(functions, folder, signatures=signatures)
        write_warm_up_requests(folder, functions.warm_up_batches())
        write_checksums(folder)
        if version is not None:
            # The version must be there last, as it is never made again.
            write_server_files(output, serving_path)
    return sorted(signatures)
