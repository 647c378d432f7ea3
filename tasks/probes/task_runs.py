"""The folders that trainings of task models have left."""

import glob
import os

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.json_file import read_json
from elmo_tf.json_file import unexpected
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.run import CONFIG_FILE_NAME
from tasks.results import RESULTS_FILE_NAME

_RESULTS = "the results of a task's training"


def seed_folder(model_dir, seed):
    """Returns where tasks.train puts one of several seeds."""
    return os.path.join(model_dir, f"seed_{seed}")


def read_results(model_dir):
    """Reads the results of a training.

    Args:
        model_dir: The training's folder, with one seed or several.

    Returns:
        What its results.json holds; None if it has none, for the training has
        not ended.

    Raises:
        InputError: The file is damaged.
    """
    path = os.path.join(model_dir, RESULTS_FILE_NAME)
    if not os.path.exists(path):
        return None
    results = read_json(path, _RESULTS)
    if not {"seed", "seeds"} & results.keys():
        raise unexpected(path, _RESULTS, "neither a seed nor seeds")
    return results


def event_files(model_dir):
    """Lists the files of a training's entries for TensorBoard, in order.

    Args:
        model_dir: The training's folder, with one seed.

    Returns:
        A list of a path for each process that has trained.
    """
    return sorted(glob.glob(os.path.join(model_dir, "train", "events.out.*")))


def read_events(path):
    """Yields a file's entries, up to where a kill cut it off."""
    try:
        for record in tf.data.TFRecordDataset(path):
            yield tf.compat.v1.Event.FromString(record.numpy())
    except tf.errors.DataLossError:
        return


def training_losses(model_dir):
    """Reads the losses that a training has written for TensorBoard.

    Args:
        model_dir: The training's folder, with one seed.

    Returns:
        A dictionary from step to loss.
    """
    return {
        event.step: float(tf.make_ndarray(value.tensor))
        for path in event_files(model_dir)
        for event in read_events(path)
        for value in event.summary.value
        if value.tag == "loss"
    }


def finished_runs(model_dir, task_name):
    """Finds the trained models of a finished training.

    Args:
        model_dir: The training's folder, with one seed or several.
        task_name: The name of the task that it must be of.

    Returns:
        A dictionary from each seed to the folder of its model.

    Raises:
        InputError: The training has not ended, or is one of another task.
    """
    results = read_results(model_dir)
    if results is None:
        raise InputError(
            f"{model_dir}: has no {RESULTS_FILE_NAME}, expected the folder of "
            "a finished training"
        )
    if "seeds" in results:
        runs = {seed: seed_folder(model_dir, seed) for seed in results["seeds"]}
    else:
        runs = {results["seed"]: model_dir}
    for folder in runs.values():
        path = os.path.join(folder, CONFIG_FILE_NAME)
        if not os.path.exists(path):
            raise InputError(f"{path}: no such file")
        name = read_overrides(path, path).get("task", {}).get("name")
        if name != task_name:
            raise InputError(
                f"{path}: found the task {name!r}, expected {task_name!r}"
            )
    return runs
