"""How a variant's training is started, and when it is not."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest

from elmo_tf.errors import InputError
from elmo_tf.errors import RunError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import to_yaml
from tasks.probes import variant_training

EXPERIMENT = "sst/sst5_small"


def test_overrides():
    common = variant_training.common_overrides("a.b=1,c=*.txt", ["1", "2"], {})
    assert common == "seeds=[1,2],a.b=1,c=*.txt"
    assert variant_training.common_overrides("", ["3"], {}) == "seeds=[3]"
    assert variant_training.variant_overrides(["0.1", "1e-3"]) == {
        "none": "task.elmo.location=none",
        "top": "task.elmo.layers=top,task.elmo.l2=0",
        "all_0.1": "task.elmo.layers=all,task.elmo.l2=0.1",
        "all_1e-3": "task.elmo.layers=all,task.elmo.l2=1e-3",
        "top_without_gamma": (
            "task.elmo.layers=top,task.elmo.l2=0,task.elmo.use_gamma=false"
        ),
        "input": "task.elmo.location=input",
        "output": "task.elmo.location=output",
        "input_and_output": "task.elmo.location=input_and_output",
    }


@pytest.mark.parametrize(
    "name", ["none", "top", "all_0", "all_1e-3", "input", "input_and_output"]
)
def test_overrides_make_the_variant(name, tmp_path):
    common = variant_training.common_overrides(
        "task.elmo.location=output,trainer.train_epochs=4", ["5", "6"], {}
    )
    variants = variant_training.variant_overrides(["0", "1e-3"])
    config = variant_training.check(
        EXPERIMENT, f"{common},{variants[name]}", tmp_path
    )
    assert config.seeds == (5, 6)
    assert config.trainer.train_epochs == 4
    elmo = config.task.elmo
    expected = {
        "none": ("none", "all", 0.001),
        "top": ("output", "top", 0.0),
        "all_0": ("output", "all", 0.0),
        "all_1e-3": ("output", "all", 0.001),
        "input": ("input", "all", 0.001),
        "input_and_output": ("input_and_output", "all", 0.001),
    }
    assert (elmo.location, elmo.layers, elmo.l2) == expected[name]


def test_metric(tmp_path):
    config = variant_training.check("ner/conll2003", "seeds=[1]", tmp_path)
    assert variant_training.metric(config) == "f1"
    config = variant_training.check(EXPERIMENT, "seeds=[1]", tmp_path)
    assert variant_training.metric(config) == "accuracy"


@pytest.mark.parametrize(
    "text, message",
    [
        ("seeds=[1]", "--params_override: found seeds, but --seeds says that"),
        (
            "a=1,task.elmo.l2=0.1",
            "--params_override: found task.elmo.l2, but --lambdas says that",
        ),
        (
            "{trainer: {train_epochs: 3}}",
            "--params_override: found '{trainer: {train_epochs: 3}}', expected "
            "a.b=1,c.d=2",
        ),
        (
            "options.yaml",
            "--params_override: found 'options.yaml', expected a.b=1,c.d=2",
        ),
        ("a=1,=2", "--params_override: expected option=value, found '=2'"),
    ],
)
def test_wrong_overrides(text, message):
    with pytest.raises(InputError) as caught:
        variant_training.common_overrides(
            text,
            ["1"],
            {
                "seeds": "--seeds says that",
                "task.elmo.l2": "--lambdas says that",
            },
        )
    assert str(caught.value) == message


@pytest.mark.parametrize("value", ["x", "-0.1", "nan", "inf", ""])
def test_wrong_lambdas(value):
    with pytest.raises(InputError) as caught:
        variant_training.variant_overrides(["0.1", value])
    assert str(caught.value) == (
        f"--lambdas: found {value!r}, expected numbers from 0 on"
    )


@pytest.fixture
def begun(tmp_path):
    """A folder in which a training with the seed 2 has begun."""
    config = experiment_config(
        EXPERIMENT,
        params_override="task.train_data.input_path=train.txt,runtime.seed=2",
    )
    folder = tmp_path / "none"
    (folder / "seed_2").mkdir(parents=True)
    (folder / "seed_2" / "params.yaml").write_text(to_yaml(config))
    return folder


def test_a_training_goes_on_with_the_same_options(begun):
    # A word for the same file, and an option without effect on the result.
    path = os.path.abspath("train.txt")
    config = variant_training.check(
        EXPERIMENT,
        f"seeds=[1,2],task.train_data.input_path={path},"
        "task.elmo.cache_dir=other",
        begun,
    )
    assert config.seeds == (1, 2)


@pytest.mark.parametrize(
    "override, message",
    [
        ("trainer.train_epochs=99", "found trainer.train_epochs="),
        (
            "task.train_data.input_path=train2.txt",
            "found task.train_data.input_path=",
        ),
    ],
)
def test_a_training_with_other_options(begun, override, message):
    with pytest.raises(InputError) as caught:
        variant_training.check(
            EXPERIMENT,
            f"seeds=[1,2],task.train_data.input_path=train.txt,{override}",
            begun,
        )
    text = str(caught.value)
    assert text.startswith(f"{begun}/seed_2/params.yaml: {message}")
    assert text.endswith("; use another --output")
    assert override.partition("=")[2] in text


def test_options_of_another_version(begun):
    with open(begun / "seed_2" / "params.yaml", "a") as file:
        file.write("colour: red\n")
    with pytest.raises(InputError) as caught:
        variant_training.check(
            EXPERIMENT, "seeds=[2],task.train_data.input_path=train.txt", begun
        )
    assert "params.yaml: unknown option colour" in str(caught.value)


@dataclasses.dataclass
class FakeTraining:
    """In the place of subprocess.run: prints, and ends as it is told to."""

    code: int = 0
    text: str = "done\n"
    calls: list = dataclasses.field(default_factory=list)

    def __call__(self, arguments, stdout, stderr, **_):
        assert stdout is stderr
        self.calls.append(arguments)
        stdout.write(self.text.encode())
        return subprocess.CompletedProcess(arguments, self.code)


@pytest.fixture
def fake(monkeypatch):
    fake = FakeTraining()
    monkeypatch.setattr(subprocess, "run", fake)
    return fake


def train(folder):
    variant_training.train(EXPERIMENT, "seeds=[1,2],a=1", folder, (1, 2))


def finish(folder, seeds):
    for seed in seeds:
        (folder / f"seed_{seed}").mkdir(parents=True, exist_ok=True)
        (folder / f"seed_{seed}" / "results.json").write_text('{"seed": 1}')
    (folder / "results.json").write_text(json.dumps({"seeds": seeds}))


def test_the_command(fake, tmp_path, capfd):
    train(tmp_path / "top")
    assert fake.calls == [
        [
            sys.executable,
            "-m",
            "tasks.train",
            "--experiment=sst/sst5_small",
            f"--model_dir={tmp_path}/top",
            "--params_override=seeds=[1,2],a=1",
        ]
    ]
    assert (tmp_path / "top.log").read_text() == "done\n"
    assert capfd.readouterr().err == f"top: training, see {tmp_path}/top.log\n"


def test_what_has_ended_is_left_alone(fake, tmp_path):
    finish(tmp_path, [1, 2])
    train(tmp_path)
    assert not fake.calls
    # A seed is gone, or others were asked for.
    (tmp_path / "seed_2" / "results.json").unlink()
    train(tmp_path)
    finish(tmp_path, [1, 2, 3])
    train(tmp_path)
    assert len(fake.calls) == 2


@pytest.mark.parametrize(
    "code, text, kind, message",
    [
        (2, "1\ntrain.py: error: bad\n\n", InputError, "train.py: error: bad"),
        (1, "Traceback\nE: worse\n", RunError, "E: worse"),
        (-9, "", RunError, "no message"),
    ],
)
def test_a_training_that_fails(fake, tmp_path, code, text, kind, message):
    fake.code, fake.text = code, text
    with pytest.raises(kind) as caught:
        train(tmp_path / "top")
    assert str(caught.value) == (
        f"top: tasks.train ended with exit code {code}: {message}"
    )
