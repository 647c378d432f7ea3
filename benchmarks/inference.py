"""Compares the speed and the outputs of implementations of ELMo.

    benchmarks/peers.sh             # once: environments for the peers
    python benchmarks/inference.py  # tables, then one line of JSON

Random weights of the official shapes, random sentences with the word
frequencies of English text, all layers of every token. Each implementation
runs in a process and an environment of its own, one at a time, in turns; the
median counts.
"""

import os
import pathlib
import sys
import tempfile

from absl import flags

# `python benchmarks/inference.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
# TensorFlow's start-up notices would bury the tables.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from benchmarks import report
from benchmarks.parts import file
from benchmarks.parts import growth
from benchmarks.parts import startup
from benchmarks.parts import throughput
from benchmarks.random_weights import OPTIONS_FILE_NAME
from benchmarks.random_weights import SIZES
from benchmarks.random_weights import WEIGHTS_FILE_NAME
from benchmarks.random_weights import write_random_weights
from benchmarks.setting import Setting
from benchmarks.systems import DTYPES
from benchmarks.systems import PEERS
from benchmarks.systems import WORD_CACHES
from benchmarks.systems import our_systems
from benchmarks.systems import peer_systems
from elmo_tf import BiLMConfig
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.embedder import LAYERS
from elmo_tf.errors import InputError
from elmo_tf.errors import RunError
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine

FLAGS = flags.FLAGS

_GROWTH = {
    "length": (growth.run_length, "sentence length"),
    "batch": (growth.run_batch, "batch size"),
    "vocabulary": (growth.run_vocabulary, "share of distinct words"),
}
_PARTS = ("throughput", *_GROWTH, "startup", "file")

flags.DEFINE_list(
    "parts",
    ["throughput"],
    f"What to measure, with commas: {', '.join(_PARTS)}.",
)
flags.DEFINE_list(
    "sizes",
    ["original", "small"],
    f"Shapes of biLMs, with commas: {', '.join(SIZES)}.",
)
flags.DEFINE_list(
    "peers",
    list(PEERS),
    f"Implementations to compare with, with commas: {', '.join(PEERS)}; or "
    "empty.",
)
flags.DEFINE_string(
    "environments",
    str(pathlib.Path(__file__).with_name("environments")),
    "The folder of virtual environments that benchmarks/peers.sh has made.",
)
flags.DEFINE_list(
    "dtypes",
    list(DTYPES),
    "What this project computes in, with commas; float32, with which the "
    "others are compared, is one of them.",
)
flags.DEFINE_list(
    "word_cache",
    list(WORD_CACHES),
    "Whether this project keeps the vectors of frequent words: on, off, or "
    "both with a comma.",
)
flags.DEFINE_integer(
    "sentences", 256, "Number of sentences of a measurement.", lower_bound=1
)
flags.DEFINE_integer(
    "batch_size",
    64,
    "Number of sentences in a batch of the peers; this project chooses its "
    "batches by itself.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "repeats",
    3,
    "Number of measurements, of which the median counts.",
    lower_bound=1,
)
flags.DEFINE_float(
    "tolerance",
    1e-4,
    "The largest difference of two vectors of a token, relative to their "
    "length, with which implementations agree.",
    lower_bound=0.0,
)
flags.DEFINE_list(
    "file_sentences",
    ["1000", "10000"],
    "Lengths of the files of the part `file`, with commas.",
)
flags.DEFINE_enum(
    "file_layers",
    "average",
    LAYERS,
    "Which layers the part `file` writes.",
)
flags.DEFINE_integer("seed", 0, "Of weights and sentences.", lower_bound=0)
flags.DEFINE_string("output", None, "A file to write the JSON to as well.")


def main(_):
    _check_flags()
    ours = our_systems(FLAGS.dtypes, FLAGS.word_cache, FLAGS.environments)
    peers = peer_systems(FLAGS.peers, FLAGS.environments)
    if ours[0].python == sys.executable:
        print(
            "elmo_tf runs in this environment, beside all that is installed "
            "here; benchmarks/peers.sh makes one of what embedding needs",
            file=sys.stderr,
        )
    result = {
        "benchmark": "inference",
        "machine": describe_machine(),
        "sentences": FLAGS.sentences,
        "batch_size": FLAGS.batch_size,
        "repeats": FLAGS.repeats,
        "seed": FLAGS.seed,
        "sizes": {},
    }
    for size in FLAGS.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_random_weights(folder, size, FLAGS.seed)
            options_file = os.path.join(folder, OPTIONS_FILE_NAME)
            setting = Setting(
                size=size,
                config=BiLMConfig.from_json_file(options_file),
                options_file=options_file,
                weights_file=os.path.join(folder, WEIGHTS_FILE_NAME),
                ours=tuple(ours),
                peers=tuple(peers),
                n_sentences=FLAGS.sentences,
                batch_size=FLAGS.batch_size,
                repeats=FLAGS.repeats,
                seed=FLAGS.seed,
            )
            result["sizes"][size] = _run_parts(setting)
    if FLAGS.output is not None:
        report.write(FLAGS.output, result)
    command_line.print_json(result)
    disagreements = [
        found
        for parts in result["sizes"].values()
        for found in parts.get("throughput", {}).get("disagreements", [])
    ]
    if disagreements:
        raise RunError(f"outputs disagree: {'; '.join(disagreements)}")


def _run_parts(setting):
    """Runs the parts in the order asked for; prints each one's tables."""
    results = {}
    for part in FLAGS.parts:
        if part == "throughput":
            result = throughput.run(setting, FLAGS.tolerance)
            text = throughput.tables(setting, result)
        elif part == "startup":
            result = startup.run(setting)
            text = startup.table(setting, result)
        elif part == "file":
            numbers = [int(number) for number in FLAGS.file_sentences]
            result = file.run(setting, numbers, FLAGS.file_layers)
            text = file.table(setting, result)
        else:
            run, what = _GROWTH[part]
            result = run(setting)
            text = growth.table(setting, what, result)
        results[part] = result
        print(text, end="\n\n", flush=True)
    return results


def _check_flags():
    for name, known in (
        ("parts", _PARTS),
        ("sizes", SIZES),
        ("peers", PEERS),
        ("dtypes", DTYPES),
        ("word_cache", WORD_CACHES),
    ):
        check_choices(name, FLAGS[name].value, known, name == "peers")
    if FLAGS.dtypes[0] != "float32":
        raise InputError(
            f"--dtypes: found {FLAGS.dtypes[0]!r} first, expected float32, "
            "with which the others are compared"
        )
    check_whole_numbers("file_sentences", FLAGS.file_sentences, 1)
    if FLAGS.output is not None:
        check_output_file(FLAGS.output, [], label="--output=")


if __name__ == "__main__":
    command_line.run(main)
