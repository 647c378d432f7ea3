"""Tags parts of speech with each of a biLM's layers, and with their mix.

    python -m tasks.probes.pos_layers --output=FOLDER \\
        --params_override=task.train_data.input_path=…

The question of section 5.3 of the ELMo paper (table 6): what a linear
classifier on one frozen layer makes of it, with the same budget and the same
seeds for each layer. `layer_0` is the token layer, which knows no context, and
`all` the learnt sum of the layers. Besides, the baseline that gives each word
its most frequent tag.

Each variant is a training by tasks.train, in a process of its own and in the
folder FOLDER/VARIANT; what it prints goes to FOLDER/VARIANT.log. The same
command goes on where it was interrupted, and leaves alone what has ended. At
last FOLDER gets table.md and layers.png. Prints the table, then one line of
JSON.
"""

import pathlib
import signal

import numpy as np
from absl import flags

from elmo_tf import command_line
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_distinct
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine
from elmo_tf.training.experiment import experiment_config
from tasks.markdown_table import markdown_table
from tasks.pos.frequency_baseline import FrequencyBaseline
from tasks.pos.task import POSTask
from tasks.probes import variant_results
from tasks.probes import variant_training
from tasks.probes.page import write_page
from tasks.probes.variants_picture import draw_variants
from tasks.results import percent

FLAGS = flags.FLAGS

_EXPERIMENT = "pos/linear"
_TAKEN = {
    "seeds": "--seeds says that",
    "task.elmo.layers": "--layers says that",
}
_METRICS = (
    ("validation", "accuracy"),
    ("validation", "unseen_accuracy"),
    ("test", "accuracy"),
    ("test", "unseen_accuracy"),
)

flags.DEFINE_string(
    "output", None, "Folder of the trainings; made if it does not exist."
)
flags.DEFINE_string(
    "params_override",
    "",
    f"Values that override those of {_EXPERIMENT}: a.b=1,c.d=2.",
)
flags.DEFINE_list("seeds", ["1", "2", "3"], "The seeds, with commas.")
flags.DEFINE_list(
    "layers",
    None,
    "Which layers, by number, and `all`, with commas; default: each of them.",
)


def main(_):
    # Else the process that trains would outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    overrides = _overrides()
    output = pathlib.Path(FLAGS.output)
    seeds = [int(seed) for seed in FLAGS.seeds]
    # Before the first of them starts, what is wrong with any.
    configs = {
        name: variant_training.check(_EXPERIMENT, text, output / name)
        for name, text in overrides.items()
    }
    config = next(iter(configs.values()))
    baseline = _measure_baseline(config.task)
    output.mkdir(parents=True, exist_ok=True)
    for name, text in overrides.items():
        variant_training.train(_EXPERIMENT, text, output / name, config.seeds)
    variants = {
        name: variant_results.read(output / name, seeds) for name in overrides
    }
    table = _table(baseline, variants)
    difference = _difference(variants)
    if difference is not None:
        table = f"{table}\n\n{_sentence(difference)}"
    _write_page(output / "table.md", table, seeds, config.task.column)
    draw_variants(output / "layers.png", variants, POSTask.metric)
    print(table)
    command_line.print_json(
        {
            "probe": "pos_layers",
            "machine": describe_machine(),
            "column": config.task.column,
            "metric": POSTask.metric,
            "seeds": seeds,
            "baseline": baseline,
            "variants": variants,
            "first_against_highest": difference,
        }
    )


def _overrides():
    """Each variant's overrides for tasks.train, by its name."""
    check_whole_numbers("seeds", FLAGS.seeds, 0)
    for name in ("seeds", "layers"):
        check_distinct(name, FLAGS[name].value)
    common = variant_training.common_overrides(
        FLAGS.params_override, FLAGS.seeds, _TAKEN
    )
    config = experiment_config(_EXPERIMENT, params_override=common)
    n_layers = Elmo(config.task.elmo.saved_model).n_layers
    layers = [*map(str, range(n_layers)), "all"]
    if FLAGS.layers is not None:
        check_choices("layers", FLAGS.layers, layers)
        layers = FLAGS.layers
    return {
        layer if layer == "all" else f"layer_{layer}": (
            f"{common},task.elmo.layers={layer}"
        )
        for layer in layers
    }


def _measure_baseline(config):
    """The scores of the most frequent tags, by split; None without data."""
    task = POSTask(config)
    paths = {
        "train": config.train_data.input_path,
        "validation": config.validation_data.input_path,
        "test": config.test_data.input_path,
    }
    for split in ("train", "validation"):
        if not paths[split]:
            raise InputError(f"task.{split}_data.input_path is not set")
    baseline = FrequencyBaseline(task.read(paths.pop("train")))
    return {
        split: baseline.score(task.read(path)) if path else None
        for split, path in paths.items()
    }


def _table(baseline, variants):
    def percents(found):
        return [
            percent(found[split][metric]) if found[split] else "—"
            for split, metric in _METRICS
        ]

    as_summaries = {
        split: scores
        and {
            metric: {"mean": value, "standard_deviation": None}
            for metric, value in scores.items()
        }
        for split, scores in baseline.items()
    }
    rows = [["most frequent tag", *percents(as_summaries), "—", "—"]]
    for name, found in variants.items():
        ((_, weights),) = found["elmo"].items()
        shares = " ".join(f"{share:.2f}" for share in weights.get("s", []))
        rows.append(
            [
                name.replace("_", " "),
                *percents(found),
                f"{weights['gamma']:.2f}",
                shares or "—",
            ]
        )
    return markdown_table(
        [
            "",
            *(
                f"{split} {'unseen' if 'unseen' in metric else 'all'}"
                for split, metric in _METRICS
            ),
            "γ",
            "s",
        ],
        rows,
    )


def _difference(variants):
    """By how much the first layer over the tokens is better than the highest.

    Of test data, else of validation data. None if there are not both.
    """
    numbers = sorted(
        int(name.removeprefix("layer_"))
        for name in variants
        if name.startswith("layer_")
    )
    if 1 not in numbers or numbers[-1] == 1:
        return None
    first, highest = (variants[f"layer_{n}"] for n in (1, numbers[-1]))
    split = "test" if first["test"] else "validation"
    values = np.subtract(
        first[split][POSTask.metric]["values"],
        highest[split][POSTask.metric]["values"],
    )
    return {
        "highest": numbers[-1],
        "split": split,
        "mean": float(np.mean(values)),
        "standard_deviation": float(np.std(values, ddof=1))
        if len(values) > 1
        else None,
        "values": values.tolist(),
    }


def _sentence(difference):
    n_better = sum(value > 0 for value in difference["values"])
    return (
        f"Layer 1 less layer {difference['highest']}, {difference['split']} "
        f"accuracy: {percent(difference)} points; layer 1 is the better one "
        f"with {n_better} of {len(difference['values'])} seeds."
    )


def _write_page(path, table, seeds, column):
    listed = ", ".join(map(str, seeds))
    write_page(
        path,
        "Parts of speech by layer",
        "tasks.probes.pos_layers",
        table,
        f"Accuracy ({column} of CoNLL-U files) of all words and of those that "
        "training has not seen, mean and standard deviation over the seeds "
        f"{listed}, in %. γ and s (the layers' shares, the token layer first) "
        "are the learnt weights of equation 1 of the paper.",
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["output"])
    command_line.run(main)
