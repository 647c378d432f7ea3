"""Trainings of a tiny tagger, in this process."""

import json
import os
import shutil

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training.overrides import override
from elmo_tf.training.trainer import NonFiniteError
from tasks import training
from tasks.ner.experiments import conll2003
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel
from tasks.task_trainer import TaskTrainer
from tasks.weight_average import WeightAverage
from tests import replicas
from tests.tasks import tiny_elmo

pytestmark = pytest.mark.slow

_TEXT = """\
Anna B-PER
lives O
in O
{0} B-LOC

{0} B-LOC
is O
far O

Bob B-PER
Smith I-PER
left O
"""
_V = ".ATTRIBUTES/VARIABLE_VALUE"
_CITIES = ("Paris", "Rome", "Oslo")
_VECTORS = "Paris 0.1 0.2 0.3\nRome 0.2 0.1 0.3\nanna 1 0 -1\nleft 0 1 0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training and validation data, word vectors, a biLM."""
    folder = tmp_path_factory.mktemp("data")
    text = "\n".join(_TEXT.format(city) for city in _CITIES)
    (folder / "train.txt").write_text(text)
    (folder / "valid.txt").write_text(_TEXT.format("Rome"))
    (folder / "vectors.txt").write_text(_VECTORS)
    tiny_elmo.export(folder / "bilm")
    return folder


def make_config(folder, **options):
    return override(
        conll2003(),
        {
            "task": {
                "elmo": {
                    "saved_model": str(folder / "bilm"),
                    "cache_dir": str(folder / "cache"),
                },
                "word_vectors": {"input_path": str(folder / "vectors.txt")},
                "train_data": {
                    "input_path": str(folder / "train.txt"),
                    "batch_size": 4,
                },
                "validation_data": {"input_path": str(folder / "valid.txt")},
                "test_data": {"input_path": str(folder / "valid.txt")},
                "character_encoder": {"filters": 4},
                "lstm_units": [5],
            },
            "trainer": {"train_epochs": 2, "patience": None},
            **options,
        },
        "test",
    )


def train(monkeypatch, config, model_dir, strategy=None, mode="train_and_eval"):
    """Trains without another set-up of TensorFlow."""

    def set_up(runtime):
        tf.keras.utils.set_random_seed(runtime.seed)
        return strategy or tf.distribute.OneDeviceStrategy("CPU:0")

    monkeypatch.setattr(training, "set_up", set_up)
    return training.train(config, mode, str(model_dir))


def weights_in(model_dir):
    """The weights and the optimizer's variables of the last checkpoint."""
    reader = tf.train.load_checkpoint(str(model_dir))
    return {
        name: reader.get_tensor(name)
        for name in reader.get_variable_to_shape_map()
        if name.startswith(("model/", "optimizer/", "average/"))
    }


def assert_same_run(left, right, tolerance=0.0):
    left, right = weights_in(left), weights_in(right)
    assert left.keys() == right.keys() and len(left) > 20
    for name, value in left.items():
        np.testing.assert_allclose(
            value, right[name], atol=tolerance, err_msg=name
        )


@pytest.fixture(scope="module")
def finished(folder, tmp_path_factory):
    """A finished training's folder and results."""
    model_dir = tmp_path_factory.mktemp("run") / "new" / "model"
    with pytest.MonkeyPatch.context() as patch:
        results = train(patch, make_config(folder), model_dir)
    return model_dir, results


def test_what_a_training_leaves(finished):
    model_dir, results = finished
    assert {
        *("params.yaml", "task.json", "vocab.txt", "best", "train"),
        *("results.json", "training.png", "validation"),
    } <= set(os.listdir(model_dir))
    saved = json.loads((model_dir / "results.json").read_text())
    assert saved == results
    assert results["steps"] == 6 and results["steps_per_epoch"] == 3
    assert results["validation"]["step"] in (3, 6)
    assert results["test"]["phrases"] == 4
    # Of the rows none but those of the vocabulary is counted.
    words = results["words"]
    assert words["train"]["tokens_with_vector"] == 10
    assert words["train"]["tokens_unknown"] == 0
    shares = results["elmo"]["elmo_input"]
    assert len(shares["s"]) == tiny_elmo.N_LAYERS
    assert sum(shares["s"]) == pytest.approx(1.0)
    assert shares["gamma"] != 1.0


