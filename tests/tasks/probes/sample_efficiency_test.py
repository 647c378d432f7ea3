"""Parts of the training data from the flags to the table."""

import json
import os

import pytest

from elmo_tf.training.overrides import read_overrides
from tasks.probes.fractions_picture import draw_fractions
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner


def run(folder, *arguments, more=""):
    return binaries.run(
        "tasks.probes.sample_efficiency",
        "--experiment=ner/conll2003",
        f"--output={folder}/parts",
        f"--params_override={tiny_ner.options(folder)}{more}",
        *arguments,
    )


@pytest.fixture
def data(tmp_path):
    tiny_ner.write_data(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_two_fractions(data):
    tiny_elmo.export(data / "bilm")
    arguments = ["--fractions=0.2,1", "--seeds=1,2", "--least_steps=6"]
    more = f",task.test_data.input_path={data}/test.txt"
    result = run(data, *arguments, more=more)
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    found = json.loads(line)
    assert found["metric"] == "f1"
    folder = data / "parts"
    names = ["elmo_0.2", "elmo_1", "none_0.2", "none_1"]
    assert sorted(os.listdir(folder)) == sorted(
        [
            *names,
            *(f"{name}.log" for name in names),
            *("sample_efficiency.png", "table.md"),
        ]
    )
    for name in names:
        kind, _, fraction = name.partition("_")
        recorded = json.loads((folder / name / "results.json").read_text())
        assert found["found"][kind][fraction]["test"] == recorded["test"]
        part = folder / name / "seed_2"
        # One of the four sentences, then all, two a step.
        n_steps = json.loads((part / "results.json").read_text())["steps"]
        assert n_steps == 6
        path = str(part / "params.yaml")
        trainer = read_overrides(path, path)["trainer"]
        assert trainer["train_epochs"] == {"0.2": 6, "1": 3}[fraction]
    for updates in found["updates_to_the_best_without_elmo"].values():
        assert updates["none"] <= 6
    assert table[0].startswith("| training data | validation f1 |")
    assert [row.split("|")[1].strip() for row in table[2:]] == ["20 %", "100 %"]
    assert "\n".join(table) in (folder / "table.md").read_text()

    again = run(data, *arguments, more=more)
    assert again.stdout == result.stdout
    assert "training" not in again.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--fractions=0.1,0"],
            "--fractions: found '0', expected numbers abov",
        ),
        (["--fractions=2"], "--fractions: found '2', expected numbers above 0"),
        (["--fractions=x"], "--fractions: found 'x', expected numbers above 0"),
        (["--fractions="], "--fractions: is empty, expected numbers up to 1"),
        (["--fractions=0.1,0.10"], "--fractions: found 0.1 twice"),
        (["--seeds=1,1"], "--seeds: found 1 twice"),
        (["--seeds=x"], "--seeds: found 'x', expected whole numbers from 0 on"),
        (
            ["--params_override=task.train_fraction=0.5"],
            "--params_override: found task.train_fraction, but --fractions sa",
        ),
        (
            ["--params_override=task.elmo.location=none"],
            "--params_override: found task.elmo.location=none, expected a plac",
        ),
        (["--params_override="], "task.train_data.input_path is not set"),
    ],
)
def test_wrong_flags(tmp_path, arguments, message):
    result = run(tmp_path, *arguments)
    binaries.check_mistake(result, "sample_efficiency", message)
    assert not os.listdir(tmp_path)


def test_help_lists_every_flag():
    result = binaries.run("tasks.probes.sample_efficiency", "--help")
    names = ("experiment", "output", "params_override", "seeds", "fractions")
    for flag in (*names, "least_steps"):
        assert f"--{flag}:" in result.stdout


@pytest.mark.parametrize("has_test", [True, False])
def test_picture(tmp_path, has_test):
    def part(mean, deviation):
        summary = {"mean": mean, "standard_deviation": deviation}
        return {
            "validation": {"f1": summary},
            "test": {"f1": summary} if has_test else None,
        }

    path = tmp_path / "a.png"
    found = {
        "none": {"0.01": part(0.2, None), "1": part(0.4, 0.02)},
        "elmo": {"0.01": part(0.3, 0.01), "1": part(0.5, 0.02)},
    }
    draw_fractions(path, found, "f1")
    assert path.read_bytes().startswith(b"\x89PNG")
