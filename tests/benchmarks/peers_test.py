"""The peers' environments and workers, as far as one can see without them."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest

from benchmarks.systems import PEERS

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "benchmarks"


def run_script(*arguments, **variables):
    return subprocess.run(
        ["sh", FOLDER / "peers.sh", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    "file", [FOLDER / "__init__.py", *sorted((FOLDER / "peers").glob("*.py"))]
)
def test_the_workers_are_python_3_7(file):
    ast.parse(file.read_text("utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize("peer", PEERS)
def test_every_peer_has_a_worker_and_its_distributions_pinned(peer):
    assert (FOLDER / "peers" / f"{peer}_worker.py").exists()
    lines = (FOLDER / "peers" / f"{peer}.txt").read_text().splitlines()
    assert lines[0].startswith("# ")
    for line in lines[1:]:
        assert re.fullmatch(r"[\w.-]+==[\w.]+", line)


def test_a_python_that_is_not_there(tmp_path):
    result = run_script(tmp_path, "bilm_tf", PYTHON_BILM_TF="/no/python3.7")
    assert result.stderr == (
        "peers.sh: error: bilm_tf needs Python 3.7, but /no/python3.7 does not "
        "run; install it, or name another: "
        f"PYTHON_BILM_TF=/path/to/python3.7 {FOLDER / 'peers.sh'}\n"
    )
    assert result.returncode == 1
    assert not list(tmp_path.iterdir())


def test_a_python_of_another_version(tmp_path):
    result = run_script(tmp_path, "bilm_tf", PYTHON_BILM_TF=sys.executable)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert result.stderr.startswith(
        f"peers.sh: error: bilm_tf needs Python 3.7, but {sys.executable} is "
        f"{version}; install it, or name another: PYTHON_BILM_TF="
    )
    assert result.returncode == 1


def test_a_peer_that_is_not_known(tmp_path):
    result = run_script(tmp_path, "elmo")
    assert result.stderr == (
        "peers.sh: error: there is no environment elmo, only elmo_tf, "
        "simple_elmo, bilm_tf and allennlp\n"
    )
    assert result.returncode == 1


def test_an_environment_of_the_same_pins_is_left_alone(tmp_path):
    environment = tmp_path / "bilm_tf"
    environment.mkdir()
    pins = (FOLDER / "peers" / "bilm_tf.txt").read_text()
    (environment / "installed.txt").write_text(pins)
    result = run_script(tmp_path, "bilm_tf", PYTHON_BILM_TF="/no/python3.7")
    assert result.stdout == f"{environment} is there already\n"
    assert result.returncode == 0
