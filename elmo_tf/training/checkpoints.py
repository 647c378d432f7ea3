"""Checkpoints whose names do not depend on Keras' internals."""

import os
import shutil

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training.runtime import is_chief


class NamedVariables(tf.Module):
    """Variables under their Keras paths, for `tf.train.Checkpoint`.

    Args:
        variables: Keras variables with distinct paths.
    """

    def __init__(self, variables):
        super().__init__()
        self.variables_by_path = {
            variable.path: variable.value for variable in variables
        }
        if len(self.variables_by_path) != len(variables):
            raise ValueError("two variables have the same path")


def checkpoint_manager(checkpoint, model_dir, strategy, trainer, global_step):
    """Makes the manager of a run's checkpoints.

    With several workers all read the first one's checkpoints; the others'
    own, which TensorFlow makes them write, are thrown away.

    Args:
        checkpoint: The `tf.train.Checkpoint`.
        model_dir: The run's folder.
        strategy: The `tf.distribute.Strategy`.
        trainer: The `TrainerConfig`.
        global_step: The step's `tf.Variable`.

    Returns:
        A `tf.train.CheckpointManager`.
    """
    directory = model_dir
    if not is_chief(strategy):
        task_id = strategy.cluster_resolver.task_id
        directory = os.path.join(model_dir, f"worker_{task_id}.tmp")
        shutil.rmtree(directory, ignore_errors=True)

    def restore_first_workers():
        latest = tf.train.latest_checkpoint(model_dir)
        if latest:
            checkpoint.restore(latest)

    return tf.train.CheckpointManager(
        checkpoint,
        directory,
        max_to_keep=trainer.max_to_keep,
        step_counter=global_step,
        checkpoint_interval=trainer.checkpoint_interval,
        init_fn=restore_first_workers,
    )


def latest_checkpoint(model_dir):
    """Finds the last checkpoint of a run.

    Args:
        model_dir: The run's folder.

    Returns:
        The checkpoint's path, without the endings of its files.

    Raises:
        InputError: There is no such folder or no checkpoint in it.
    """
    if not os.path.isdir(model_dir):
        raise InputError(f"{model_dir}: no such folder")
    path = tf.train.latest_checkpoint(model_dir)
    if path is None:
        raise InputError(f"{model_dir}: holds no checkpoint")
    return path


def restore_model(model, model_dir):
    """Reads a model's weights from the last checkpoint of a run.

    Args:
        model: The Keras layer or model, built.
        model_dir: The run's folder.

    Returns:
        The checkpoint's path.

    Raises:
        InputError: There is no checkpoint, or it is one of another model.
    """
    path = latest_checkpoint(model_dir)
    checkpoint = tf.train.Checkpoint(model=NamedVariables(model.variables))
    try:
        status = checkpoint.read(path)
        status.assert_existing_objects_matched()
        status.expect_partial()
    except (AssertionError, ValueError) as error:
        message = str(error).strip().splitlines()[0]
        raise InputError(
            f"{path}: the checkpoint does not fit the model: {message}"
        ) from None
    return path
