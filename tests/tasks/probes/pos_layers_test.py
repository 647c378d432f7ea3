"""Parts of speech by layer from the flags to the table."""

import json
import os

import pytest

from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks.pos import tiny_training


def options(folder, **more):
    values = {
        **tiny_training.options(folder, folder / "bilm"),
        "trainer.train_epochs": 1,
        "trainer.validation_interval": 5,
        **more,
    }
    parts = []
    for name, value in values.items():
        if isinstance(value, dict):
            parts += [f"{name}.{key}={item}" for key, item in value.items()]
        else:
            parts.append(f"{name}={value}")
    return ",".join(parts)


def run(folder, *arguments, **more):
    return binaries.run(
        "tasks.probes.pos_layers",
        f"--output={folder}/layers",
        f"--params_override={options(folder, **more)}",
        *arguments,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pos_layers")
    tiny_training.write_data(folder)
    tiny_elmo.export(folder / "bilm")
    return folder


@pytest.mark.slow
def test_each_layer_and_the_mix(data):
    arguments = ["--seeds=1,2", "--layers=2,1,all"]
    result = run(data, *arguments)
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    found = json.loads(line)
    assert (found["metric"], found["column"]) == ("accuracy", "upos")
    # Each word of the tiny data has one tag.
    assert found["baseline"]["validation"]["accuracy"] == 1.0
    assert found["baseline"]["test"] is None
    variants = found["variants"]
    assert list(variants) == ["layer_2", "layer_1", "all"]
    folder = data / "layers"
    for name, variant in variants.items():
        recorded = json.loads((folder / name / "results.json").read_text())
        assert variant["validation"] == recorded["validation"]
        assert len(variant["validation"]["accuracy"]["values"]) == 2
    assert "s" not in variants["layer_1"]["elmo"]["input"]
    assert sum(variants["all"]["elmo"]["input"]["s"]) == pytest.approx(1)
    difference = found["first_against_highest"]
    assert (difference["highest"], difference["split"]) == (2, "validation")
    first, highest = (
        variants[name]["validation"]["accuracy"]
        for name in ("layer_1", "layer_2")
    )
    assert difference["values"] == pytest.approx(
        [a - b for a, b in zip(first["values"], highest["values"], strict=True)]
    )
    assert difference["mean"] == pytest.approx(first["mean"] - highest["mean"])
    assert [row.split("|")[1].strip() for row in table[2:6]] == [
        *("most frequent tag", "layer 2", "layer 1", "all"),
    ]
    n_better = sum(value > 0 for value in difference["values"])
    assert f"layer 1 is the better one with {n_better} of 2 seeds" in table[-1]
    assert sorted(os.listdir(folder)) == [
        *("all", "all.log", "layer_1", "layer_1.log", "layer_2"),
        *("layer_2.log", "layers.png", "table.md"),
    ]
    page = (folder / "table.md").read_text()
    assert "\n".join(table) in page
    assert f"python -m tasks.probes.pos_layers --output={folder} " in page
    assert "over the seeds 1, 2, in %" in page

    # Once more: nothing is trained, the same comes out.
    again = run(data, *arguments)
    assert again.returncode == 0, again.stderr
    assert again.stdout == result.stdout
    assert "training" not in again.stderr


def test_help_lists_every_flag():
    result = binaries.run("tasks.probes.pos_layers", "--help")
    for flag in ("output", "params_override", "seeds", "layers"):
        assert f"--{flag}:" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--seeds=1,x"], "--seeds: found 'x', expected whole numbers from 0"),
        (["--seeds=1,1"], "--seeds: found 1 twice"),
        (["--layers=0,0"], "--layers: found 0 twice"),
        (["--layers=3"], "--layers: found '3', expected some of 0, 1, 2, all"),
        (["--layers="], "--layers: is empty, expected some of 0, 1, 2, all"),
        (
            ["--params_override=task.elmo.layers=1"],
            "--params_override: found task.elmo.layers, but --layers says that",
        ),
        (
            ["--params_override=task.colum=upos"],
            "--params_override: unknown option task.colum; did you mean ",
        ),
    ],
)
def test_wrong_flags(data, arguments, message):
    before = sorted(os.listdir(data))
    result = run(data, *arguments)
    binaries.check_mistake(result, "pos_layers", message)
    assert sorted(os.listdir(data)) == before


@pytest.mark.parametrize("split", ["train", "validation"])
def test_missing_data(data, tmp_path, split):
    result = run(
        data,
        f"--output={tmp_path}/layers",
        **{f"task.{split}_data": {"input_path": "''"}},
    )
    binaries.check_mistake(
        result, "pos_layers", f"task.{split}_data.input_path is not set"
    )
    assert not os.listdir(tmp_path)
