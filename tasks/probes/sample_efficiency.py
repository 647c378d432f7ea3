"""Trains a task with parts of its training data, with and without ELMo.

    python -m tasks.probes.sample_efficiency --experiment=srl/conll2012_small \\
        --output=FOLDER --params_override=task.train_data.input_path=…

The question of section 5.4 of the ELMo paper (figure 1): how much of the
training data ELMo stands for, and how many updates. For each of --fractions
there is a training without ELMo and one with the experiment's, both with the
same examples and the same budget: the experiment's epochs, or so many more that
there are --least_steps updates. --fractions are shares of the examples, drawn
with the seed.

Each is a training by tasks.train, in a process of its own and in the folder
FOLDER/none_FRACTION or FOLDER/elmo_FRACTION; what it prints goes to a file of
that name with .log. The same command goes on where it was interrupted, and
leaves alone what has ended. At last FOLDER gets table.md and
sample_efficiency.png. Prints the table, then one line of JSON.
"""

import math
import pathlib
import signal

from absl import flags

from elmo_tf import command_line
from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine
from elmo_tf.training.experiment import experiment_config
from tasks.markdown_table import markdown_table
from tasks.probes import variant_results
from tasks.probes import variant_training
from tasks.probes.fractions_picture import draw_fractions
from tasks.probes.page import write_page
from tasks.probes.updates import updates_to_reach
from tasks.registry import make_task
from tasks.results import percent

FLAGS = flags.FLAGS

_TAKEN = {
    "seeds": "--seeds says that",
    "task.train_fraction": "--fractions says that",
    "trainer.validation_interval": "the fraction decides that",
}

# The task model without ELMo, and with it.
_KINDS = {"none": ",task.elmo.location=none", "elmo": ""}

# So many validations there are at least in a training of --least_steps.
_N_VALIDATIONS = 10

flags.DEFINE_string(
    "experiment", None, "Name of the configuration, as for tasks.train."
)
flags.DEFINE_string(
    "output", None, "Folder of the trainings; made if it does not exist."
)
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiment's in all trainings: a.b=1,c.d=2.",
)
flags.DEFINE_list("seeds", ["1"], "The seeds, with commas.")
flags.DEFINE_list(
    "fractions",
    ["0.001", "0.01", "0.1", "0.3", "1"],
    "Shares of the training examples above 0 and up to 1, with commas.",
)
flags.DEFINE_integer(
    "least_steps", 500, "How many updates each training has at least.", 1
)


def main(_):
    # Else the process that trains would outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seeds, common = _read_flags()
    output = pathlib.Path(FLAGS.output)
    trainings = _plan(common)
    configs = {
        name: variant_training.check(FLAGS.experiment, text, output / name)
        for name, text in trainings.items()
    }
    output.mkdir(parents=True, exist_ok=True)
    for name, text in trainings.items():
        variant_training.train(
            FLAGS.experiment, text, output / name, configs[name].seeds
        )
    metric = variant_training.metric(next(iter(configs.values())))
    found = {
        kind: {
            fraction: variant_results.read(output / f"{kind}_{fraction}", seeds)
            for fraction in FLAGS.fractions
        }
        for kind in _KINDS
    }
    updates = {
        fraction: {
            kind: updates_to_reach(
                output / f"{kind}_{fraction}",
                output / f"none_{fraction}",
                seeds,
                metric,
            )
            for kind in _KINDS
        }
        for fraction in FLAGS.fractions
    }
    table = _table(found, updates, metric)
    _write_page(output / "table.md", table, seeds)
    draw_fractions(output / "sample_efficiency.png", found, metric)
    print(table)
    command_line.print_json(
        {
            "probe": "sample_efficiency",
            "machine": describe_machine(),
            "experiment": FLAGS.experiment,
            "metric": metric,
            "seeds": seeds,
            "least_steps": FLAGS.least_steps,
            "found": found,
            "updates_to_the_best_without_elmo": updates,
        }
    )


def _read_flags():
    """The seeds, and the overrides that all trainings have."""
    check_whole_numbers("seeds", FLAGS.seeds, 0)
    if not FLAGS.fractions:
        raise InputError("--fractions: is empty, expected numbers up to 1")
    for value in FLAGS.fractions:
        try:
            is_usable = 0 < float(value) <= 1
        except ValueError:
            is_usable = False
        if not is_usable:
            raise InputError(
                f"--fractions: found {value!r}, expected numbers above 0 and "
                "up to 1"
            )
    for name in ("seeds", "fractions"):
        values = [float(value) for value in FLAGS[name].value]
        for text, value in zip(FLAGS[name].value, values, strict=True):
            if values.count(value) > 1:
                raise InputError(f"--{name}: found {text} twice")
    common = variant_training.common_overrides(
        FLAGS.params_override, FLAGS.seeds, _TAKEN
    )
    return [int(seed) for seed in FLAGS.seeds], common


def _plan(common):
    """Each training's overrides for tasks.train, by the name of its folder."""
    config = experiment_config(FLAGS.experiment, params_override=common)
    if not config.task.elmo.is_used:
        raise InputError(
            "--params_override: found task.elmo.location=none, expected a "
            "place: without ELMo each training is made anyway"
        )
    path = config.task.train_data.input_path
    if not path:
        raise InputError("task.train_data.input_path is not set")
    n_examples = len(make_task(config.task).read_training(path))
    trainings = {}
    for fraction in FLAGS.fractions:
        n_used = math.ceil(float(fraction) * n_examples)
        n_steps = math.ceil(n_used / config.task.train_data.batch_size)
        budget = _budget(config.trainer, n_steps)
        for kind, override in _KINDS.items():
            trainings[f"{kind}_{fraction}"] = (
                f"{common},task.train_fraction={fraction},{budget}{override}"
            )
    return trainings


def _budget(trainer, steps_per_epoch):
    """The overrides that say how long to train, and when to validate."""
    interval = max(steps_per_epoch, FLAGS.least_steps // _N_VALIDATIONS)
    longer = math.ceil(FLAGS.least_steps / steps_per_epoch)
    epochs = max(trainer.train_epochs, longer)
    return (
        f"trainer.train_epochs={epochs},trainer.validation_interval={interval}"
    )


def _table(found, updates, metric):
    rows = []
    for fraction in FLAGS.fractions:
        cells = [f"{100 * float(fraction):g} %"]
        for split in ("validation", "test"):
            for kind in _KINDS:
                summary = found[kind][fraction][split]
                cells.append(percent(summary[metric]) if summary else "—")
        for kind in _KINDS:
            n_updates = updates[fraction][kind]
            cells.append("—" if n_updates is None else f"{n_updates:,.0f}")
        rows.append(cells)
    header = ["training data"]
    for split in ("validation", "test"):
        header += [f"{split} {metric}", "with ELMo"]
    header += ["updates to the best without ELMo", "with ELMo"]
    return markdown_table(header, rows)


def _write_page(path, table, seeds):
    listed = ", ".join(map(str, seeds))
    write_page(
        path,
        f"{FLAGS.experiment} with parts of the training data",
        "tasks.probes.sample_efficiency",
        table,
        f"Mean and standard deviation over the seeds {listed}, in %, which "
        "draw the examples too. The updates are the mean number of steps after "
        "which a validation was as good as the best one without ELMo, of the "
        "same seed and part of the data. The trainings of a row have the same "
        "budget. —: never, with one of the seeds.",
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "output"])
    command_line.run(main)
