"""Measures what coreference takes for long documents.

    python benchmarks/coref_documents.py

Predicts the clusters of one document of each of --lengths tokens, and takes
training steps on one of as many sentences as training reads of a document, with
the models of --experiments. Their weights are random, and so are the word
vectors; ELMo is the configuration's. Each is measured in a process of its own.

The text is that of the documents of --input_path, one after the other, or
else the licence's, again and again, in sentences either way. Its clusters are
left out: they make no difference to time or memory.

Prints a table, then one line of JSON. The seconds are medians and include the
biLM; those of the first time, with TensorFlow's preparations, are beside them.
The memory is the process' peak, with and without what it had taken when the
model was there.
"""

import itertools
import pathlib
import statistics
import sys
import tempfile

from absl import flags

# `python benchmarks/coref_documents.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchmarks import real_text
from benchmarks import report
from benchmarks.worker_process import WorkerProcess
from elmo_tf import command_line
from elmo_tf import flag_checks
from elmo_tf.errors import InputError
from elmo_tf.machine import describe_machine
from elmo_tf.training.experiment import experiment_config
from tasks import registry  # noqa: F401 (registers the experiments)
from tasks.coref.coref_document import UNKNOWN_SPEAKER
from tasks.coref.coref_document import CorefDocument
from tasks.coref.data import read_documents
from tasks.coref.json_lines import write_json_lines
from tasks.markdown_table import markdown_table

FLAGS = flags.FLAGS

flags.DEFINE_list(
    "experiments",
    ["coref/conll2012", "coref/litbank_small"],
    "Names of configurations, as for tasks.train.",
)
flags.DEFINE_list(
    "lengths",
    ["500", "1000", "2000", "5000"],
    "Numbers of tokens of the documents.",
)
flags.DEFINE_string(
    "input_path",
    None,
    "Documents to take the text from, as tasks.train reads them; by default "
    "the text of the licence.",
)
flags.DEFINE_string(
    "params_override",
    "",
    "Values that override the experiments': a.b=1,c.d=2.",
)
flags.DEFINE_integer(
    "repetitions",
    3,
    "How often each counts, after a first time that does not.",
    lower_bound=1,
)

_LICENCE = pathlib.Path(__file__).resolve().parent.parent / "LICENSE"
_PREDICTION, _TRAINING_STEP = ("prediction", "training step")


def main(_):
    flag_checks.check_whole_numbers("lengths", FLAGS.lengths, 1)
    if not FLAGS.experiments:
        raise InputError("--experiments: is empty, expected a name")
    configs = {
        name: experiment_config(name, params_override=FLAGS.params_override)
        for name in FLAGS.experiments
    }
    for name, config in configs.items():
        if config.task.name != "coref":
            raise InputError(
                f"--experiments: found {name}, expected one of coreference"
            )
    text = _text()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "document.jsonlines")
        for name, config in configs.items():
            measured = [
                (_PREDICTION, real_text.first_tokens(text, int(length)))
                for length in FLAGS.lengths
            ]
            n_sentences = config.task.max_training_sentences
            sentences = itertools.islice(itertools.cycle(text), n_sentences)
            measured.append((_TRAINING_STEP, list(sentences)))
            for what, sentences in measured:
                write_json_lines(path, [_document(sentences)])
                results.append(_measure(name, what, sentences, path))
    print(_table(results))
    command_line.print_json(
        {
            "benchmark": "coref_documents",
            "machine": describe_machine(),
            "input_path": FLAGS.input_path,
            "params_override": FLAGS.params_override,
            "results": results,
        }
    )


def _text():
    if FLAGS.input_path is None:
        return real_text.split_text(_LICENCE.read_text(encoding="utf-8"))
    documents = read_documents(FLAGS.input_path)
    return [
        list(sentence)
        for document in documents
        for sentence in document.sentences
    ]


def _document(sentences):
    return CorefDocument(
        key="text",
        part=0,
        sentences=sentences,
        speakers=[[UNKNOWN_SPEAKER] * len(tokens) for tokens in sentences],
        clusters=(),
    )


def _measure(name, what, sentences, path):
    command = "predict" if what == _PREDICTION else "train"
    with WorkerProcess(
        f"{name}, {what}",
        sys.executable,
        "benchmarks.coref_documents_worker",
        {
            "experiment": name,
            "params_override": FLAGS.params_override,
            "input_path": str(path),
        },
    ) as worker:
        before = worker.request("memory")["peak_bytes"]
        first = worker.request(command)["seconds"]
        seconds = [
            worker.request(command)["seconds"] for _ in range(FLAGS.repetitions)
        ]
        peak = worker.request("memory")["peak_bytes"]
    return {
        "experiment": name,
        "measured": what,
        "sentences": len(sentences),
        "longest_sentence": max(map(len, sentences)),
        "tokens": sum(map(len, sentences)),
        "first_seconds": first,
        "seconds": statistics.median(seconds),
        "peak_bytes": peak,
        "bytes_on_top": peak - before,
    }


def _table(results):
    rows = [
        [
            f"{result['experiment']}, {result['measured']}",
            report.number(result["tokens"]),
            f"{result['first_seconds']:.2f}",
            f"{result['seconds']:.2f}",
            report.megabytes(result["bytes_on_top"]),
            report.megabytes(result["peak_bytes"]),
        ]
        for result in results
    ]
    return markdown_table(
        [
            "a document",
            "tokens",
            "first seconds",
            "seconds",
            "memory on top",
            "of the process",
        ],
        rows,
    )


if __name__ == "__main__":
    command_line.run(main)
