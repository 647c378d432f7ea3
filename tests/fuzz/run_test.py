"""The fuzzer by coverage runs, and writes down what it meets."""

import json
import subprocess
import sys

import pytest

from tests.binaries import program_environment
from tests.fuzz import run
from tests.fuzz.fuzz_target import FuzzTarget
from tests.fuzz.run_target import REPOSITORY
from tests.fuzz.run_target import STATISTICS_FILE_NAME
from tests.fuzz.run_target import Recorder


def test_what_is_raised_is_written_down_once(tmp_path):
    def refuse(data):
        if data.startswith(b"bad"):
            raise KeyError(data)

    recorder = Recorder(FuzzTarget("name", refuse, lambda: [b"good"]), tmp_path)
    for data in (b"good", b"bad 1", b"bad 2"):
        recorder.run(data)
    statistics = json.loads((tmp_path / STATISTICS_FILE_NAME).read_text())
    (place,) = statistics["raised"]
    assert place.startswith("KeyError at tests/fuzz/run_test.py:")
    (found,) = tmp_path.glob("raised-*")
    assert found.read_bytes() == b"bad 1"


@pytest.mark.slow
def test_a_target_runs_for_its_time(tmp_path):
    pytest.importorskip("atheris")
    process = subprocess.run(
        [
            *(sys.executable, "-m", run.__name__, "--target=vocabulary"),
            *("--minutes=0.1", f"--corpus_dir={tmp_path / 'corpus'}"),
            f"--findings_dir={tmp_path / 'findings'}",
        ],
        env=program_environment(),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
    )
    lines = process.stdout.splitlines()
    result = json.loads(lines[0])
    assert result["target"] == "vocabulary"
    assert result["findings"] == []
    assert result["executions"] > 100
    assert lines[-1].startswith("| vocabulary | ")
    assert process.returncode == 0
    # What covers more than the samples is kept.
    assert len(list((tmp_path / "corpus" / "vocabulary").iterdir())) > 1
