import dataclasses
import json
import os

import orbit
import pydantic
import pytest
import tensorflow as tf
import yaml
from pydantic.dataclasses import dataclass

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import TrainerConfig
from elmo_tf.training.host_state import HostState
from elmo_tf.training.run import run
from elmo_tf.training.run import write_config
from elmo_tf.training.trainer import Trainer


class SummingTrainer(Trainer):
    """Adds each step's number to a sum, and keeps a list on the host."""

    def __init__(self, config, fail_at=None):
        super().__init__(
            tf.distribute.get_strategy(),
            tf.Variable(0, dtype=tf.int64),
            config.train_steps,
            config,
            unit="steps",
        )
        self.sum = tf.Variable(0)
        self.steps = []
        self.closed = False
        self._fail_at = fail_at
        self.checkpoint = tf.train.Checkpoint(
            step=self.global_step,
            sum=self.sum,
            steps=HostState(
                lambda: json.dumps(self.steps).encode(),
                lambda text: self.steps.extend(json.loads(text)),
            ),
        )

    def train_step(self):
        step = int(self.global_step.assign_add(1).numpy())
        if step == self._fail_at:
            raise RuntimeError("killed")
        self.sum.assign_add(step)
        self.steps.append(step)
        return 1, {"loss": 1.0 / step}, {}

    def close(self):
        self.closed = True


class Evaluator(orbit.AbstractEvaluator):
    def __init__(self, trainer):
        self.trainer = trainer
        self.steps = []

    def evaluate(self, num_steps):
        self.steps.append(int(self.trainer.global_step.numpy()))
        return {"sum": int(self.trainer.sum.numpy())}


def run_it(
    folder,
    mode="train",
    start=lambda: None,
    fail_at=None,
    is_over=None,
    **config,
):
    config = TrainerConfig(**{"train_steps": 12, **config})
    trainer = SummingTrainer(config, fail_at)
    evaluator = Evaluator(trainer)
    try:
        result = run(
            mode,
            trainer,
            evaluator,
            trainer.checkpoint,
            config,
            str(folder),
            start,
            is_over and (lambda: is_over(evaluator)),
        )
    finally:
        assert trainer.closed
    return trainer, evaluator, result


def checkpoints(folder):
    return sorted(int(p.stem[5:]) for p in folder.glob("ckpt-*.index"))


def test_train(tmp_path):
    trainer, evaluator, result = run_it(
        tmp_path, checkpoint_interval=5, max_to_keep=9
    )
    assert trainer.steps == list(range(1, 13))
    assert checkpoints(tmp_path) == [5, 10, 12]
    assert result is None and evaluator.steps == []
    assert os.listdir(tmp_path / "train")


def test_resume(tmp_path):
    with pytest.raises(RuntimeError, match="killed"):
        run_it(tmp_path, checkpoint_interval=5, fail_at=8)
    assert checkpoints(tmp_path) == [5]
    trainer, _, _ = run_it(tmp_path, checkpoint_interval=5, max_to_keep=9)
    assert trainer.steps == list(range(1, 13))
    assert int(trainer.sum.numpy()) == sum(range(1, 13))
    assert checkpoints(tmp_path) == [5, 10, 12]


def test_go_on_from_a_step_between_two_checkpoints(tmp_path):
    run_it(tmp_path, train_steps=7, checkpoint_interval=5)
    trainer, _, _ = run_it(
        tmp_path, train_steps=16, checkpoint_interval=5, max_to_keep=9
    )
    assert trainer.steps == list(range(1, 17))
    assert checkpoints(tmp_path) == [5, 7, 10, 15, 16]


@pytest.mark.parametrize("mode", ["train", "train_and_eval"])
def test_a_finished_run_does_nothing_more(tmp_path, mode):
    run_it(tmp_path)
    before = (tmp_path / "ckpt-12.index").stat().st_mtime_ns
    trainer, _, result = run_it(tmp_path, mode)
    assert trainer.steps == list(range(1, 13))
    assert result == (None if mode == "train" else {"sum": 78})
    assert (tmp_path / "ckpt-12.index").stat().st_mtime_ns == before


