import numpy as np
import pytest

from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from tasks import training
from tasks.predictor import Predictor
from tasks.registry import experiment_class
from tasks.registry import make_task
from tasks.sst.experiments import SSTConfig
from tasks.sst.task import SSTTask
from tasks.task_model import TaskModel
from tests.tasks import tiny_elmo

TREES = """\
(4 (3 (2 what) (2 (2 a) (4 treat))) (2 !))
(0 (1 (2 how) (1 (2 very) (0 dull))) (2 !))
(3 (2 a) (3 (2 truly) (3 (3 good) (2 film))))
(1 (2 a) (1 (2 truly) (1 (1 bad) (2 film))))
(2 (2 it) (2 (2 is) (2 (2 a) (2 film))))
(2 (2 a) (2 film))
"""


def make_config(folder, **options):
    path = folder / "trees.txt"
    path.write_text(TREES, encoding="utf-8")
    options = {
        "task.train_data.input_path": str(path),
        "task.train_data.batch_size": 3,
        "task.validation_data.input_path": str(path),
        "task.test_data.input_path": str(path),
        "task.word_vectors.dim": 16,
        "task.optimizer.learning_rate": 0.01,
        "task.projection_dim": 16,
        "task.lstm_units": 16,
        "task.hidden_units": [32, 16],
        "task.elmo.cache": False,
        "trainer.progress_seconds": 1000,
        **options,
    }
    return override(experiment_config("sst/sst5_small"), options, "test")


def probabilities(predictions):
    return [list(found.probabilities.values()) for found in predictions]


def predict(task_model, examples, batch_size):
    return Predictor(task_model.task, [task_model.model], batch_size).predict(
        examples, [task_model.input_maker(examples, "test")]
    )


def check_training(config, folder, monkeypatch):
    """Trains, loads what was trained, and compares."""
    measured = []
    measure = SSTTask.metrics
    monkeypatch.setattr(
        SSTTask,
        "metrics",
        lambda *args: (measured.append(args[-1]), measure(*args))[1],
    )
    results = training.train(config, "train_and_eval", str(folder))
    monkeypatch.undo()
    config, task_model = TaskModel.load(str(folder))
    task = task_model.task
    examples = task.read(config.task.test_data.input_path)
    predictions = predict(task_model, examples, 4)
    assert task.metrics(examples, predictions) == results["test"]
    # The last to be measured are those of the test data.
    np.testing.assert_allclose(
        probabilities(predictions), probabilities(measured[-1]), atol=1e-6
    )
    for found in predictions:
        assert max(found.probabilities, key=found.probabilities.get) == (
            found.label
        )
        assert sum(found.probabilities.values()) == pytest.approx(1)
    # The examples of a batch do not see each other.
    np.testing.assert_allclose(
        probabilities(predict(task_model, examples, 1)),
        probabilities(predictions),
        atol=1e-5,
    )
    return results


@pytest.mark.slow
def test_learns_without_elmo(tmp_path, monkeypatch):
    config = make_config(
        tmp_path,
        **{
            "task.elmo.location": "none",
            "task.input_dropout": 0.0,
            "task.projection_dropout": 0.0,
            "task.pooling_dropout": 0.0,
            "task.hidden_dropout": 0.0,
            "trainer.train_epochs": 60,
            "trainer.validation_interval": 120,
            "trainer.checkpoint_interval": 120,
            "trainer.summary_interval": 120,
        },
    )
    results = check_training(config, tmp_path / "run", monkeypatch)
    assert results["test"]["accuracy"] == 1.0
    assert results["elmo"] == {}


@pytest.mark.slow
def test_trains_with_elmo(tmp_path, monkeypatch):
    config = make_config(
        tmp_path,
        **{
            "task.elmo.location": "input_and_output",
            "task.elmo.saved_model": tiny_elmo.export(tmp_path / "bilm"),
            "task.labels": "binary",
            "task.min_phrase_length": 2,
            "trainer.train_epochs": 2,
        },
    )
    results = check_training(config, tmp_path / "run", monkeypatch)
    # Of the 16 phrases of two words or more, 5 are neutral.
    assert results["steps_per_epoch"] == 4
    assert set(results["elmo"]) == {"elmo_input", "elmo_output"}
    for weights in results["elmo"].values():
        assert weights["gamma"] != 1.0


class TestTask:
    def task(self, **options):
        return SSTTask(SSTConfig(**options))

    def test_trains_on_phrases_and_tests_sentences(self, tmp_path):
        path = tmp_path / "trees.txt"
        path.write_text(TREES, encoding="utf-8")
        task = self.task(min_phrase_length=4)
        assert len(task.read(path)) == 6
        assert len(task.read_training(path)) == 5
        task = self.task(min_phrase_length=None, labels="binary")
        assert len(task.read(path)) == len(task.read_training(path)) == 4
        assert len(task.read_to_predict(path)) == 6

    def test_labels_in_the_order_of_the_scores(self, tmp_path):
        path = tmp_path / "trees.txt"
        path.write_text(TREES, encoding="utf-8")
        for labels, expected in (
            ("fine", [4, 0, 3, 1, 2, 2]),
            ("binary", [1, 0, 1, 0]),
        ):
            task = self.task(labels=labels)
            targets = task.targets(task.read(path))
            np.testing.assert_array_equal(targets["label"], expected)

    def test_another_choice_of_labels_is_another_model(self):
        assert self.task().state() != self.task(labels="binary").state()


@pytest.mark.parametrize("name", ["sst/sst5", "sst/sst5_small"])
def test_experiments(name):
    config = experiment_config(name)
    assert isinstance(config, experiment_class("sst"))
    assert isinstance(make_task(config.task), SSTTask)