def test_the_best_weights_give_the_figures_reported(finished):
    model_dir, results = finished
    config, task_model = TaskModel.load(str(model_dir))
    assert config.task.lstm_units == (5,)
    task = task_model.task
    examples = task.read(config.task.test_data.input_path)
    predictor = training.Predictor(task, [task_model.model], 2)
    predictions = predictor.predict(
        examples, [task_model.input_maker(examples, "test")]
    )
    assert task.metrics(examples, predictions) == results["test"]


def test_same_seed_same_result(folder, finished, tmp_path, monkeypatch):
    train(monkeypatch, make_config(folder), tmp_path)
    assert_same_run(tmp_path, finished[0])
    other = make_config(folder, runtime={"seed": 2})
    train(monkeypatch, other, tmp_path / "other")
    with pytest.raises(AssertionError):
        assert_same_run(tmp_path / "other", finished[0])


def interrupt_at(patch, last_step):
    train_step = TaskTrainer.train_step

    def interrupted(self):
        if int(self.global_step.numpy()) == last_step:
            raise KeyboardInterrupt
        return train_step(self)

    patch.setattr(TaskTrainer, "train_step", interrupted)


@pytest.mark.parametrize("last_step", [3, 5])
def test_resumed_equals_uninterrupted(
    folder, finished, tmp_path, monkeypatch, last_step
):
    """At step 3 the checkpoint is older than the validation."""
    options = {"trainer": {"train_epochs": 2, "checkpoint_interval": 2}}
    if last_step == 3:
        options["trainer"]["checkpoint_interval"] = 3
    config = make_config(folder, **options)
    with monkeypatch.context() as patch:
        interrupt_at(patch, last_step)
        with pytest.raises(KeyboardInterrupt):
            train(patch, config, tmp_path)
    results = train(monkeypatch, config, tmp_path)
    assert_same_run(tmp_path, finished[0])
    assert results["validation"] == finished[1]["validation"]


def test_a_finished_run_does_nothing_more(folder, finished, tmp_path):
    model_dir = shutil.copytree(finished[0], tmp_path / "model")
    before = sorted(os.listdir(model_dir))
    with pytest.MonkeyPatch.context() as patch:
        results = train(patch, make_config(folder), model_dir)
    assert sorted(os.listdir(model_dir)) == before
    # What is of the process, not of the run.
    for found in (results, expected := dict(finished[1])):
        assert found.pop("seconds") >= 0 and found.pop("date")
    assert results == expected


def test_two_replicas_do_what_one_device_does(folder, tmp_path, monkeypatch):
    """One step, without dropout, whose masks differ; with unequal shares."""
    config = make_config(folder, trainer={"train_steps": 1})
    config = override(
        config,
        {
            "task": {
                "dropout": 0.0,
                "elmo": {"dropout": 0.0},
                "train_data": {"batch_size": 3},
            }
        },
        "test",
    )
    train(monkeypatch, config, tmp_path / "one")
    strategy = replicas.two_replica_strategy()
    train(monkeypatch, config, tmp_path / "two", strategy)
    assert_same_run(tmp_path / "one", tmp_path / "two", 1e-6)


@pytest.mark.parametrize("name", ["adadelta", "adagrad"])
@pytest.mark.parametrize("clip_value", [None, 0.01])
def test_other_optimizers(folder, tmp_path, monkeypatch, name, clip_value):
    config = override(
        make_config(folder, trainer={"train_steps": 1}),
        {
            "task": {
                "optimizer": {
                    "name": name,
                    "learning_rate": 0.1,
                    "clip_norm": None,
                    "clip_value": clip_value,
                }
            }
        },
        "test",
    )
    train(monkeypatch, config, tmp_path)
    values = weights_in(tmp_path)
    (bias,) = [v for k, v in values.items() if k.endswith("scores.Sbias/" + _V)]
    # What the optimizer has gathered of the squared gradients.
    (squares,) = [
        v
        for k, v in values.items()
        if "scores_bias_accum" in k and "delta" not in k
    ]
    assert np.abs(bias).min() > 0
    if name == "adadelta":
        squares = squares / (1 - 0.95)
    else:
        squares = squares - 0.1
    assert (squares.max() > 1.01 * 0.01**2) == (clip_value is None)


