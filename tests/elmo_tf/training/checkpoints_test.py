import collections
import os

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training.checkpoints import NamedVariables
from elmo_tf.training.checkpoints import RunCheckpointManager
from elmo_tf.training.checkpoints import latest_checkpoint
from elmo_tf.training.checkpoints import restore_model
from elmo_tf.training.experiment import TrainerConfig

Resolver = collections.namedtuple("Resolver", "task_type task_id")
Strategy = collections.namedtuple("Strategy", "cluster_resolver")
SECOND_WORKER = Strategy(Resolver("worker", 1))
ONE_DEVICE = Strategy(None)


class Run:
    """A step counter and a weight under a manager."""

    def __init__(self, model_dir, strategy=ONE_DEVICE, **config):
        self.step = tf.Variable(0, dtype=tf.int64)
        self.weight = keras.Variable([0.0, 0.0], name="weight")
        self.manager = RunCheckpointManager(
            tf.train.Checkpoint(
                step=self.step, model=NamedVariables([self.weight])
            ),
            str(model_dir),
            strategy,
            TrainerConfig(**config),
            self.step,
        )

    def go(self, *steps, check_interval=True):
        """Goes to each of the steps; returns those that were saved."""
        saved = []
        for step in steps:
            self.step.assign(step)
            self.weight.assign([step, -step])
            path = self.manager.save(step, check_interval=check_interval)
            if path:
                assert path.endswith(f"ckpt-{step}")
                saved.append(step)
        return saved


def test_saved_at_the_multiples_of_the_interval(tmp_path):
    run = Run(tmp_path, checkpoint_interval=5)
    assert run.manager.restore_or_initialize() is None
    assert run.go(3, 5, 7, 10) == [5, 10]
    assert run.go(10, 11, check_interval=False) == [11]
    assert run.go(11, check_interval=False) == []


@pytest.mark.parametrize("strategy", [ONE_DEVICE, SECOND_WORKER])
def test_every_worker_saves_at_the_same_steps_after_a_restart(
    tmp_path, strategy
):
    Run(tmp_path).go(7, check_interval=False)
    run = Run(tmp_path, strategy, checkpoint_interval=5)
    assert run.manager.restore_or_initialize() == str(tmp_path / "ckpt-7")
    assert int(run.step.numpy()) == 7
    assert run.weight.numpy().tolist() == [7, -7]
    assert run.go(7, check_interval=False) == []
    assert run.go(8, 10, 15) == [10, 15]


def test_only_the_last_are_kept(tmp_path):
    run = Run(tmp_path, checkpoint_interval=1, max_to_keep=2)
    run.go(1, 2, 3, 4)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == [
        "ckpt-3.index",
        "ckpt-4.index",
    ]
    # Those of the run before count too.
    run = Run(tmp_path, checkpoint_interval=1, max_to_keep=2)
    run.manager.restore_or_initialize()
    run.go(5)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == [
        "ckpt-4.index",
        "ckpt-5.index",
    ]


def test_what_another_worker_writes_goes_away(tmp_path):
    leftover = tmp_path / "worker_1.tmp" / "ckpt-1.index"
    leftover.parent.mkdir()
    leftover.write_bytes(b"of a killed run")
    run = Run(tmp_path, SECOND_WORKER, checkpoint_interval=1)
    assert not leftover.exists()
    run.go(1)
    assert leftover.exists()
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    run.manager.close()
    assert os.listdir(tmp_path) == []


def test_closing_leaves_the_run_alone(tmp_path):
    run = Run(tmp_path, checkpoint_interval=1)
    run.go(1)
    run.manager.close()
    assert latest_checkpoint(str(tmp_path)) == str(tmp_path / "ckpt-1")


