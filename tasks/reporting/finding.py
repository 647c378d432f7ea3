"""Finds the runs in a folder and reads them."""

import datetime
import os
import sys

import pydantic

from elmo_tf.errors import InputError
from elmo_tf.errors import describe_validation_error
from elmo_tf.json_file import read_json
from elmo_tf.json_file import unexpected
from elmo_tf.quickstart_pictures import read_scalars
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.run import CONFIG_FILE_NAME
from tasks.probes.task_runs import event_files
from tasks.probes.task_runs import seed_folder
from tasks.probes.variant_results import training_seconds
from tasks.registry import make_task
from tasks.reporting.found_runs import FoundRuns
from tasks.reporting.probe_results import FineTuningResults
from tasks.reporting.probe_results import SenseResults
from tasks.reporting.probe_run import ProbeRun
from tasks.reporting.task_run import TaskRun
from tasks.reporting.training_results import TrainingResults
from tasks.results import RESULTS_FILE_NAME
from tasks.task_model import load_config
from tasks.task_shape import TaskShape

_RESULTS = "the results of a run"


def find_runs(root):
    """Walks a folder and reads all runs in it.

    Args:
        root: The folder. Links to folders are followed.

    Returns:
        The `FoundRuns`. A run that is unfinished or damaged, and one that has
        the configuration and the seed of an earlier one, is left out with the
        reason.

    Raises:
        InputError: There is no such folder, or no finished run in it.
    """
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder")
    found = FoundRuns()
    for path in _folders(root):
        folder = os.path.relpath(path, root)
        try:
            _read(path, folder, found)
        except (InputError, OSError) as error:
            reason = " ".join(str(error).split())
            found.left_out.append((folder, reason))
    if not (found.tasks or found.senses or found.fine_tunings):
        message = (
            f"{root}: no finished run in it, expected folders with "
            f"{RESULTS_FILE_NAME}"
        )
        if found.left_out:
            folder, reason = found.left_out[0]
            message += f"; {folder} was left out: {reason}"
        raise InputError(message)
    _leave_out_doubles(found)
    return found


def _folders(root):
    """Yields all folders, in order, each once however it is linked."""
    seen = set()
    for path, names, _ in os.walk(root, followlinks=True):
        real = os.path.realpath(path)
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        names.sort()
        yield path


def _read(path, folder, found):
    has_config = os.path.exists(os.path.join(path, CONFIG_FILE_NAME))
    results_path = os.path.join(path, RESULTS_FILE_NAME)
    if not os.path.exists(results_path):
        if has_config and _is_of_a_task(path):
            raise InputError(f"unfinished: has no {RESULTS_FILE_NAME} yet")
        return
    results = _read_json(results_path)
    if "seeds" in results:
        for seed in results["seeds"]:
            if not os.path.isdir(seed_folder(path, seed)):
                found.left_out.append(
                    (seed_folder(folder, seed), "the folder is not there")
                )
    elif results.get("task") == "wsd":
        found.senses.append(
            _probe_run(results_path, folder, "Word senses", SenseResults)
        )
    elif results.get("probe") == "fine_tuning":
        found.fine_tunings.append(
            _probe_run(results_path, folder, "Fine-tuning", FineTuningResults)
        )
    elif {"before", "after"} <= results.keys():
        # A corpus of fine-tuning, which the folder above tells of.
        return
    elif has_config:
        print(f"reading {folder}", file=sys.stderr)
        found.tasks.append(_task_run(path, folder))
    else:
        raise unexpected(
            results_path,
            _RESULTS,
            f"something else, or {CONFIG_FILE_NAME} is missing beside it",
        )


def _is_of_a_task(path):
    """Whether a configuration is that of a task, not of a pre-training."""
    config = os.path.join(path, CONFIG_FILE_NAME)
    task = read_overrides(config, config).get("task")
    return isinstance(task, dict) and "name" in task


def _task_run(path, folder):
    config = load_config(path)
    results_path = os.path.join(path, RESULTS_FILE_NAME)
    results = _validated(results_path, TrainingResults)
    metric = make_task(config.task).metric
    for split in ("validation", "test"):
        metrics = getattr(results, split)
        if metrics is not None and metric not in metrics:
            raise InputError(f"{RESULTS_FILE_NAME}: {split}: found no {metric}")
    steps, values = read_scalars(os.path.join(path, "validation"), metric)
    shape = TaskShape.load(path)
    return TaskRun(
        folder=folder,
        path=path,
        config=config,
        results=results,
        date=results.date or _modified(results_path),
        seconds=training_seconds(path)
        if event_files(path)
        else results.seconds,
        curve=(steps.tolist(), values.tolist()),
        elmo_fingerprint=None if shape is None else shape.elmo_fingerprint,
    )


def _probe_run(results_path, folder, title, results_class):
    return ProbeRun(
        folder=folder,
        title=title,
        results=_validated(results_path, results_class),
        date=_modified(results_path),
    )


def _read_json(path):
    values = read_json(path, _RESULTS)
    if not isinstance(values.get("seeds", []), list):
        raise unexpected(path, _RESULTS, "seeds that are no list")
    return values


def _validated(path, results_class):
    try:
        return pydantic.TypeAdapter(results_class).validate_python(
            _read_json(path)
        )
    except pydantic.ValidationError as error:
        raise InputError(
            f"{os.path.basename(path)}: {describe_validation_error(error)}"
        ) from None


def _modified(path):
    moment = datetime.datetime.fromtimestamp(
        os.path.getmtime(path), datetime.UTC
    )
    return moment.isoformat("T", "seconds")


def _leave_out_doubles(found):
    """The same configuration with the same seed counts once."""
    first = {}
    kept = []
    for run in found.tasks:
        key = (run.results.seed, repr(sorted(run.options.items())))
        other = first.setdefault(key, run)
        if other is run:
            kept.append(run)
        else:
            found.left_out.append(
                (
                    run.folder,
                    f"the same configuration and seed as {other.folder}",
                )
            )
    found.tasks = kept
