"""Measures what the cache of the biLM's layers saves a task's training.

    python benchmarks/elmo_cache.py --experiment=ner/conll2003_small \\
        --output=FOLDER --params_override=task.train_data.input_path=…

The same training, each time by tasks.train in a process of its own:

    live    the biLM runs in each epoch: task.elmo.cache=false
    first   the biLM runs once for each file, and its layers go to disk
    again   the layers of a training before are found there

in turns, --repetitions times, in folders below FOLDER. The losses of all must
agree. Prints a table of medians, then one line of JSON.
"""

import pathlib
import shutil
import statistics
import sys
import time

import numpy as np
from absl import flags

# `python benchmarks/elmo_cache.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchmarks import report
from elmo_tf import command_line
from elmo_tf.errors import InputError
from elmo_tf.machine import describe_machine
from elmo_tf.training.experiment import experiment_config
from tasks.markdown_table import markdown_table
from tasks.probes import variant_training
from tasks.probes.task_runs import training_losses

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "experiment", None, "Name of the configuration, as for tasks.train."
)
flags.DEFINE_string("output", None, "Folder of the trainings; must not exist.")
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiment's: a.b=1,c.d=2.",
)
flags.DEFINE_integer(
    "repetitions", 1, "How often each is trained.", lower_bound=1
)

_LIVE, _FIRST, _AGAIN = _MODES = ("live", "first", "again")


def main(_):
    output = pathlib.Path(FLAGS.output)
    if output.exists():
        raise InputError(f"--output: {output} exists")
    overrides = _overrides(output / "cache")
    for text in overrides.values():
        config = experiment_config(FLAGS.experiment, params_override=text)
        if not config.task.elmo.is_used:
            raise InputError("task.elmo.location: found none: nothing to cache")
        if config.seeds:
            raise InputError("seeds: expected none, as each is trained alike")
    output.mkdir(parents=True)
    seconds = {mode: [] for mode in _MODES}
    losses = {}
    for repetition in range(FLAGS.repetitions):
        shutil.rmtree(output / "cache", ignore_errors=True)
        for mode in _MODES:
            model_dir = output / f"{mode}_{repetition}"
            started = time.monotonic()
            variant_training.run_training(
                FLAGS.experiment, overrides[mode], model_dir
            )
            seconds[mode].append(time.monotonic() - started)
            losses[mode] = training_losses(model_dir)
    medians = {mode: statistics.median(seconds[mode]) for mode in _MODES}
    differences = {
        mode: _largest_difference(losses[_LIVE], losses[mode])
        for mode in _MODES
    }
    print(_table(medians, differences))
    command_line.print_json(
        {
            "benchmark": "elmo_cache",
            "machine": describe_machine(),
            "experiment": FLAGS.experiment,
            "seconds": seconds,
            "times_as_fast_as_live": {
                mode: medians[_LIVE] / medians[mode] for mode in _MODES
            },
            "largest_difference_of_losses": differences,
            "cache_bytes": sum(
                path.stat().st_size
                for path in (output / "cache").rglob("*")
                if path.is_file()
            ),
        }
    )


def _overrides(cache_dir):
    """Each mode's overrides for tasks.train."""
    common = f"{FLAGS.params_override}," if FLAGS.params_override else ""
    cached = f"{common}task.elmo.cache=true,task.elmo.cache_dir={cache_dir}"
    return {
        _LIVE: f"{common}task.elmo.cache=false",
        _FIRST: cached,
        _AGAIN: cached,
    }


def _largest_difference(expected, found):
    """Of two series of losses, relative to the first's; None: not alike."""
    if expected.keys() != found.keys():
        return None
    steps = sorted(expected)
    expected, found = (
        np.array([series[step] for step in steps])
        for series in (expected, found)
    )
    return float(np.max(np.abs(found - expected) / np.abs(expected)))


def _table(medians, differences):
    rows = [
        [
            mode,
            report.number(medians[mode]),
            f"{medians[_LIVE] / medians[mode]:.2f}",
            "—" if differences[mode] is None else f"{differences[mode]:.1e}",
        ]
        for mode in _MODES
    ]
    return markdown_table(
        ["layers", "seconds", "× live", "largest difference of losses"], rows
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "output"])
    command_line.run(main)