def test_a_write_that_was_cut_off_does_not_count(tmp_path):
    """As a process leaves the folder that is killed while it writes."""
    run = Run(tmp_path, checkpoint_interval=1)
    run.go(1)
    (tmp_path / "ckpt-2.data-00000-of-00001.tempstate1").write_bytes(b"half")
    (tmp_path / "ckpt-2.index.tempstate1").write_bytes(b"half")
    again = Run(tmp_path)
    assert again.manager.restore_or_initialize() == str(tmp_path / "ckpt-1")


def test_latest_checkpoint_of_nothing(tmp_path):
    with pytest.raises(InputError) as info:
        latest_checkpoint(str(tmp_path / "none"))
    assert str(info.value) == f"{tmp_path}/none: no such folder"
    with pytest.raises(InputError) as info:
        latest_checkpoint(str(tmp_path))
    assert str(info.value) == f"{tmp_path}: holds no checkpoint"


def cut(path):
    """Cuts the data of a checkpoint in half."""
    data = path.with_name(path.name + ".data-00000-of-00001")
    data.write_bytes(data.read_bytes()[: data.stat().st_size // 2])


def remove_data(path):
    path.with_name(path.name + ".data-00000-of-00001").unlink()


def garble_index(path):
    path.with_name(path.name + ".index").write_bytes(b"no index" * 50)


@pytest.mark.parametrize("damage", [cut, remove_data, garble_index])
def test_a_damaged_checkpoint(tmp_path, damage):
    Run(tmp_path).go(1, check_interval=False)
    damage(tmp_path / "ckpt-1")
    layer = keras.layers.Dense(2, use_bias=False)
    layer.build((1, 1))
    for read in (
        Run(tmp_path).manager.restore_or_initialize,
        lambda: restore_model(layer, str(tmp_path)),
    ):
        with pytest.raises(InputError) as info:
            read()
        assert str(info.value).startswith(
            f"{tmp_path}/ckpt-1: the checkpoint is damaged or does not fit the "
            "model: "
        )
        assert "\n" not in str(info.value)


def test_a_checkpoint_of_something_else(tmp_path):
    tf.train.Checkpoint(
        step=tf.Variable(3), model=tf.train.Checkpoint(other=tf.Variable(1.0))
    ).save(str(tmp_path / "ckpt"))
    run = Run(tmp_path)
    with pytest.raises(InputError, match="does not fit the model"):
        run.manager.restore_or_initialize()


def save_layer(layer, folder):
    # As a trainer does: more than the model.
    checkpoint = tf.train.Checkpoint(
        model=NamedVariables(layer.variables),
        optimizer=NamedVariables([keras.Variable(1.0, name="step")]),
    )
    tf.train.CheckpointManager(checkpoint, str(folder), 1).save()


def make_layer(units, name="dense"):
    layer = keras.layers.Dense(units, name=name)
    layer.build((None, 3))
    for variable in layer.variables:
        variable.assign(
            np.random.default_rng(units).normal(size=variable.shape)
        )
    return layer


def test_restore_model(tmp_path):
    layer = make_layer(4)
    save_layer(layer, tmp_path)
    again = make_layer(4)
    for variable in again.variables:
        variable.assign(variable * 0.0)
    assert restore_model(again, str(tmp_path)) == str(tmp_path / "ckpt-1")
    for variable, expected in zip(
        again.variables, layer.variables, strict=True
    ):
        np.testing.assert_array_equal(variable, expected)


@pytest.mark.parametrize("units, name", [(5, "dense"), (4, "other")])
def test_restore_another_model(tmp_path, units, name):
    save_layer(make_layer(4), tmp_path)
    with pytest.raises(InputError, match="does not fit the model"):
        restore_model(make_layer(units, name), str(tmp_path))


def test_names_must_be_distinct():
    twins = [keras.Variable(1.0, name="twin") for _ in range(2)]
    with pytest.raises(ValueError, match="two variables have the same path"):
        NamedVariables(twins)


@pytest.mark.parametrize("name", ["runs[1]", "run*", "run?"])
def test_a_folder_that_tensorflow_takes_for_a_pattern(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(InputError, match="which TensorFlow takes for a pat"):
        latest_checkpoint(str(folder))
