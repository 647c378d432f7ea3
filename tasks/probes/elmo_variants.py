"""Trains a task with ELMo's layers mixed in different ways, and without ELMo.

    python -m tasks.probes.elmo_variants --experiment=ner/conll2003_small \\
        --output=FOLDER --params_override=task.train_data.input_path=…

The question of sections 5.1 and 5.2 of the ELMo paper, with the same budget and
the same seeds for each variant:

    none                the task model without ELMo
    top                 the biLM's top layer alone
    all_1               the weighted sum of all layers, its weights held
                        together by λ = 1; and so on for each of --lambdas
                        (table 2)
    top_without_gamma   the top layer as it is, without γ (section A.2)
    input               ELMo beside the word vectors; all layers, with the
                        experiment's λ
    output              beside what the lowest encoder gives
    input_and_output    at both places (table 3)

Each variant is a training by tasks.train, in a process of its own and in the
folder FOLDER/VARIANT; what it prints goes to FOLDER/VARIANT.log. The same
command goes on where it was interrupted, and leaves alone what has ended. At
last FOLDER gets table.md and variants.png. Prints the table, then one line of
JSON.
"""

import pathlib
import signal

from absl import flags

from elmo_tf import command_line
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_distinct
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine
from tasks.probes import variant_results
from tasks.probes import variant_training
from tasks.probes.page import write_page
from tasks.probes.variants_picture import draw_variants

FLAGS = flags.FLAGS

_TAKEN = {
    "seeds": "--seeds says that",
    "task.elmo.layers": "the variants differ in that",
    "task.elmo.l2": "--lambdas says that",
    "task.elmo.use_gamma": "the variants differ in that",
}

flags.DEFINE_string(
    "experiment", None, "Name of the configuration, as for tasks.train."
)
flags.DEFINE_string(
    "output", None, "Folder of the trainings; made if it does not exist."
)
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiment's in all variants: a.b=1,c.d=2.",
)
flags.DEFINE_list("seeds", ["1", "2", "3"], "The seeds, with commas.")
flags.DEFINE_list(
    "lambdas",
    ["1", "0.001"],
    "Values of λ for the weighted sum of all layers, with commas.",
)
flags.DEFINE_list(
    "variants",
    None,
    "Which variants, with commas, by the names of their folders; default: all.",
)


def main(_):
    # Else the process that trains would outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    overrides = _overrides()
    output = pathlib.Path(FLAGS.output)
    seeds = [int(seed) for seed in FLAGS.seeds]
    # Before the first of them starts, what is wrong with any.
    configs = {
        name: variant_training.check(FLAGS.experiment, text, output / name)
        for name, text in overrides.items()
    }
    output.mkdir(parents=True, exist_ok=True)
    for name, text in overrides.items():
        variant_training.train(
            FLAGS.experiment, text, output / name, configs[name].seeds
        )
    metric = variant_training.metric(next(iter(configs.values())))
    variants = {
        name: variant_results.read(output / name, seeds) for name in overrides
    }
    table = variant_results.table(variants, metric)
    _write_page(output / "table.md", table, seeds)
    draw_variants(output / "variants.png", variants, metric)
    print(table)
    command_line.print_json(
        {
            "probe": "elmo_variants",
            "machine": describe_machine(),
            "experiment": FLAGS.experiment,
            "metric": metric,
            "seeds": seeds,
            "variants": variants,
        }
    )


def _overrides():
    """Each variant's overrides for tasks.train, by its name."""
    check_whole_numbers("seeds", FLAGS.seeds, 0)
    for name in ("seeds", "lambdas", "variants"):
        check_distinct(name, FLAGS[name].value)
    common = variant_training.common_overrides(
        FLAGS.params_override, FLAGS.seeds, _TAKEN
    )
    known = variant_training.variant_overrides(FLAGS.lambdas)
    names = list(known)
    if FLAGS.variants is not None:
        check_choices("variants", FLAGS.variants, names)
        names = FLAGS.variants
    return {name: f"{common},{known[name]}" for name in names}


def _write_page(path, table, seeds):
    listed = ", ".join(map(str, seeds))
    write_page(
        path,
        f"{FLAGS.experiment} with and without ELMo",
        "tasks.probes.elmo_variants",
        table,
        f"Mean and standard deviation over the seeds {listed}, in %. γ and s "
        "(the layers' shares, the token layer first) are the learnt weights of "
        "equation 1 of the paper, by the place where ELMo stands. The seconds "
        "are those of a training with its validations, without start-up and "
        "without the biLM, whose layers are computed once for all.",
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["experiment", "output"])
    command_line.run(main)
