"""Puts the embedded server under load, and tells how it bears it.

    apt-get install wrk
    python benchmarks/serving.py             # tables, then one line of JSON
    python benchmarks/serving.py --parts=soak --picture=memory.png

The server is a process of its own, and so is what loads it: wrk over REST, and
over gRPC a loop in Python, which takes a part of the machine itself. The model
is `mini` unless other files are given; sentences are random, with the word
frequencies of English text.

load: requests a second and how long they take, with and without joining them
to batches, servers and APIs in turns. soak: memory over many requests of
several kinds, with exchanges of versions. overload: many more connections than
may wait, and clients that are slow or leave. swap: exchanges of versions and
the end, SIGTERM, under load; each answer is compared with what the versions'
SavedModels give.
"""

import os
import pathlib
import sys
import tempfile

from absl import flags

# `python benchmarks/serving.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchmarks import report
from benchmarks.parts import serving_load
from benchmarks.parts import serving_overload
from benchmarks.parts import serving_soak
from benchmarks.parts import serving_swap
from benchmarks.serving_setting import ServingSetting
from benchmarks.wrk import check_wrk
from elmo_tf import command_line
from elmo_tf import pretrained
from elmo_tf.atomic_file import check_output_file
from elmo_tf.errors import InputError
from elmo_tf.flag_checks import check_choices
from elmo_tf.flag_checks import check_whole_numbers
from elmo_tf.machine import describe_machine

FLAGS = flags.FLAGS

_PARTS = {
    "load": serving_load,
    "soak": serving_soak,
    "overload": serving_overload,
    "swap": serving_swap,
}

flags.DEFINE_list(
    "parts",
    list(_PARTS),
    f"What to measure, with commas: {', '.join(_PARTS)}.",
)
flags.DEFINE_string(
    "options_file", None, "The biLM's options.json, in place of mini's."
)
flags.DEFINE_string("weights_file", None, "Its weights.hdf5.")
flags.DEFINE_string(
    "question_model",
    None,
    "Folder of a question answering export, which the part `soak` asks too.",
)
flags.DEFINE_list(
    "clients", ["1", "8", "64"], "Numbers of clients of the part `load`."
)
flags.DEFINE_integer("seconds", 5, "Length of a measurement.", lower_bound=1)
flags.DEFINE_integer(
    "repeats",
    3,
    "Number of measurements of the part `load`, of which the median counts.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "soak_requests",
    100_000,
    "Number of requests of the part `soak`.",
    lower_bound=1,
)
flags.DEFINE_integer("seed", 0, "Of the sentences.", lower_bound=0)
flags.DEFINE_string(
    "picture", None, "PNG file for the memory of the part `soak`."
)
flags.DEFINE_string("output", None, "A file to write the JSON to as well.")


def main(_):
    _check_flags()
    mini = pretrained.folder("mini")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        setting = ServingSetting(
            folder=folder,
            options_file=FLAGS.options_file or str(mini / "options.json"),
            weights_file=FLAGS.weights_file or str(mini / "weights.hdf5"),
            question_model=FLAGS.question_model
            and os.path.abspath(FLAGS.question_model),
            clients=tuple(map(int, FLAGS.clients)),
            seconds=FLAGS.seconds,
            repeats=FLAGS.repeats,
            n_soak=FLAGS.soak_requests,
            seed=FLAGS.seed,
        )
        for part in FLAGS.parts:
            results[part] = _PARTS[part].run(setting)
            print(_PARTS[part].table(results[part]), end="\n\n", flush=True)
    if FLAGS.picture is not None:
        serving_soak.draw(FLAGS.picture, results["soak"])
    result = {
        "benchmark": "serving",
        "machine": describe_machine(),
        "seconds": FLAGS.seconds,
        "repeats": FLAGS.repeats,
        "seed": FLAGS.seed,
        "parts": results,
    }
    if FLAGS.output is not None:
        report.write(FLAGS.output, result)
    command_line.print_json(result)


def _check_flags():
    check_choices("parts", FLAGS.parts, _PARTS)
    check_whole_numbers("clients", FLAGS.clients, 1)
    if (FLAGS.options_file is None) != (FLAGS.weights_file is None):
        raise InputError("--options_file and --weights_file need each other")
    if FLAGS.picture is not None and "soak" not in FLAGS.parts:
        raise InputError("--picture is for the part soak")
    for name in ("output", "picture"):
        if FLAGS[name].value is not None:
            check_output_file(FLAGS[name].value, [], label=f"--{name}=")
    check_wrk()


if __name__ == "__main__":
    command_line.run(main)
