"""Checkpoints whose names do not depend on Keras' internals."""

import logging
import os
import shutil

import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training.durable_checkpoint_manager import DurableCheckpointManager
from elmo_tf.training.durable_checkpoint_manager import find_checkpoint
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


class RunCheckpointManager(DurableCheckpointManager):
    """Keeps a run's checkpoints, with one worker or several.

    All workers read the first one's checkpoints. The others' own, which
    TensorFlow makes them write, lie in a folder that `close` deletes.

    A checkpoint is due at the multiples of the interval. The base class counts
    from the checkpoint that it has read, of which the others have none: but
    all workers must save together.

    Args:
        checkpoint: The `tf.train.Checkpoint`.
        model_dir: The run's folder.
        strategy: The `tf.distribute.Strategy`.
        trainer: The `TrainerConfig`.
        global_step: The step's `tf.Variable`.
    """

    def __init__(self, checkpoint, model_dir, strategy, trainer, global_step):
        _check_name(model_dir)
        self._model_dir = model_dir
        self._global_step = global_step
        self._saved_step = None
        self._own_directory = None
        if not is_chief(strategy):
            task_id = strategy.cluster_resolver.task_id
            self._own_directory = os.path.join(
                model_dir, f"worker_{task_id}.tmp"
            )
        self.close()
        super().__init__(
            checkpoint,
            self._own_directory or model_dir,
            max_to_keep=trainer.max_to_keep,
            step_counter=global_step,
            checkpoint_interval=trainer.checkpoint_interval,
        )

    def restore_or_initialize(self):
        """Reads the run's last checkpoint, if there is one.

        Returns:
            The checkpoint's path; None if there is none.

        Raises:
            InputError: The checkpoint is damaged or one of another model.
        """
        path = find_checkpoint(self._model_dir)
        if path is not None:
            _read(self.checkpoint.restore, path)
            self._saved_step = int(self._global_step.numpy())
        return path

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Writes a checkpoint, if one is due.

        Args:
            checkpoint_number: As in the base class.
            check_interval: Whether one is due only at the multiples of the
                interval.
            options: As in the base class.

        Returns:
            The checkpoint's path; None if none was due or if there is one of
            this step.
        """
        step = int(self._global_step.numpy())
        if step == self._saved_step or (
            check_interval and step % self.checkpoint_interval
        ):
            return None
        path = super().save(checkpoint_number, False, options)
        self._saved_step = step
        return path

    def close(self):
        """Deletes what a worker other than the first has written."""
        if self._own_directory is not None:
            shutil.rmtree(self._own_directory, ignore_errors=True)


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
    _check_name(model_dir)
    path = find_checkpoint(model_dir)
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
    # Without the states of its random generators.
    checkpoint = tf.train.Checkpoint(model=NamedVariables(model.weights))
    _read(checkpoint.read, path).expect_partial()
    return path


def _check_name(model_dir):
    """TensorFlow looks for checkpoints by pattern, and would find none."""
    if any(character in model_dir for character in "*?[]\\"):
        raise InputError(
            f"{model_dir}: the name of a folder of checkpoints must hold none "
            "of * ? [ ] \\, which TensorFlow takes for a pattern"
        )


def _read(read, path):
    """Calls a checkpoint's `read` or `restore`; it must hold all variables."""
    try:
        status = read(path)
        status.assert_existing_objects_matched()
    except (
        AssertionError,
        IndexError,  # The data ends early.
        ValueError,
        tf.errors.OpError,
    ) as error:
        message = str(error).strip().splitlines()[0]
        logging.getLogger("tensorflow").addFilter(_is_no_news)
        raise InputError(
            f"{path}: the checkpoint is damaged or does not fit the model: "
            f"{message}"
        ) from None
    return status


def _is_no_news(record):
    """TensorFlow warns of each variable that a damaged checkpoint lacks."""
    return not record.getMessage().startswith(
        (
            "Detecting that an object or model or",
            "Value in checkpoint could not",
        )
    )
