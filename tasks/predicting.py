"""Runs trained task models over a file."""

import sys

from elmo_tf.atomic_file import write_file
from elmo_tf.training.progress import Progress
from tasks.ensemble_members import check_members
from tasks.predictor import Predictor
from tasks.task_model import TaskModel


def predict_file(model_dirs, input_path, batch_size, with_labels):
    """Makes predictions for a file, with progress on standard error.

    Args:
        model_dirs: A list of the folder of a training, or of those of an
            ensemble's members.
        input_path: A file in the task's format, plain or gzip.
        batch_size: Number of examples of a batch; see `Predictor`.
        with_labels: Whether to read the labels, and to check that they are
            those of the training; else they may be missing.

    Returns:
        A tuple of the `Task`, the examples and their predictions.

    Raises:
        InputError: Something in a folder or the file cannot be used, or the
            folders are of different tasks.
    """
    members = []
    for model_dir in model_dirs:
        sources = [member.elmo_source for member in members]
        _, member = TaskModel.load(
            model_dir, [source for source in sources if source is not None]
        )
        members.append(member)
    tasks = [member.task for member in members]
    check_members(model_dirs, tasks)
    task = tasks[0]
    if with_labels:
        examples = task.read(input_path)
        task.check(examples)
    else:
        examples = task.read_to_predict(input_path)
    makers = [member.input_maker(examples, input_path) for member in members]
    progress = Progress(
        len(examples), unit="examples", step_name="example", file=sys.stderr
    )
    predictions = Predictor(
        task, [member.model for member in members], batch_size
    ).predict(
        examples, makers, lambda done, new: progress.update(done, new, {})
    )
    return task, examples, predictions


def write_predictions(output, task, examples, predictions):
    """Writes predictions in the task's standard format.

    Args:
        output: The file to write.
        task: The `Task`.
        examples: The examples.
        predictions: Their predictions.
    """
    with (
        write_file(output) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        task.write(examples, predictions, file)
