"""A tiny training of natural language inference, from files to answers."""

import dataclasses
import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from tasks.snli.data import LABELS
from tests import binaries
from tests.tasks import tiny_elmo

pytestmark = pytest.mark.slow

SUBJECTS = ("a man", "a girl", "two dogs", "the old cat")
VERBS = ("sleeps", "runs", "eats outside")
OPTIONS = {
    "task.character_encoder.filters": 3,
    "task.word_vectors": {"dim": 8, "trainable": True},
    "task.lstm_units": 8,
    "task.feed_forward_units": 8,
    "task.dropout": 0.0,
    "task.attention_dropout": 0.1,
    "task.optimizer.learning_rate": 0.01,
    "task.train_data.batch_size": 12,
    "trainer.train_steps": 60,
    "trainer.validation_interval": 60,
    "trainer.progress_seconds": 1000,
}


def labelled_pairs():
    """Pairs whose label can be told from one word of the hypothesis."""
    hypotheses = ("{} does", "{} may", "nobody does")
    return [
        (f"{subject} {verb}", hypothesis.format(subject), label)
        for subject in SUBJECTS
        for verb in VERBS
        for hypothesis, label in zip(hypotheses, LABELS, strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class Training:
    """A training and what it has read.

    Attributes:
        folder: Where everything is.
        result: How the binary ended.
    """

    folder: pathlib.Path
    result: binaries.Result

    @property
    def values(self):
        """What it has printed last."""
        return json.loads(self.result.stdout.splitlines()[-1])

    def run(self, module, *arguments):
        """Runs another binary on the model and the pairs."""
        return binaries.run(
            module,
            f"--model_dir={self.folder}/model",
            f"--input_path={self.folder}/pairs.txt",
            *arguments,
        )

    def predict(self, *arguments):
        """Returns the objects that tasks.predict writes of the pairs."""
        path = self.folder / "predictions.jsonl"
        result = self.run("tasks.predict", f"--output={path}", *arguments)
        assert result.returncode == 0, result.stderr
        return list(map(json.loads, path.read_text().splitlines()))


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snli")
    rows = [*labelled_pairs(), ("a man runs", "he may", "-")]
    path = folder / "pairs.txt"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    options = {
        **OPTIONS,
        "task.elmo.saved_model": tiny_elmo.export(folder / "bilm"),
        "task.elmo.cache_dir": f"{folder}/cache",
        "task.train_data.input_path": str(path),
        "task.validation_data.input_path": str(path),
    }
    result = binaries.run(
        "tasks.train",
        "--experiment=snli/snli",
        f"--model_dir={folder}/model",
        f"--params_override={json.dumps(options)}",
    )
    assert result.returncode == 0, result.stderr
    return Training(folder, result)


def test_it_learns(training):
    validation = training.values["validation"]
    assert validation["accuracy"] == validation["f1/neutral"] == 1.0
    assert set(training.values["elmo"]) == {"elmo_input", "elmo_output"}


def test_pairs_left_out_are_reported(training):
    assert (
        f"{training.folder}/pairs.txt: left out 1 of 37 pairs, whose "
        "annotators did not agree (label -)\n"
    ) in training.result.stderr


def test_loaded_model_is_the_trained_one(training):
    expected = training.values["validation"]
    del expected["step"]
    result = training.run("tasks.evaluate")
    assert json.loads(result.stdout) == expected


def test_predictions(training):
    lines = training.predict()
    pairs = labelled_pairs()
    assert len(lines) == len(pairs) + 1
    for line, (premise, hypothesis, label) in zip(lines, pairs, strict=False):
        assert line["premise"] == premise.split()
        assert line["hypothesis"] == hypothesis.split()
        assert line["label"] == label
        probabilities = line["probabilities"]
        assert tuple(probabilities) == LABELS
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)
        assert probabilities[label] == max(probabilities.values())


def test_exported_model_gives_the_same(training):
    result = binaries.run(
        "tasks.export",
        f"--model_dir={training.folder}/model",
        f"--output={training.folder}/saved_model",
    )
    assert result.returncode == 0, result.stderr
    model = tf.saved_model.load(f"{training.folder}/saved_model")
    # The layer normalization of the biLM depends on the batch.
    lines = training.predict("--batch_size=1")
    for line in lines[:4]:
        answers = model.signatures["default"](
            premise=tf.constant([" ".join(line["premise"])]),
            hypothesis=tf.constant([" ".join(line["hypothesis"])]),
        )
        assert answers["label"].numpy().tolist() == [line["label"].encode()]
        np.testing.assert_allclose(
            answers["probabilities"][0],
            list(line["probabilities"].values()),
            atol=1e-5,
        )