def test_cached_and_live_layers_train_alike(
    folder, finished, tmp_path, monkeypatch
):
    config = override(
        make_config(folder), {"task": {"elmo": {"cache": False}}}, "test"
    )
    train(monkeypatch, config, tmp_path)
    assert_same_run(tmp_path, finished[0], 1e-5)


def test_without_elmo(folder, tmp_path, monkeypatch):
    config = override(
        make_config(folder),
        {"task": {"elmo": {"location": "none", "saved_model": "nowhere"}}},
        "test",
    )
    results = train(monkeypatch, config, tmp_path)
    assert results["elmo"] == {}
    assert not [name for name in weights_in(tmp_path) if "elmo" in name]


def test_stops_early(folder, tmp_path, monkeypatch):
    config = make_config(
        folder,
        trainer={
            "train_epochs": 50,
            "patience": 2,
            "validation_interval": 2,
        },
    )
    # Nothing is ever learnt.
    config = override(
        config, {"task": {"optimizer": {"learning_rate": 1e-9}}}, "test"
    )
    results = train(monkeypatch, config, tmp_path)
    assert results["steps"] == 6
    assert results["validation"]["step"] == 2


def test_the_learning_rate_falls_on_a_plateau(folder, tmp_path, monkeypatch):
    config = override(
        make_config(folder, trainer={"train_steps": 5, "patience": None}),
        {
            "task": {
                "optimizer": {
                    "learning_rate": 1e-9,
                    "plateau_factor": 0.5,
                    "plateau_patience": 2,
                }
            },
            "trainer": {"validation_interval": 1},
        },
        "test",
    )
    train(monkeypatch, config, tmp_path)
    # The first of five validations is the best one.
    (rate,) = [
        value
        for name, value in weights_in(tmp_path).items()
        if "learning_rate" in name
    ]
    assert rate == pytest.approx(0.25e-9)


def test_a_moving_average_of_the_weights(folder, tmp_path, monkeypatch):
    """It is what is validated and kept; training goes on with the weights."""
    config = override(
        make_config(folder, trainer={"train_epochs": 2}),
        {"task.optimizer.ema_decay": 0.9},
        "test",
    )
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    seen = []
    applied = WeightAverage.applied

    def recorded(self):
        seen.append([value.numpy() for value in self.variables])
        return applied(self)

    with monkeypatch.context() as patch:
        patch.setattr(WeightAverage, "applied", recorded)
        results = train(patch, config, whole)
    plain = tmp_path / "plain"
    without = override(config, {"task.optimizer.ema_decay": None}, "test")
    train(monkeypatch, without, plain)
    for name, value in weights_in(plain).items():
        np.testing.assert_array_equal(weights_in(whole)[name], value)

    with monkeypatch.context() as patch:
        interrupt_at(patch, 5)
        with pytest.raises(KeyboardInterrupt):
            train(patch, config, resumed)
    assert train(monkeypatch, config, resumed)["test"] == results["test"]
    assert_same_run(whole, resumed)

    _, task_model = TaskModel.load(str(whole))
    kept = [weight.numpy() for weight in task_model.model.trainable_weights]
    # A validation each epoch of three steps.
    average = seen[results["validation"]["step"] // 3 - 1]
    for left, right in zip(kept, average, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("ema_decay", [None, 0.9])
def test_the_last_weights_without_validation(
    folder, tmp_path, monkeypatch, ema_decay
):
    config = override(
        make_config(folder), {"task.optimizer.ema_decay": ema_decay}, "test"
    )
    results = train(monkeypatch, config, tmp_path, mode="train")
    assert results["validation"] is None
    assert results["test"] is not None
    best = tf.train.latest_checkpoint(str(tmp_path / "best"))
    reader = tf.train.load_checkpoint(best)
    last = weights_in(tmp_path)
    n_averages = 0
    for name, value in last.items():
        if not name.startswith("model/"):
            continue
        average = name.replace("model/", "average/").replace(".S", "_")
        average = average.replace(f"/{_V}", f"_average/{_V}")
        if average in last:
            n_averages += 1
            assert np.abs(last[average] - value).max() > 1e-7
            value = last[average]
        np.testing.assert_array_equal(reader.get_tensor(name), value)
    assert (n_averages > 10) == (ema_decay is not None)


def test_train_fraction(folder, tmp_path, monkeypatch):
    config = override(make_config(folder), {"task.train_fraction": 0.5}, "test")
    results = train(monkeypatch, config, tmp_path)
    assert results["steps_per_epoch"] == 2
    assert 0 < results["words"]["train"]["tokens"] < 30


def test_seeds(folder, finished, tmp_path, monkeypatch):
    config = make_config(folder, seeds=[1, 2])
    results = train(monkeypatch, config, tmp_path)
    assert json.loads((tmp_path / "results.json").read_text()) == results
    assert results["seeds"] == [1, 2]
    parts = [
        json.loads((tmp_path / f"seed_{seed}" / "results.json").read_text())
        for seed in (1, 2)
    ]
    assert [part["seed"] for part in parts] == [1, 2]
    assert_same_run(tmp_path / "seed_1", finished[0])
    accuracies = [part["validation"]["accuracy"] for part in parts]
    found = results["validation"]["accuracy"]
    assert found["values"] == accuracies
    assert found["mean"] == pytest.approx(np.mean(accuracies))
    assert found["standard_deviation"] == pytest.approx(
        abs(accuracies[0] - accuracies[1]) / 2**0.5
    )


def test_a_loss_that_is_no_number(folder, tmp_path, monkeypatch):
    config = override(
        make_config(folder), {"task.optimizer.learning_rate": 1e30}, "test"
    )
    with pytest.raises(NonFiniteError, match="training stopped at step"):
        train(monkeypatch, config, tmp_path)


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"task.train_data.input_path": ""},
            "task.train_data.input_path is not set",
        ),
        (
            {"task.validation_data.input_path": ""},
            "task.validation_data.input_path is not set",
        ),
        ({"task.elmo.saved_model": "nowhere"}, "nowhere: no such folder"),
    ],
)
def test_mistakes(folder, tmp_path, monkeypatch, changes, message):
    config = override(make_config(folder), changes, "test")
    with pytest.raises(InputError) as info:
        train(monkeypatch, config, tmp_path / "new")
    assert str(info.value).startswith(message)
    assert not (tmp_path / "new").exists()