def test_fewer_steps_than_done(tmp_path):
    run_it(tmp_path)
    trainer, _, result = run_it(tmp_path, "train_and_eval", train_steps=3)
    assert result == {"sum": 78}
    assert checkpoints(tmp_path) == [12]


def test_train_and_eval(tmp_path):
    _, evaluator, result = run_it(tmp_path, "train_and_eval")
    assert evaluator.steps == [12]
    assert result == {"sum": 78}
    assert os.listdir(tmp_path / "validation")


def test_validation_interval(tmp_path):
    _, evaluator, result = run_it(
        tmp_path,
        "train_and_eval",
        checkpoint_interval=4,
        validation_interval=5,
        max_to_keep=9,
    )
    assert evaluator.steps == [5, 10, 12]
    assert result == {"sum": 78}
    assert checkpoints(tmp_path) == [4, 8, 12]


def test_a_resumed_run_validates_at_the_same_steps(tmp_path):
    options = dict(checkpoint_interval=4, validation_interval=5)
    with pytest.raises(RuntimeError, match="killed"):
        run_it(tmp_path, "train_and_eval", fail_at=9, **options)
    assert checkpoints(tmp_path) == [4, 8]
    _, evaluator, _ = run_it(tmp_path, "train_and_eval", **options)
    assert evaluator.steps == [10, 12]


def test_stop_before_the_end(tmp_path):
    options = dict(
        checkpoint_interval=4,
        validation_interval=5,
        is_over=lambda evaluator: evaluator.steps == [5],
    )
    trainer, _, result = run_it(tmp_path, "train_and_eval", **options)
    assert trainer.steps == [1, 2, 3, 4, 5]
    assert result == {"sum": 15}
    assert checkpoints(tmp_path) == [4, 5]


def test_eval(tmp_path):
    run_it(tmp_path)
    before = sorted(os.listdir(tmp_path))
    trainer, evaluator, result = run_it(tmp_path, "eval")
    assert evaluator.steps == [12]
    assert result == {"sum": 78}
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "validation"])


def test_start_comes_after_the_checkpoint_and_before_the_first_step(tmp_path):
    run_it(tmp_path, train_steps=3)
    seen = []
    config = TrainerConfig(train_steps=5)
    trainer = SummingTrainer(config)
    run(
        "train",
        trainer,
        None,
        trainer.checkpoint,
        config,
        str(tmp_path),
        lambda: seen.append(list(trainer.steps)),
    )
    assert seen == [[1, 2, 3]]


def test_nothing_is_written_when_start_fails(tmp_path):
    folder = tmp_path / "model"

    def start():
        assert not folder.exists()
        raise InputError("no")

    with pytest.raises(InputError):
        run_it(folder, start=start)
    assert not folder.exists()


def test_start_is_not_for_evaluation(tmp_path):
    run_it(tmp_path)
    run_it(tmp_path, "eval", start=lambda: pytest.fail("called"))


def test_evaluation_of_nothing(tmp_path):
    with pytest.raises(InputError) as info:
        run("eval", None, None, None, None, str(tmp_path), None)
    assert (
        str(info.value) == "--mode=eval needs task.validation_data.input_path"
    )
    for folder, message in (
        (tmp_path / "none", "no such folder"),
        (tmp_path, "holds no checkpoint"),
    ):
        trainer = SummingTrainer(TrainerConfig(train_steps=1))
        with pytest.raises(InputError) as info:
            run(
                "eval",
                trainer,
                Evaluator(trainer),
                trainer.checkpoint,
                TrainerConfig(),
                str(folder),
                None,
            )
        assert str(info.value) == f"{folder}: {message}"
    assert os.listdir(tmp_path) == []


@dataclass(frozen=True, config=pydantic.ConfigDict(extra="forbid"))
class Config:
    name: str = "ü"
    trainer: TrainerConfig = dataclasses.field(default_factory=TrainerConfig)


def test_write_config(tmp_path):
    folder = tmp_path / "a" / "b"
    strategy = tf.distribute.get_strategy()
    for name in ("ü", "x"):
        write_config(Config(name=name), str(folder), strategy)
        assert os.listdir(folder) == ["params.yaml"]
        text = (folder / "params.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(text)["name"] == name
