import dataclasses

import pydantic
import pytest
from pydantic.dataclasses import dataclass

from elmo_tf.errors import InputError
from elmo_tf.training import experiment
from elmo_tf.training.experiment import RuntimeConfig
from elmo_tf.training.experiment import TrainerConfig
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.experiment import experiment_names
from elmo_tf.training.experiment import register_experiment

_STRICT = pydantic.ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_STRICT)
class Task:
    depth: int = 1


@dataclass(frozen=True, config=_STRICT)
class Config:
    task: Task = dataclasses.field(default_factory=Task)
    trainer: TrainerConfig = dataclasses.field(default_factory=TrainerConfig)
    runtime: RuntimeConfig = dataclasses.field(default_factory=RuntimeConfig)


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(experiment, "_EXPERIMENTS", {})
    register_experiment("test/one")(Config)
    register_experiment("test/two")(lambda: Config(task=Task(depth=2)))


def test_by_name():
    assert experiment_config("test/one") == Config()
    assert experiment_config("test/two").task.depth == 2


def test_names():
    assert experiment_names() == ["test/one", "test/two"]


def test_later_sources_win(tmp_path):
    for name, text in (
        ("1.yaml", "task: {depth: 3}\ntrainer: {train_steps: 30}\n"),
        ("2.json", '{"task": {"depth": 4}}'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / "1.yaml"), str(tmp_path / "2.json")]
    config = experiment_config("test/two", files)
    assert (config.task.depth, config.trainer.train_steps) == (4, 30)
    config = experiment_config("test/two", files, "task.depth=5")
    assert (config.task.depth, config.trainer.train_steps) == (5, 30)


def test_an_unknown_experiment():
    with pytest.raises(InputError) as info:
        experiment_config("test/three")
    assert str(info.value) == (
        "--experiment: unknown experiment 'test/three'; expected one of "
        "test/one, test/two"
    )


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="'test/one' is registered twice"):
        register_experiment("test/one")(Config)


@pytest.mark.parametrize(
    "change, message",
    [
        ("runtime.seed=-1", "greater than or equal to 0, found -1"),
        ("runtime.seed=4294967296", "less than 2147483648, found 4294967296"),
        ("runtime.num_gpus=-1", "greater than or equal to 0, found -1"),
        ("runtime.num_logical_cpus=0", "greater than 0, found 0"),
        (
            "runtime.distribution_strategy=tpu",
            "'one_device', 'mirrored' or 'multi_worker_mirrored', found 'tpu'",
        ),
        (
            "runtime.mixed_precision=float16",
            "'float32' or 'mixed_bfloat16', found 'float16'",
        ),
        ("trainer.train_steps=0", "greater than 0, found 0"),
        ("trainer.train_steps=1.5", "valid integer"),
        ("trainer.train_epochs=0", "greater than 0, found 0"),
        ("trainer.train_epochs=.nan", "finite number, found nan"),
        ("trainer.train_epochs=.inf", "finite number, found inf"),
        ("trainer.checkpoint_interval=0", "greater than 0, found 0"),
        ("trainer.summary_interval=0", "greater than 0, found 0"),
        ("trainer.validation_interval=0", "greater than 0, found 0"),
        ("trainer.max_to_keep=0", "greater than 0, found 0"),
        ("trainer.steps=1", "did you mean trainer.train_steps?"),
    ],
)
def test_values_out_of_range(change, message):
    with pytest.raises(InputError) as info:
        experiment_config("test/one", params_override=change)
    option = change.partition("=")[0]
    assert str(info.value).startswith("--params_override: ")
    assert option in str(info.value) and message in str(info.value)
