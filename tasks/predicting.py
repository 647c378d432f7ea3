"""Runs trained task models over a file."""

import sys

from elmo_tf.atomic_file import check_output_files
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.training.progress import Progress
from tasks.ensemble_members import check_members
from tasks.predictor import Predictor
from tasks.task_model import TaskModel


def predict_file(
    model_dirs,
    input_path,
    batch_size,
    with_labels,
    wants_n_best=False,
    n_best=None,
):
    """Makes predictions for a file, with progress on standard error.

    Args:
        model_dirs: A list of the folder of a training, or of those of an
            ensemble's members.
        input_path: A file in the task's format, plain or gzip.
        batch_size: Number of examples of a batch, see `Predictor`; None: that
            of the test data in the (first) training's configuration.
        with_labels: Whether to read the labels, and to check that they are
            those of the training; else they may be missing.
        wants_n_best: Whether the n best answers are to be written too.
        n_best: How many; None: as many as the task's configuration says.

    Returns:
        A tuple of the `Task`, the examples and their predictions.

    Raises:
        InputError: Something in a folder or the file cannot be used, or the
            folders are of different tasks, or of one without n best answers
            when these are wanted.
    """
    members = []
    for model_dir in model_dirs:
        sources = [member.elmo_source for member in members]
        _, member = TaskModel.load(
            model_dir, [source for source in sources if source is not None]
        )
        if wants_n_best and member.task.n_best is None:
            raise InputError(
                f"--n_best_output: {model_dir} is of the task "
                f"{member.task.config.name}, which has no n best answers"
            )
        members.append(member)
    tasks = [member.task for member in members]
    check_members(model_dirs, tasks)
    task = tasks[0]
    if n_best is not None:
        task.n_best = n_best
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
        task,
        [member.model for member in members],
        batch_size or task.config.test_data.batch_size,
    ).predict(
        examples, makers, lambda done, new: progress.update(done, new, {})
    )
    return task, examples, predictions


def write_predictions(output, task, examples, predictions):
    """Writes predictions in the task's standard format.

    Args:
        output: The file to write; see `Task.writer`.
        task: The `Task`.
        examples: The examples.
        predictions: Their predictions.
    """
    _write(output, task.writer(output), examples, predictions)


def write_n_best(output, task, examples, predictions):
    """Writes the n best answers of a task that has them.

    Args:
        output: The file to write.
        task: The `Task`.
        examples: The examples.
        predictions: Their predictions.
    """
    _write(output, task.write_n_best, examples, predictions)


def check_outputs(output, n_best_output, n_best, input_path):
    """Checks the flags of what to write before the work is done for it.

    Args:
        output: The file of predictions.
        n_best_output: The file of n best answers; None: none.
        n_best: How many it shall hold, or None.
        input_path: The file that is read.

    Raises:
        InputError: A file cannot be written, or there is a number without the
            file.
    """
    check_output_files(
        {"--output=": output, "--n_best_output=": n_best_output}, [input_path]
    )
    if n_best is not None and n_best_output is None:
        raise InputError("--n_best: expected with --n_best_output only")


def _write(output, write, examples, predictions):
    with (
        write_file(output) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        write(examples, predictions, file)
