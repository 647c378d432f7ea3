"""The binary of ensembles, run as a user runs it."""

import json
import os
import shutil

import pytest

from tests import binaries
from tests.tasks import tiny_ner


def run(*arguments):
    return binaries.run("tasks.ensemble", *arguments)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """A training with two seeds, the second without ELMo or characters."""
    training = tiny_ner.train(
        tmp_path_factory.mktemp("seeds"), "seeds=[1],trainer.train_epochs=4"
    )
    assert training.result.returncode == 0, training.result.stderr
    result = binaries.run(
        "tasks.train",
        "--experiment=ner/conll2003",
        f"--model_dir={training.model_dir}/seed_2",
        f"--params_override={tiny_ner.options(training.folder)},"
        "runtime.seed=2,task.elmo.location=none,trainer.train_epochs=3,"
        "task.character_encoder.filters=0",
    )
    assert result.returncode == 0, result.stderr
    return training


def values(result):
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
def test_seeds_are_members(seeds, tmp_path):
    """Measured, and written: the same answers, of other sentences too."""
    found = values(
        run(f"--model_dir={seeds.model_dir}", f"--input_path={seeds.test}")
    )
    members = [f"--model_dir={seeds.model_dir}/seed_{n}" for n in (1, 2)]
    same = values(run(*members, f"--input_path={seeds.test}"))
    assert found == same
    assert found["members"] == 2 and found["phrases"] == 6
    output = tmp_path / "output.txt"
    written = values(
        run(
            *members,
            f"--input_path={seeds.test}",
            "--mode=predict",
            f"--output={output}",
            "--batch_size=1",
        )
    )
    assert written == {"members": 2, "examples": 3}
    result = binaries.run("tasks.ner.metrics", output)
    scores = json.loads(result.stdout)
    assert [scores[name] for name in ("precision", "recall", "f1")] == [
        found[name] for name in ("precision", "recall", "f1")
    ]
    # Whichever comes first, though the members themselves differ.
    assert values(run(*members[::-1], f"--input_path={seeds.test}")) == found
    alone = [
        binaries.run("tasks.evaluate", member, f"--input_path={seeds.test}")
        for member in members
    ]
    assert values(alone[0]) != values(alone[1])


@pytest.mark.slow
def test_other_labels(seeds, training, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(training.model_dir, "one")
    shutil.copytree(training.model_dir, "two")
    params = (tmp_path / "two" / "params.yaml").read_text()
    (tmp_path / "two" / "params.yaml").write_text(
        params.replace("encoding: BIOUL", "encoding: BIO")
    )
    shape = json.loads((tmp_path / "one" / "task.json").read_text())
    shape["state"]["classes"][0] = "XYZ"
    (tmp_path / "one" / "task.json").write_text(json.dumps(shape))
    (tmp_path / "one" / "SHA256SUMS").unlink()
    result = run(
        "--model_dir=one",
        f"--model_dir={seeds.model_dir}/seed_1",
        f"--input_path={training.test}",
    )
    assert result.returncode == 2
    assert f"error: {seeds.model_dir}/seed_1: found the labels O, B-LOC" in (
        result.stderr
    )
    assert "expected O, B-XYZ" in result.stderr
    assert result.stderr.rstrip().endswith("as in one")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--model_dir=one"],
            "--model_dir: found 1 member, one, expected two or more",
        ),
        (
            ["--model_dir=one", "--model_dir=two", "--model_dir=./one"],
            "--model_dir: ./one occurs twice",
        ),
        (
            ["--model_dir=one", "--model_dir=two"],
            "one: not the folder of a task's training",
        ),
        (
            ["--model_dir=one", "--model_dir=two", "--mode=predict"],
            "--output and --mode=predict go together",
        ),
        (
            ["--model_dir=one", "--model_dir=two", "--output=x"],
            "--output and --mode=predict go together",
        ),
        (
            [
                *("--model_dir=one", "--model_dir=two"),
                "--n_best_output=best.json",
            ],
            "--n_best_output: expected with --mode=predict only",
        ),
        (
            [
                *("--model_dir=one", "--model_dir=two", "--mode=predict"),
                *("--output=x", "--n_best_output=x"),
            ],
            "--n_best_output=x: expected another file than in --output=x",
        ),
        (
            [
                *("--model_dir=one", "--model_dir=two"),
                *("--mode=predict", "--output=input.txt"),
            ],
            "--output=input.txt: is one of the input files",
        ),
    ],
)
def test_mistakes(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.txt").write_text("a O\n")
    os.mkdir("one")
    result = run("--input_path=input.txt", *arguments)
    binaries.check_mistake(result, "ensemble", message)
    assert sorted(os.listdir(tmp_path)) == ["input.txt", "one"]
