"""The binary that trains task models, run as a user runs it."""

import datetime
import json
import os
import shlex

import pytest
import yaml

from tests import binaries
from tests.tasks import tiny_ner


def run(folder, *arguments, model_dir=None, more=""):
    return binaries.run(
        "tasks.train",
        "--experiment=ner/conll2003",
        f"--model_dir={model_dir or folder / 'new'}",
        f"--params_override={tiny_ner.options(folder)}{more and ',' + more}",
        *arguments,
    )


@pytest.mark.slow
def test_train(training):
    *_, line = training.result.stdout.splitlines()
    results = json.loads(line)
    assert results == json.loads(
        (training.model_dir / "results.json").read_text()
    )
    assert results["experiment"] == "ner/conll2003"
    assert results["command"] == shlex.join(
        [
            *("python", "-m", "tasks.train", "--experiment=ner/conll2003"),
            f"--model_dir={training.model_dir}",
            f"--params_override={tiny_ner.options(training.folder)}",
        ]
    )
    assert datetime.datetime.fromisoformat(results["date"]).tzinfo
    assert results["examples"] == {"train": 4, "validation": 3}
    assert results["steps"] == 4
    assert results["steps_per_epoch"] == 2
    assert results["validation"]["step"] in (2, 4)
    assert 0 <= results["validation"]["f1"] <= 1
    assert results["test"] is None
    assert list(results["elmo"]) == ["elmo_input"]
    files = os.listdir(training.model_dir)
    assert {"best", "results.json", "task.json", "vocab.txt"} <= set(files)
    assert "training.png" in files
    with open(training.model_dir / "params.yaml", encoding="utf-8") as file:
        config = yaml.safe_load(file)
    assert config["task"]["lstm_units"] == [4]


@pytest.mark.slow
def test_the_same_command_goes_on(training, copy):
    """Here it finds nothing left to do."""
    result = run(training.folder, model_dir=copy)
    assert result.returncode == 0, result.stderr

    def last_line(result):
        values = json.loads(result.stdout.splitlines()[-1])
        for name in ("seconds", "date", "command"):
            del values[name]
        return values

    assert last_line(result) == last_line(training.result)


@pytest.mark.slow
def test_a_folder_of_another_training(training, copy):
    result = run(
        training.folder, model_dir=copy, more="task.word_vectors.dim=6"
    )
    message = f"{copy}: the run in this folder has another word_dim; use "
    assert result.returncode == 2
    assert f"train.py: error: {message}" in result.stderr


@pytest.mark.slow
def test_mode_train_validates_nothing(training, tmp_path):
    result = run(
        training.folder,
        "--mode=train",
        model_dir=tmp_path / "model",
        more="task.validation_data.input_path='',task.elmo.location=none",
    )
    assert result.returncode == 0, result.stderr
    results = json.loads(result.stdout.splitlines()[-1])
    assert results["validation"] is None
    assert results["elmo"] == {}
    assert os.listdir(tmp_path / "model" / "best")


def test_help():
    result = binaries.run("tasks.train", "--help")
    assert result.returncode == 1
    for name in ("experiment", "mode", "model_dir", "params_override"):
        assert f"--{name}" in result.stdout + result.stderr
    assert "ner/conll2003_small" in result.stdout + result.stderr


@pytest.fixture
def data(tmp_path):
    tiny_ner.write_data(tmp_path)
    (tmp_path / "other.txt").write_text("Ann B-PER\nvisits O\nRio B-CITY\n")
    return tmp_path


@pytest.mark.parametrize(
    "more, message",
    [
        ("task.train_data.input_path=''", "task.train_data.input_path is not"),
        (
            "task.validation_data.input_path=''",
            "task.validation_data.input_path is not set",
        ),
        (
            "task.train_data.input_path=none.txt",
            "none.txt: cannot be read: No such file or directory",
        ),
        (
            "task.validation_data.input_path={folder}/other.txt",
            "{folder}/other.txt:3: found an entity of the class CITY, expected "
            "one of the training data's: LOC, MISC, ORG, PER",
        ),
        (
            "task.lstm_unit=[3]",
            "--params_override: unknown option task.lstm_unit; did you mean "
            "task.lstm_units?",
        ),
        ("task.elmo.saved_model=none", "none: no such folder, nor a pre-train"),
        (
            "task.word_vectors.input_path=none.txt",
            "none.txt: ",
        ),
        (
            "runtime.distribution_strategy=multi_worker_mirrored",
            "multi_worker_mirrored needs the environment variable TF_CONFIG: ",
        ),
    ],
)
def test_a_mistake_is_one_line(data, more, message):
    before = sorted(os.listdir(data))
    result = run(data, more=more.format(folder=data))
    binaries.check_mistake(result, "train", message.format(folder=data))
    assert sorted(os.listdir(data)) == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--experiment=ner/conll2004"],
            "--experiment: unknown experiment 'ner/conll2004'; expected one of "
            "cloze/cnn, cloze/small, coref/conll2012, coref/litbank_small, "
            "ner/conll2003, ner/conll2003_small, ",
        ),
        (["--mode=eval"], "flag --mode=eval: value should be one of "),
        (["--config_file=none.yaml"], "--config_file none.yaml: "),
        (["--modeldir=x"], "Unknown command line flag 'modeldir'"),
        (["extra"], "unexpected argument 'extra'; every option is a flag"),
    ],
)
def test_wrong_flags(data, arguments, message):
    binaries.check_mistake(run(data, *arguments), "train", message)


@pytest.mark.parametrize("flag", ["experiment", "model_dir"])
def test_missing_flags(flag):
    others = {"experiment": "ner/conll2003", "model_dir": "none"}
    del others[flag]
    result = binaries.run(
        "tasks.train", *(f"--{name}={value}" for name, value in others.items())
    )
    binaries.check_mistake(
        result, "train", f"flag --{flag}=None: Flag --{flag} must have a value"
    )
