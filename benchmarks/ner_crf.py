"""Compares trained taggers of named entities with a CRF on features by hand.

    python benchmarks/ner_crf.py --train=train.txt --validation=valid.txt \\
        --test=test.txt --model_dir=MODEL_DIR

trains the CRF of sklearn-crfsuite on the same file (see
benchmarks/crf_tagger.py), has each trained tagger tag the others, and scores
all with the same code. Of a training with several seeds all are run, and the
table shows mean and standard deviation. Prints a table, then one line of JSON.
"""

import pathlib
import sys
import time

from absl import flags

# `python benchmarks/ner_crf.py` looks for modules in benchmarks/ only.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import keras

from benchmarks.crf_tagger import CRFTagger
from elmo_tf import command_line
from tasks.markdown_table import markdown_table
from tasks.ner.experiments import NERConfig
from tasks.ner.task import NERTask
from tasks.predicting import predict_file
from tasks.probes.task_runs import finished_runs
from tasks.results import percent
from tasks.results import summarize

FLAGS = flags.FLAGS

flags.DEFINE_string(
    "train", None, "A CoNLL column file to train the CRF on, plain or gzip."
)
flags.DEFINE_string(
    "validation", None, "A file to measure on; may be left out."
)
flags.DEFINE_string("test", None, "Another file to measure on.")
flags.DEFINE_multi_string(
    "model_dir",
    [],
    "Folder of a training by tasks.train, with one seed or several; may be "
    "given several times.",
)
flags.DEFINE_integer(
    "token_column",
    0,
    "Which column holds the words, for the CRF; the trained taggers take those "
    "of their configuration.",
    lower_bound=0,
)
flags.DEFINE_integer(
    "tag_column", -1, "Which column holds the tags; -1 is the last."
)
flags.DEFINE_integer(
    "pos_column",
    None,
    "Which column holds the parts of speech, for the CRF's features; none if "
    "it is not given.",
)
flags.DEFINE_integer(
    "batch_size", 32, "Sentences of a batch of the taggers.", lower_bound=1
)

_CRF = "CRF of sklearn-crfsuite"
_RATES = {"precision": "P", "recall": "R", "f1": "F1"}


def main(_):
    # Before the work, in case there is none.
    runs = {
        model_dir: finished_runs(model_dir, "ner")
        for model_dir in FLAGS.model_dir
    }
    taggers = {_CRF: _measure_crf()}
    for model_dir, folders in runs.items():
        taggers[model_dir] = summarize(
            {seed: _measure_model(folder) for seed, folder in folders.items()}
        )
    print(_table(taggers))
    command_line.print_json(
        {
            "benchmark": "ner_crf",
            "train": FLAGS.train,
            "validation": FLAGS.validation,
            "test": FLAGS.test,
            "taggers": taggers,
        }
    )


def _measure_crf():
    task = NERTask(
        NERConfig(
            # The tutorial's.
            encoding="BIO",
            token_column=FLAGS.token_column,
            tag_column=FLAGS.tag_column,
        )
    )
    training = task.read(FLAGS.train)
    task.learn(training)
    data = {split: task.read(path) for split, path in _files().items()}
    for examples in data.values():
        task.check(examples)
    tagger = CRFTagger()
    started = time.monotonic()
    tagger.fit(
        *_words_and_parts_of_speech(training),
        [example.tags for example in training],
    )
    seconds = time.monotonic() - started
    figures = {"validation": None, "test": None}
    for split, examples in data.items():
        predictions = tagger.predict(*_words_and_parts_of_speech(examples))
        figures[split] = task.metrics(examples, predictions)
    summary = summarize({0: figures})
    # It has no use for one.
    del summary["seeds"]
    return {"seconds": round(seconds, 1), **summary}


def _words_and_parts_of_speech(examples):
    words = [example.tokens for example in examples]
    if FLAGS.pos_column is None:
        return words, None
    return words, [
        example.sentence.column(FLAGS.pos_column) for example in examples
    ]


def _measure_model(folder):
    figures = {"validation": None, "test": None}
    for split, path in _files().items():
        keras.backend.clear_session()
        task, examples, predictions = predict_file(
            [folder], path, FLAGS.batch_size, with_labels=True
        )
        figures[split] = task.metrics(examples, predictions)
    return figures


def _files():
    """The files to measure on, by split."""
    files = {"validation": FLAGS.validation, "test": FLAGS.test}
    return {split: path for split, path in files.items() if path is not None}


def _table(taggers):
    columns = [(split, rate) for split in _files() for rate in _RATES]
    return markdown_table(
        [
            "Entities, in %",
            *(f"{split} {_RATES[rate]}" for split, rate in columns),
        ],
        [
            [
                name,
                *(percent(found[split][rate]) for split, rate in columns),
            ]
            for name, found in taggers.items()
        ],
    )


if __name__ == "__main__":
    flags.mark_flags_as_required(["train", "test"])
    command_line.run(main)
