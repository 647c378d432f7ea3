"""Runs a trained task model over a file."""

import sys

from elmo_tf.training.progress import Progress
from tasks.predictor import Predictor
from tasks.task_model import TaskModel


def predict_file(model_dir, input_path, batch_size, with_labels):
    """Makes predictions for a file, with progress on standard error.

    Args:
        model_dir: The folder of a training.
        input_path: A file in the task's format, plain or gzip.
        batch_size: Number of examples of a batch; see `Predictor`.
        with_labels: Whether to read the labels, and to check that they are
            those of the training; else they may be missing.

    Returns:
        A tuple of the `Task`, the examples and their predictions.

    Raises:
        InputError: Something in the folder or the file cannot be used.
    """
    _, task_model = TaskModel.load(model_dir)
    task = task_model.task
    if with_labels:
        examples = task.read(input_path)
        task.check(examples)
    else:
        examples = task.read_to_predict(input_path)
    progress = Progress(
        len(examples), unit="examples", step_name="example", file=sys.stderr
    )
    predictions = Predictor(task, task_model.model, batch_size).predict(
        examples,
        task_model.input_maker(examples, input_path),
        lambda done, new: progress.update(done, new, {}),
    )
    return task, examples, predictions
