r"""Disambiguates words by the biLM's layers, without training.

    python -m tasks.wsd.evaluate --saved_model=mini --train_data=semcor3.0 \
        --test_data='Evaluation_Datasets/*/*.data.xml' --output=FOLDER

Section 5.3 of the ELMo paper: each sense in the training data gets the mean of
the biLM's vectors there, and a word the sense whose mean is nearest, layer by
layer and by the mean of the layers. Prints F1 by test set and by part of speech
beside that of WordNet's first sense, then one line of JSON, which is also in
FOLDER/results.json. FOLDER gets besides the predicted keys, in
FOLDER/predictions/TESTSET.LAYER.key.txt, and the senses' vectors, which
--sense_vectors takes the next time in place of --train_data.
"""

import datetime
import os
import sys
import time
from importlib import metadata

from absl import flags

from elmo_tf import command_line
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.machine import describe_machine
from elmo_tf.training.progress import Progress
from tasks.elmo.fingerprint import fingerprint
from tasks.results import write_results
from tasks.wsd.data import read_test_sets
from tasks.wsd.data import read_training
from tasks.wsd.evaluation import evaluate
from tasks.wsd.evaluation import format_tables
from tasks.wsd.key_file import write_keys
from tasks.wsd.nearest_sense import NearestSense
from tasks.wsd.sense_vectors import SenseVectors
from tasks.wsd.wordnet import DEFAULT_FOLDER
from tasks.wsd.wordnet import WordNet

FLAGS = flags.FLAGS

SENSE_VECTORS_FILE_NAME = "sense_vectors.npz"
PREDICTIONS_FOLDER = "predictions"

flags.DEFINE_string(
    "saved_model", "mini", "Folder of a SavedModel, or a pre-trained biLM."
)
flags.DEFINE_string(
    "train_data",
    None,
    "Text with senses: SemCor 3.0, as a folder or its archives, or files "
    "NAME.data.xml of the evaluation framework with NAME.gold.key.txt beside "
    "them; with commas, or a glob.",
)
flags.DEFINE_string(
    "sense_vectors",
    None,
    f"In place of --train_data, {SENSE_VECTORS_FILE_NAME} of an earlier run "
    "with the same biLM.",
)
flags.DEFINE_string(
    "test_data",
    None,
    "Test sets: files NAME.data.xml of the evaluation framework, likewise.",
)
flags.DEFINE_string(
    "wordnet",
    None,
    "Folder of WordNet 3.0's database. Default: what the environment variable "
    "WNSEARCHDIR names, or dict in the folder that WNHOME names, or "
    f"{DEFAULT_FOLDER}.",
)
flags.DEFINE_string("output", None, "Folder for the results; made if needed.")


def main(_):
    started = time.monotonic()
    if (FLAGS.train_data is None) == (FLAGS.sense_vectors is None):
        raise InputError("give either --train_data or --sense_vectors")
    wordnet = WordNet(FLAGS.wordnet)
    test_sets = read_test_sets(FLAGS.test_data)
    training = None
    if FLAGS.train_data is not None:
        training = read_training(FLAGS.train_data)
    elmo = Elmo(FLAGS.saved_model)
    bilm = fingerprint(FLAGS.saved_model)
    os.makedirs(FLAGS.output, exist_ok=True)
    figures = None
    if training is None:
        sense_vectors = SenseVectors.load(FLAGS.sense_vectors, bilm)
    else:
        sense_vectors, figures = _average(elmo, training, wordnet)
        sense_vectors.save(
            os.path.join(FLAGS.output, SENSE_VECTORS_FILE_NAME), bilm
        )
    test, predicted = evaluate(
        elmo,
        NearestSense(sense_vectors, wordnet),
        wordnet,
        test_sets,
        _progress("test data"),
    )
    for name, found in test.items():
        _warn(name, found["gold_keys_not_in_wordnet"], "can never be predicted")
    _write_predictions(predicted)
    print(format_tables(test))
    results = {
        "task": "wsd",
        "command": command_line.command("tasks.wsd.evaluate"),
        "date": datetime.datetime.now(datetime.UTC).isoformat("T", "seconds"),
        "seconds": round(time.monotonic() - started, 1),
        "saved_model": FLAGS.saved_model,
        "senses": len(sense_vectors.keys),
        "train": figures,
        "test": test,
        "wordnet": {"folder": wordnet.folder, "version": wordnet.version},
        "versions": {
            name: metadata.version(name)
            for name in ("tensorflow", "numpy", "nltk")
        },
        "machine": describe_machine(),
    }
    write_results(FLAGS.output, results)
    command_line.print_json(results)


def _average(elmo, sentences, wordnet):
    """Returns the `SenseVectors` of a corpus, and figures about it."""
    instances = [
        instance for sentence in sentences for instance in sentence.instances
    ]
    keys = [key for instance in instances for key in instance.keys]
    known = {key for key in set(keys) if wordnet.knows(key)}
    n_unknown = sum(key not in known for key in keys)
    _warn(
        FLAGS.train_data, n_unknown, "were left out; is this WordNet's version?"
    )
    if not known:
        raise InputError(
            f"{FLAGS.train_data}: found no sense key that WordNet in "
            f"{wordnet.folder} knows"
        )
    sense_vectors = SenseVectors.average(
        elmo, sentences, known, _progress("training data")
    )
    return sense_vectors, {
        "sentences": len(sentences),
        "tokens": sum(len(sentence.tokens) for sentence in sentences),
        "instances": len(instances),
        "keys_not_in_wordnet": n_unknown,
    }


def _warn(place, n_unknown, consequence):
    if n_unknown:
        print(
            f"warning: {place}: {n_unknown:,} sense keys that WordNet does not "
            f"know {consequence}",
            file=sys.stderr,
        )


def _progress(title):
    """What makes a progress line of a number of sentences and of tokens."""

    def start(n_sentences, n_tokens):
        print(
            f"{title}: {n_sentences:,} sentences, {n_tokens:,} tokens",
            file=sys.stderr,
        )
        progress = Progress(n_sentences, step_name="sentence", file=sys.stderr)
        return lambda done, tokens: progress.update(done, tokens, {})

    return start


def _write_predictions(predicted):
    folder = os.path.join(FLAGS.output, PREDICTIONS_FOLDER)
    os.makedirs(folder, exist_ok=True)
    for test_set, systems in predicted.items():
        for system, keys in systems.items():
            write_keys(
                os.path.join(folder, f"{test_set}.{system}.key.txt"), keys
            )


if __name__ == "__main__":
    flags.mark_flags_as_required(["test_data", "output"])
    command_line.run(main)
