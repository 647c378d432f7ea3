"""Compares the speed and the losses of pre-training with bilm-tf.

    benchmarks/peers.sh benchmarks/environments bilm_tf  # once
    python benchmarks/pretraining.py  # tables, then one line of JSON

All implementations start from the same weights and read the same text in the
same order. Each runs in a process of its own, one at a time, in turns; the
median counts.
"""

import os
import pathlib
import sys
import tempfile

from absl import flags

# `python benchmarks/pretraining.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
# TensorFlow's start-up notices would bury the tables.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from benchmarks import report
from benchmarks import training_setting
from benchmarks.parts import training_loss
from benchmarks.parts import training_speed
from benchmarks.random_weights import SIZES
from benchmarks.systems import DTYPES
from benchmarks.training_setting import PEERS
from benchmarks.training_setting import TrainingSetting
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine

FLAGS = flags.FLAGS

_PARTS = ("speed", "vocabulary", "loss")

flags.DEFINE_list(
    "parts",
    ["speed", "vocabulary"],
    f"What to measure, with commas: {', '.join(_PARTS)}.",
)
flags.DEFINE_enum("size", "small", list(SIZES), "The biLM's shape.")
flags.DEFINE_list(
    "peers",
    list(PEERS),
    f"Implementations to compare with: {', '.join(PEERS)}; or empty.",
)
flags.DEFINE_string(
    "environments",
    str(pathlib.Path(__file__).with_name("environments")),
    "The folder of virtual environments that benchmarks/peers.sh has made.",
)
flags.DEFINE_list(
    "dtypes",
    list(DTYPES),
    "What this project multiplies in, with commas; float32 is one of them.",
)
flags.DEFINE_string(
    "input_path",
    None,
    "Tokenised text to train on, one sentence a line; random sentences with "
    "the word frequencies of English if none is given.",
)
flags.DEFINE_integer(
    "sentences", 20_000, "Number of random sentences.", lower_bound=1
)
flags.DEFINE_integer("batch_size", 128, "Rows of a batch.", lower_bound=1)
flags.DEFINE_integer(
    "unroll_steps", 20, "Tokens of a row in a step.", lower_bound=1
)
flags.DEFINE_integer(
    "negatives", 8192, "Negatives of the sampled softmax.", lower_bound=1
)
flags.DEFINE_integer(
    "vocabulary_size", 100_000, "Number of words.", lower_bound=4
)
flags.DEFINE_list(
    "vocabulary_sizes",
    ["10000", "100000", "800000"],
    "Numbers of words for the part `vocabulary`, with commas.",
)
flags.DEFINE_integer(
    "repeats", 5, "Number of blocks, of which the median counts.", lower_bound=1
)
flags.DEFINE_integer("block_steps", 3, "Steps of a block.", lower_bound=1)
flags.DEFINE_integer(
    "loss_steps", 500, "Steps of the part `loss`.", lower_bound=1
)
flags.DEFINE_string("picture", None, "A PNG file to draw the losses in.")
flags.DEFINE_integer("seed", 0, "Of weights and sentences.", lower_bound=0)
flags.DEFINE_string("output", None, "A file to write the JSON to as well.")


def main(_):
    _check_flags()
    with tempfile.TemporaryDirectory() as folder:
        result = _run(folder)
    if FLAGS.output is not None:
        report.write(FLAGS.output, result)
    command_line.print_json(result)


def _run(folder):
    """Runs the parts in the order asked for; prints each one's table."""
    input_path = FLAGS.input_path
    if input_path is None:
        input_path = os.path.join(folder, "text.txt")
        training_setting.write_text(input_path, FLAGS.sentences, FLAGS.seed)
    setting = TrainingSetting(
        folder=folder,
        input_path=os.path.abspath(input_path),
        size=FLAGS.size,
        batch_size=FLAGS.batch_size,
        unroll_steps=FLAGS.unroll_steps,
        negatives=FLAGS.negatives,
        vocabulary_size=FLAGS.vocabulary_size,
        dtypes=tuple(FLAGS.dtypes),
        peers=tuple(FLAGS.peers),
        environments=FLAGS.environments,
        seed=FLAGS.seed,
    )
    result = {
        "benchmark": "pretraining",
        "machine": describe_machine(),
        "size": FLAGS.size,
        "batch_size": FLAGS.batch_size,
        "unroll_steps": FLAGS.unroll_steps,
        "negatives": FLAGS.negatives,
        "vocabulary_size": FLAGS.vocabulary_size,
        "text": FLAGS.input_path or "random",
        "distinct_words_per_step": training_setting.mean_distinct_words(
            setting.input_path, setting.tokens_per_step
        ),
        "repeats": FLAGS.repeats,
        "block_steps": FLAGS.block_steps,
        "seed": FLAGS.seed,
    }
    for part in FLAGS.parts:
        if part == "speed":
            found = training_speed.run(
                setting, FLAGS.repeats, FLAGS.block_steps
            )
            text = training_speed.table(setting, found)
        elif part == "vocabulary":
            found = training_speed.run_vocabulary(
                setting,
                [int(number) for number in FLAGS.vocabulary_sizes],
                FLAGS.repeats,
                FLAGS.block_steps,
            )
            text = training_speed.vocabulary_table(setting, found)
        else:
            found = training_loss.run(setting, FLAGS.loss_steps)
            text = training_loss.table(found)
            if FLAGS.picture is not None:
                training_loss.draw(FLAGS.picture, found)
        result[part] = found
        print(text, end="\n\n", flush=True)
    return result


def _check_flags():
    for name, known in (
        ("parts", _PARTS),
        ("peers", PEERS),
        ("dtypes", DTYPES),
    ):
        check_choices(name, FLAGS[name].value, known, name == "peers")
    check_whole_numbers("vocabulary_sizes", FLAGS.vocabulary_sizes, 4)
    sizes = {"vocabulary_size": FLAGS.vocabulary_size}
    if "vocabulary" in FLAGS.parts:
        sizes["vocabulary_sizes"] = min(map(int, FLAGS.vocabulary_sizes))
    for name, size in sizes.items():
        if FLAGS.negatives > size:
            raise InputError(
                f"--negatives: found {FLAGS.negatives}, expected at most "
                f"--{name}, {size}"
            )
    if FLAGS.input_path is not None and not os.path.isfile(FLAGS.input_path):
        raise InputError(f"--input_path={FLAGS.input_path}: no such file")
    if FLAGS.picture is not None and "loss" not in FLAGS.parts:
        raise InputError("--picture: needs the part `loss`")
    for name in ("picture", "output"):
        if FLAGS[name].value is not None:
            check_output_file(FLAGS[name].value, [], label=f"--{name}=")


if __name__ == "__main__":
    command_line.run(main)
