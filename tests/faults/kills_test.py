"""A few kills; `python -m tests.faults.kills` makes as many as one likes."""

import json
import subprocess
import sys

import pytest

from tests import binaries
from tests.faults import contents

pytestmark = pytest.mark.slow


def test_nothing_is_lost(tmp_path):
    command = [
        *(sys.executable, "-m", "tests.faults.kills", "--kills=9"),
        "--binary=elmo_tf.train,tasks.train,elmo_tf.embed",
        *("--most_kills=3", f"--workdir={tmp_path}"),
    ]
    for n_trials in (3, 0):
        result = subprocess.run(
            command,
            env=binaries.program_environment(),
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        assert result.stdout.count("nothing lost") >= n_trials
        # The second time all are done.
        command[3] = "--kills=1"
    summary = json.loads(result.stdout.splitlines()[-1])
    assert sum(row["kills"] for row in summary.values()) >= 9
    assert [row["losses"] for row in summary.values()] == [0, 0, 0]
    lines = (tmp_path / "trials.jsonl").read_text().splitlines()
    assert len(lines) == sum(row["trials"] for row in summary.values())
    assert list(tmp_path.glob("trials/*")) == []


def test_a_loss_is_seen(tmp_path):
    """What the checks look at: a leftover, a part, another value."""
    (tmp_path / "vocab.txt").write_text("a")
    before = contents.read_contents(tmp_path)
    assert list(before) == ["vocab.txt"]
    assert contents.find_leftovers(tmp_path) == []
    (tmp_path / "vocab.txt").write_text("b")
    assert contents.read_contents(tmp_path) != before
    (tmp_path / ".partial-vocab.txt-1").mkdir()
    (tmp_path / "ckpt-3.index").write_text("")
    assert list(contents.read_contents(tmp_path)) == ["vocab.txt"]
    assert contents.find_leftovers(tmp_path) == [
        f"{tmp_path}/.partial-vocab.txt-1",
        f"{tmp_path}/ckpt-3.index",
    ]
