"""The binary that draws what weights of layers were learnt."""

import json

import pytest

from tests import binaries
from tests.tasks.reporting.run_folders import write_run


def run(folder, *arguments):
    return binaries.run(
        "tasks.probes.learned_weights",
        f"--runs={folder}/runs",
        f"--output={folder}/weights.png",
        *arguments,
    )


def test_weights(tmp_path):
    write_run(
        tmp_path / "runs" / "a",
        elmo={"elmo_input": {"gamma": 0.5, "s": [0.5, 0.25, 0.25]}},
    )
    result = run(tmp_path)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "probe": "learned_weights",
        "weights": [
            {
                "task": "ner",
                "runs": "a",
                "seeds": [1],
                "place": "input",
                "gamma": 0.5,
                "s": [0.5, 0.25, 0.25],
            }
        ],
    }
    picture = (tmp_path / "weights.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


@pytest.mark.parametrize("elmo", [{}, {"elmo_input": {"gamma": 1.0}}])
def test_no_weights(tmp_path, elmo):
    write_run(tmp_path / "runs" / "a", elmo=elmo)
    result = run(tmp_path)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == (
        f"learned_weights.py: error: {tmp_path}/runs: found no run that has "
        "learnt weights of layers, expected one with task.elmo.layers=all"
    )
    assert not (tmp_path / "weights.png").exists()
