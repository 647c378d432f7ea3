"""Asks whether the nearest neighbours of a word in context have its sense.

    python benchmarks/senses.py
    python benchmarks/senses.py --saved_model=saved_model --semcor=semcor3.0 \\
        --picture=senses.png

For each occurrence of an ambiguous word: is the occurrence of that word whose
vector is the most similar one (cosine) of the same sense? By layer, over 12
words with two senses and ten sentences each (elmo_tf/senses/examples.tsv) and,
with --semcor, over WordNet senses: every fifth file of SemCor's part brown1
against the others. In the token layer all occurrences of one form are equally
near; there and wherever neighbours tie, the figure is the expected one of a
choice by lot. A biLM of the same shape before any training gives the figure to
compare with, besides that of the most frequent sense. Prints a table, then one
line of JSON.
"""

import pathlib
import sys

from absl import flags

# `python benchmarks/senses.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from benchmarks import sense_probe
from benchmarks.senses_picture import draw_accuracies
from elmo_tf import command_line
from elmo_tf.atomic_file import check_output_file
from elmo_tf.embedder import Elmo
from tasks.markdown_table import markdown_table

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "saved_model", "mini", "Folder of a SavedModel, or a pre-trained biLM."
)
flags.DEFINE_string(
    "semcor", None, "Folder of SemCor 3.0's archives, packed or unpacked."
)
flags.DEFINE_string("picture", None, "PNG file to draw the accuracies into.")


def main(_):
    if FLAGS.picture is not None:
        check_output_file(FLAGS.picture, [], label="--picture=")
    trained = _probe(Elmo(FLAGS.saved_model))
    untrained = _probe(sense_probe.untrained(FLAGS.saved_model))
    rows = _rows(trained)
    print(_table(rows, _rows(untrained)))
    if FLAGS.picture is not None:
        draw_accuracies(FLAGS.picture, rows)
    command_line.print_json(
        {"saved_model": FLAGS.saved_model, **trained, "untrained": untrained}
    )


def _probe(elmo):
    results = {"examples": sense_probe.probe_examples(elmo)}
    if FLAGS.semcor is not None:
        results["semcor"] = sense_probe.probe_semcor(elmo, FLAGS.semcor)
    return results


def _rows(results):
    """The figures of each row of the table."""
    rows = {
        **results["examples"]["words"],
        "mean of the words": results["examples"],
    }
    if "semcor" in results:
        for name, part in results["semcor"]["parts_of_speech"].items():
            rows[f"SemCor, {name}"] = part
        rows["SemCor"] = results["semcor"]
    return rows


def _table(rows, untrained_rows):
    n_layers = len(next(iter(rows.values()))["layers"])
    header = [
        "Neighbour of the same sense",
        "token layer",
        *(f"LSTM {layer}" for layer in range(1, n_layers)),
        "most frequent sense",
        "top layer, untrained",
    ]
    return markdown_table(
        header,
        [
            [
                name,
                *map(_percent, row["layers"]),
                _percent(row["most_frequent_sense"]),
                _percent(untrained_rows[name]["layers"][-1]),
            ]
            for name, row in rows.items()
        ],
    )


def _percent(share):
    return f"{share:.1%}"


if __name__ == "__main__":
    command_line.run(main)
