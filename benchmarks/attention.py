"""Measures what the factored similarity saves a training step of BiDAF.

    python benchmarks/attention.py

Takes training steps with the trilinear similarity of Seo et al. 2017 in two
forms: "factored", as `bidaf_tf.layers.similarity.Similarity` computes it, and
"plain", with a tensor `[batch, T, J, 6 · d]` as its equation reads. Both with
the same weights, of the attention flow alone and of the whole model, each in a
process of its own, in turns. Their losses must agree. Prints a table, then one
line of JSON. The memory is the process' peak, less what it had taken when the
model was there and no step done.
"""

import pathlib
import statistics
import sys

import numpy as np
from absl import flags

# `python benchmarks/attention.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchmarks import report
from benchmarks.worker_process import WorkerProcess
from elmo_tf import command_line
from elmo_tf.machine import describe_machine
from tasks.markdown_table import markdown_table

FLAGS = flags.FLAGS

for _name, _default, _help in (
    ("batch_size", 60, "Number of examples of a batch."),
    ("context_length", 400, "Tokens of a context."),
    ("question_length", 30, "Tokens of a question."),
    ("hidden_size", 100, "Width of each direction of an LSTM."),
    ("steps", 3, "Steps that count, for each of both forms and parts."),
):
    flags.DEFINE_integer(_name, _default, _help, lower_bound=1)

_FORMS = _PLAIN, _FACTORED = ("plain", "factored")
_PARTS = {"layer": "attention flow", "model": "BiDAF"}


def main(_):
    results = {part: _measure(part) for part in _PARTS}
    print(_table(results))
    command_line.print_json(
        {
            "benchmark": "attention",
            "machine": describe_machine(),
            "setting": {
                name: FLAGS[name].value
                for name in (
                    "batch_size",
                    "context_length",
                    "question_length",
                    "hidden_size",
                    "steps",
                )
            },
            "results": results,
        }
    )


def _measure(part):
    """What the two forms take, by their name."""
    results, losses = {}, {}
    workers = {form: _start(form, part) for form in _FORMS}
    try:
        before = {
            form: worker.request("memory")["peak_bytes"]
            for form, worker in workers.items()
        }
        seconds = {form: [] for form in _FORMS}
        for form, worker in workers.items():
            # Tracing, and the first allocations.
            losses[form] = worker.request("train", steps=1)["losses"]
        for _ in range(FLAGS.steps):
            for form, worker in workers.items():
                found = worker.request("train", steps=1)
                seconds[form] += found["seconds"]
                losses[form] += found["losses"]
        for form, worker in workers.items():
            peak = worker.request("memory")["peak_bytes"]
            results[form] = {
                "seconds_per_step": statistics.median(seconds[form]),
                "peak_bytes": peak,
                "bytes_for_training": peak - before[form],
            }
    finally:
        for worker in workers.values():
            worker.close()
    expected, found = (np.array(losses[form]) for form in _FORMS)
    results["largest_difference_of_losses"] = float(
        np.max(np.abs(found - expected) / np.abs(expected))
    )
    return results


def _start(form, part):
    return WorkerProcess(
        f"{_PARTS[part]}, {form}",
        sys.executable,
        "benchmarks.attention_worker",
        {
            "form": form,
            "part": part,
            "batch_size": FLAGS.batch_size,
            "lengths": [FLAGS.context_length, FLAGS.question_length],
            "hidden_size": FLAGS.hidden_size,
        },
    )


def _table(results):
    rows = []
    for part, found in results.items():
        for form in _FORMS:
            rows.append(
                [
                    f"{_PARTS[part]}, {form}",
                    f"{found[form]['seconds_per_step']:.3f}",
                    report.megabytes(found[form]["bytes_for_training"]),
                    report.megabytes(found[form]["peak_bytes"]),
                    f"{found['largest_difference_of_losses']:.1e}",
                ]
            )
    header = [
        "a training step",
        "seconds",
        "memory",
        "of the process",
        "largest difference of losses",
    ]
    return markdown_table(header, rows)


if __name__ == "__main__":
    command_line.run(main)
