"""The binary that measures a trained task model, run as a user runs it."""

import gzip
import json
import os
import shutil

import pytest

from tests import binaries
from tests.tasks import tiny_elmo


def run(*arguments):
    return binaries.run("tasks.evaluate", *arguments)


def evaluate(model_dir, input_path, *arguments):
    result = run(
        f"--model_dir={model_dir}", f"--input_path={input_path}", *arguments
    )
    assert result.returncode == 0, result.stderr
    # One line.
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout), result.stderr


@pytest.mark.slow
def test_the_best_validation_again(training, tmp_path):
    """The validation's file gives the validation's numbers."""
    found, stderr = evaluate(training.model_dir, training.test)
    results = json.loads((training.model_dir / "results.json").read_text())
    expected = results["validation"]
    del expected["step"]
    assert found == expected
    # Its layers are kept from the training: nothing is computed.
    (line,) = stderr.splitlines()
    assert line.startswith("example 3/3 | ")


@pytest.mark.slow
def test_gzip_in_single_sentences(training, tmp_path):
    packed = tmp_path / "test.gz"
    packed.write_bytes(gzip.compress(training.test.read_bytes()))
    expected, _ = evaluate(training.model_dir, training.test)
    found, _ = evaluate(training.model_dir, packed, "--batch_size=1")
    assert found == pytest.approx(expected)


@pytest.mark.slow
def test_another_bilm(training, copy, tmp_path):
    """A biLM that has changed since; then one that is gone."""
    elmo = tmp_path / "bilm"
    config = (copy / "params.yaml").read_text(encoding="utf-8")
    (copy / "params.yaml").write_text(
        config.replace(str(training.elmo), str(elmo)), encoding="utf-8"
    )
    arguments = [f"--model_dir={copy}", f"--input_path={training.test}"]
    tiny_elmo.export(elmo, seed=1)
    binaries.check_mistake(
        run(*arguments),
        "evaluate",
        f"{elmo}: is another biLM than the one that the task model was trained "
        "with",
    )
    shutil.rmtree(elmo)
    binaries.check_mistake(
        run(*arguments), "evaluate", f"{elmo}: no such folder"
    )
    # The same one may lie elsewhere.
    shutil.copytree(training.elmo, elmo)
    found, _ = evaluate(copy, training.test)
    assert found == evaluate(training.model_dir, training.test)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, message",
    [
        (
            "Ann B-PER\n\nin O\nRio B-CITY\n",
            "input.txt:4: found an entity of the class CITY, expected one of "
            "the training data's: LOC, MISC, ORG, PER",
        ),
        ("Ann\n", "input.txt:1: found 'Ann', expected a tag: "),
        ("", "input.txt: empty file, expected one token a line "),
        (None, "input.txt: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_in_the_data(training, tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "input.txt").write_text(text)
    result = run(f"--model_dir={training.model_dir}", "--input_path=input.txt")
    binaries.check_mistake(result, "evaluate", message)


def replace(name, old, new):
    def damage(folder):
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return damage


def remove(name):
    def damage(folder):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def append_a_word(folder):
    with open(folder / "vocab.txt", "a", encoding="utf-8") as file:
        file.write("another\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage, message",
    [
        (remove("task.json"), "copy: not the folder of a task's training"),
        (
            replace("task.json", "{", "["),
            "copy/task.json: expected the shape of a task model, found ",
        ),
        (
            replace("task.json", "vocabulary_size", "size"),
            "copy/task.json: expected the shape of a task model, found ",
        ),
        (remove("params.yaml"), "[Errno 2] No such file or directory: 'copy/"),
        (
            replace("params.yaml", "lstm_units", "units"),
            "copy/params.yaml: task.units: ",
        ),
        (
            replace("params.yaml", "name: ner", "name: nerd"),
            "copy/params.yaml: unknown task 'nerd'",
        ),
        (
            replace("params.yaml", "task:", "tasks:"),
            "copy/params.yaml: not the configuration of a task",
        ),
        (remove("vocab.txt"), "copy/vocab.txt: "),
        (
            append_a_word,
            "copy/vocab.txt: found 16 words, expected 15 as in training",
        ),
        (remove("best"), "copy/best: no such folder"),
    ],
)
def test_a_damaged_folder(
    training, copy, tmp_path, monkeypatch, damage, message
):
    monkeypatch.chdir(tmp_path)
    damage(copy)
    result = run("--model_dir=copy", f"--input_path={training.test}")
    binaries.check_mistake(result, "evaluate", message)


@pytest.mark.slow
def test_weights_of_another_shape(training, copy):
    replace("params.yaml", "filters: 4", "filters: 5")(copy)
    result = run(f"--model_dir={copy}", f"--input_path={training.test}")
    # TensorFlow has something to say too.
    assert (
        f"evaluate.py: error: {copy}/best/ckpt-" in result.stderr
        and "the checkpoint is damaged or does not fit the model"
        in result.stderr
    )
    assert result.returncode == 2
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model_dir=none"], "none: not the folder of a task's training"),
        (["--model_dir=."], ".: not the folder of a task's training"),
        (["--batch_size=0"], "flag --batch_size=0: "),
        (["--modeldir=x"], "Unknown command line flag 'modeldir'"),
        (["extra"], "unexpected argument 'extra'; every option is a flag"),
        (None, "flag --input_path=None: Flag --input_path must have a value"),
    ],
)
def test_wrong_flags(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    if arguments is not None:
        arguments = ["--input_path=x", *arguments]
    result = run("--model_dir=none", *(arguments or []))
    binaries.check_mistake(result, "evaluate", message)
    assert os.listdir(tmp_path) == []
