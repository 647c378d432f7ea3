"""Trains BiDAF, its ablations and BiDAF with self-attention on SQuAD.

    python benchmarks/squad_models.py --output=FOLDER \\
        --params_override=task.train_data.input_path=…

The question of table 1b of Seo et al. 2017, and of section 4 of the ELMo paper,
with the same budget and the same seeds for each model:

    bidaf                  as in the paper
    no_characters          without the character convolution
    no_words               without word vectors
    no_context_to_query    the question's mean in place of what is attended to
    no_query_to_context    without the attended context vector
    dynamic_attention      attention inside the modeling layer's LSTM
    self_attention         BiDAF with self-attention, without ELMo
    self_attention_elmo    with ELMo at input and output of the lowest biGRU

Each is a training by tasks.train, in a process of its own and in the folder
FOLDER/MODEL; what it prints goes to FOLDER/MODEL.log. The same command goes on
where it was interrupted, and leaves alone what has ended. At last FOLDER gets
table.md. Prints the table, then one line of JSON.
"""

import pathlib
import shlex
import signal
import sys

from absl import flags

# `python benchmarks/squad_models.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from elmo_tf import command_line
from elmo_tf.atomic_file import write_file
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine
from tasks.markdown_table import markdown_table
from tasks.probes import variant_results
from tasks.probes import variant_training
from tasks.results import percent

FLAGS = flags.FLAGS

_BIDAF, _SELF_ATTENTION = "squad/bidaf", "squad/bidaf_self_attention"
_MODELS = {
    "bidaf": (_BIDAF, ""),
    "no_characters": (_BIDAF, "task.character_encoder.filters=0"),
    "no_words": (
        _BIDAF,
        "task.word_vectors.input_path='',task.word_vectors.dim=0",
    ),
    "no_context_to_query": (_BIDAF, "task.model.context_to_query=false"),
    "no_query_to_context": (_BIDAF, "task.model.query_to_context=false"),
    "dynamic_attention": (_BIDAF, "task.model.dynamic_attention=true"),
    "self_attention": (_SELF_ATTENTION, "task.elmo.location=none"),
    "self_attention_elmo": (_SELF_ATTENTION, ""),
}
_TAKEN = {
    "seeds": "--seeds says that",
    "task.character_encoder.filters": "the models differ in that",
    "task.elmo.location": "the models differ in that",
}

flags.DEFINE_string(
    "output", None, "Folder of the trainings; made if it does not exist."
)
flags.DEFINE_enum(
    "size",
    "small",
    ["small", "paper"],
    "The widths and the optimizer: squad/bidaf_small and its like, or the "
    "papers'.",
)
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiments' in all models: a.b=1,c.d=2.",
)
flags.DEFINE_list("seeds", ["1"], "The seeds, with commas.")
flags.DEFINE_list(
    "models",
    list(_MODELS),
    "Which models, with commas, by the names of their folders.",
)


def main(_):
    # Else the process that trains would outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    check_whole_numbers("seeds", FLAGS.seeds, 0)
    check_choices("models", FLAGS.models, list(_MODELS))
    common = variant_training.common_overrides(
        FLAGS.params_override, FLAGS.seeds, _TAKEN
    )
    output = pathlib.Path(FLAGS.output)
    seeds = [int(seed) for seed in FLAGS.seeds]
    trainings = {}
    for name in FLAGS.models:
        experiment, own = _MODELS[name]
        if FLAGS.size == "small":
            experiment += "_small"
        overrides = f"{common},{own}" if own else common
        trainings[name] = experiment, overrides, output / name
    # Before the first of them starts, what is wrong with any.
    for experiment, overrides, folder in trainings.values():
        variant_training.check(experiment, overrides, folder)
    output.mkdir(parents=True, exist_ok=True)
    for experiment, overrides, folder in trainings.values():
        variant_training.train(experiment, overrides, folder, seeds)
    models = {
        name: variant_results.read(folder, seeds)
        for name, (_, _, folder) in trainings.items()
    }
    table = _table(models)
    _write_page(output / "table.md", table)
    print(table)
    command_line.print_json(
        {
            "benchmark": "squad_models",
            "machine": describe_machine(),
            "size": FLAGS.size,
            "seeds": seeds,
            "models": models,
        }
    )


def _table(models):
    rows = [
        [
            name,
            *(
                percent(found["validation"][metric])
                for metric in ("exact_match", "f1")
            ),
            f"{found['trainable_parameters']:,}",
            f"{found['seconds']:,.0f}",
        ]
        for name, found in models.items()
    ]
    return markdown_table(
        ["model", "EM", "F1", "trainable parameters", "seconds"], rows
    )


def _write_page(path, table):
    """Writes the table with what is needed to make it again."""
    command = shlex.join(
        ["python", "benchmarks/squad_models.py", *sys.argv[1:]]
    )
    text = (
        "# Question answering models\n\n"
        f"Made by\n\n```sh\n{command}\n```\n\n{table}\n\n"
        "EM and F1 of the validation data in %, of the weights that are best "
        "by F1: mean, and standard deviation where there are several, over the "
        f"seeds {', '.join(FLAGS.seeds)}. The seconds are those of a training "
        "with its validations, without start-up and without the biLM, whose "
        "layers are computed once for all.\n"
    )
    with write_file(path) as partial:
        pathlib.Path(partial).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    flags.mark_flags_as_required(["output"])
    command_line.run(main)