def test_a_class_that_training_has_not_met(folder, tmp_path, monkeypatch):
    path = tmp_path / "valid.txt"
    path.write_text("Bob B-PER\n\nMay B-DATE\n")
    config = override(
        make_config(folder),
        {"task.validation_data.input_path": str(path)},
        "test",
    )
    with pytest.raises(InputError) as info:
        train(monkeypatch, config, tmp_path / "new")
    assert str(info.value) == (
        f"{path}:3: found an entity of the class DATE, expected one of the "
        "training data's: LOC, PER"
    )


def test_the_folder_of_another_run(folder, finished, tmp_path, monkeypatch):
    text = (folder / "train.txt").read_text()
    for name, changed, message in (
        ("words", text.replace("far", "near"), "has other words"),
        ("classes", text.replace("LOC", "ORG"), "has another state"),
    ):
        path = tmp_path / f"{name}.txt"
        path.write_text(changed)
        config = override(
            make_config(folder),
            {
                "task.train_data.input_path": str(path),
                "task.validation_data.input_path": str(path),
                "task.test_data.input_path": "",
            },
            "test",
        )
        with pytest.raises(InputError, match=message):
            train(monkeypatch, config, finished[0])


def test_not_the_folder_of_a_training(tmp_path):
    with pytest.raises(InputError) as info:
        TaskModel.load(str(tmp_path))
    assert str(info.value) == f"{tmp_path}: not the folder of a task's training"


def test_a_model_that_reads_no_words(monkeypatch, folder, tmp_path):
    """It trains, loads and is exported; its vocabulary stands aside."""
    config = override(
        make_config(folder),
        {"task": {"word_vectors": {"input_path": "", "dim": 0}}},
        "test",
    )
    results = train(monkeypatch, config, tmp_path)
    assert 0.0 <= results["validation"]["f1"] <= 1.0
    loaded, task_model = TaskModel.load(str(tmp_path))
    assert "tokens_word_ids" not in task_model.model.input
    signature = TaskFunctions(
        loaded.task, task_model, "whitespace"
    ).signatures()["default"]
    found = signature(strings=tf.constant(["Anna left Paris ."]))
    assert found["tags"].shape == (1, 4)
