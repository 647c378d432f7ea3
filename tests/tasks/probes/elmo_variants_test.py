"""The variants of a task model from the flags to the table."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tasks.probes.variants_picture import draw_variants
from tests import binaries
from tests.tasks import tiny_elmo
from tests.tasks import tiny_ner


def flags(folder, more=""):
    return [
        "--experiment=ner/conll2003",
        f"--output={folder}/variants",
        f"--params_override={tiny_ner.options(folder)}{more}",
    ]


def run(folder, *arguments, more=""):
    return binaries.run(
        "tasks.probes.elmo_variants", *flags(folder, more), *arguments
    )


@pytest.fixture
def data(tmp_path):
    tiny_ner.write_data(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_all_variants(data):
    tiny_elmo.export(data / "bilm")
    arguments = [
        *("--seeds=1,2", "--lambdas=0.5"),
        "--variants=none,top,all_0.5,output",
    ]
    result = run(data, *arguments)
    assert result.returncode == 0, result.stderr
    *table, line = result.stdout.splitlines()
    found = json.loads(line)
    assert (found["metric"], found["seeds"]) == ("f1", [1, 2])
    variants = found["variants"]
    assert list(variants) == ["none", "top", "all_0.5", "output"]
    folder = data / "variants"
    for name, variant in variants.items():
        assert len(variant["validation"]["f1"]["values"]) == 2
        assert variant["test"] is None
        recorded = json.loads((folder / name / "results.json").read_text())
        assert variant["validation"] == recorded["validation"]
    # γ alone, and γ with a weight for each layer.
    n_parameters = {
        name: variant["trainable_parameters"]
        for name, variant in variants.items()
    }
    assert n_parameters["all_0.5"] - n_parameters["top"] == tiny_elmo.N_LAYERS
    assert variants["none"]["elmo"] == {}
    assert variants["top"]["elmo"]["input"].keys() == {"gamma"}
    for name, place in (("all_0.5", "input"), ("output", "output")):
        assert variants[name]["elmo"].keys() == {place}
        assert sum(variants[name]["elmo"][place]["s"]) == pytest.approx(1)
    assert sorted(os.listdir(folder)) == [
        *("all_0.5", "all_0.5.log", "none", "none.log", "output"),
        *("output.log", "table.md", "top", "top.log", "variants.png"),
    ]
    page = (folder / "table.md").read_text()
    assert "\n".join(table) in page
    assert (
        "python -m tasks.probes.elmo_variants --experiment=ner/conll2003 "
        f"--output={folder} " in page
    )
    assert "over the seeds 1, 2, in %" in page

    # Once more: nothing is trained, the same comes out.
    os.remove(folder / "table.md")
    logs = [(folder / f"{name}.log").read_text() for name in variants]
    again = run(data, *arguments)
    assert again.returncode == 0, again.stderr
    assert again.stdout == result.stdout
    assert (folder / "table.md").read_text() == page
    assert logs == [(folder / f"{name}.log").read_text() for name in variants]
    assert "training" not in again.stderr

    # Only some of them; others than the folder's are another comparison.
    some = run(data, *arguments, "--variants=top")
    assert list(json.loads(some.stdout.splitlines()[-1])["variants"]) == ["top"]
    other = run(data, *arguments, more=",trainer.train_epochs=3")
    binaries.check_mistake(
        other,
        "elmo_variants",
        f"{folder}/none/seed_1/params.yaml: found trainer.train_epochs=2.0, "
        "expected 3.0; use another --output",
    )


@pytest.mark.slow
def test_a_mistake_that_the_training_finds(data):
    result = run(data, more=f",task.train_data.input_path={data}/none.txt")
    assert result.returncode == 2
    assert not result.stdout
    *_, line = result.stderr.splitlines()
    assert line == (
        "elmo_variants.py: error: none: tasks.train ended with exit code 2: "
        f"train.py: error: {data}/none.txt: cannot be read: No such file or "
        "directory"
    )


def processes(text):
    """The processes with a text on their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if text in command and "tasks.train" in command:
            found.append(path.parent.name)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc")
def test_the_training_ends_with_the_script(data):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tasks.probes.elmo_variants"),
            *(*flags(data), "--variants=none"),
        ],
        env=binaries.program_environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while not processes(str(data)) and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.1)
        assert len(processes(str(data))) == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 130
        assert not processes(str(data))
    finally:
        process.kill()
        process.wait()


def test_help_lists_every_flag():
    result = binaries.run("tasks.probes.elmo_variants", "--help")
    names = ("experiment", "output", "params_override", "seeds", "variants")
    for flag in (*names, "lambdas"):
        assert f"--{flag}:" in result.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--experiment=x"], "--experiment: unknown experiment 'x'; expected"),
        (["--seeds=1,x"], "--seeds: found 'x', expected whole numbers from 0"),
        (["--seeds="], "--seeds: is empty, expected whole numbers from 0 on"),
        (["--seeds=1,2,1"], "--seeds: found 1 twice"),
        (["--lambdas=0.1,y"], "--lambdas: found 'y', expected numbers from 0"),
        (["--lambdas=1,1"], "--lambdas: found 1 twice"),
        (
            ["--variants=all_0.2"],
            "--variants: found 'all_0.2', expected some of none, top, all_1, "
            "all_0.001, top_without_gamma, input, output, input_and_output",
        ),
        (["--variants="], "--variants: is empty, expected some of none, top"),
        (
            ["--params_override=task.lstm_unit=1"],
            "--params_override: unknown option task.lstm_unit; did you mean ",
        ),
        (["--params_override=seeds=[1]"], "--params_override: found seeds, "),
    ],
)
def test_wrong_flags(tmp_path, arguments, message):
    binaries.check_mistake(run(tmp_path, *arguments), "elmo_variants", message)
    assert not os.listdir(tmp_path)


def test_picture(tmp_path):
    def summary(*values):
        return {
            "f1": {
                "mean": sum(values) / len(values),
                "standard_deviation": 0.1 if len(values) > 1 else None,
                "values": list(values),
            }
        }

    path = tmp_path / "variants.png"
    draw_variants(
        path,
        {
            "none": {"validation": summary(0.2), "test": None},
            "top": {"validation": summary(0.2, 0.4), "test": summary(0.1, 0.3)},
        },
        "f1",
    )
    assert path.read_bytes().startswith(b"\x89PNG")
