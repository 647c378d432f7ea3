"""The benchmark of pre-training from its flags to its JSON, on a tiny biLM."""

import json
import pathlib
import sys

import numpy as np
import pytest

from benchmarks import training_setting
from benchmarks.parts import training_loss
from tests import binaries

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

TINY = (
    "--size=tiny",
    "--batch_size=4",
    "--unroll_steps=5",
    "--negatives=16",
    "--vocabulary_size=60",
    "--repeats=1",
    "--block_steps=1",
    "--dtypes=float32",
)

# In the place of the peer: it needs no TensorFlow and learns nothing.
STRANGER = """\
import json
import sys
sys.path.insert(0, {repository!r})
sys.argv[1:] = sys.argv[-1:]
from benchmarks.peers import worker

class Stranger:
    def __init__(self, options, vocab_file, **files):
        self.loss = len(open(vocab_file).read().split())

    def answer_train(self, steps):
        return {{"seconds": 2.0 * steps, "losses": [self.loss] * steps}}

    def answer_memory(self):
        return {{"peak_bytes": worker.peak_bytes()}}

worker.serve(Stranger, {{"stranger": "1"}})
"""


def run(*flags):
    return binaries.run("benchmarks.pretraining", *flags)


def test_help_lists_every_flag():
    result = run("--help")
    for flag in ("parts", "peers", "input_path", "loss_steps", "picture"):
        assert f"--{flag}:" in result.stdout
    assert "benchmarks/peers.sh" in result.stdout


@pytest.mark.parametrize(
    "flags, message",
    [
        (
            ["--parts=speed,memory"],
            "--parts: found 'memory', expected some of speed, vocabulary, loss",
        ),
        (
            ["--peers=allennlp"],
            "--peers: found 'allennlp', expected some of bilm_tf",
        ),
        (
            ["--dtypes="],
            "--dtypes: is empty, expected some of float32, bfloat16",
        ),
        (
            ["--vocabulary_sizes=10k"],
            "--vocabulary_sizes: found '10k', expected whole numbers from 4 on",
        ),
        (
            ["--vocabulary_sizes=10000,100"],
            "--negatives: found 8192, expected at most --vocabulary_sizes, 100",
        ),
        (
            ["--parts=speed", "--negatives=9", "--vocabulary_size=8"],
            "--negatives: found 9, expected at most --vocabulary_size, 8",
        ),
        (
            ["--input_path=nowhere.txt"],
            "--input_path=nowhere.txt: no such file",
        ),
        (["--picture=losses.png"], "--picture: needs the part `loss`"),
    ],
)
def test_wrong_flags(flags, message, tmp_path):
    result = run(*flags)
    assert result.returncode == 2
    assert result.stderr.strip().endswith(message)
    assert not result.stdout


def test_peer_without_environment(tmp_path):
    result = run(*TINY, f"--environments={tmp_path}", "--sentences=60")
    assert result.returncode == 2
    assert f"--environments={tmp_path}: has no bilm_tf" in result.stderr


def stranger(folder):
    """A folder of environments in which the peer is the above."""
    python = folder / "environments" / "bilm_tf" / "bin" / "python"
    python.parent.mkdir(parents=True)
    script = folder / "stranger.py"
    script.write_text(STRANGER.format(repository=str(REPOSITORY)))
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
    python.chmod(0o755)
    return folder / "environments"


@pytest.mark.slow
def test_all_parts(tmp_path):
    picture = tmp_path / "losses.png"
    output = tmp_path / "result.json"
    result = run(
        *TINY,
        "--parts=speed,vocabulary,loss",
        "--vocabulary_sizes=40,60",
        "--loss_steps=3",
        "--sentences=60",
        f"--environments={stranger(tmp_path)}",
        f"--picture={picture}",
        f"--output={output}",
    )
    assert result.returncode == 0, result.stderr
    *tables, last = result.stdout.splitlines()
    found = json.loads(last)
    assert json.loads(output.read_text()) == found
    assert picture.read_bytes().startswith(b"\x89PNG")

    speed = found["speed"]["systems"]
    assert set(speed) == {"elmo_tf float32", "bilm_tf"}
    assert speed["bilm_tf"]["seconds_per_step"] == 2.0
    assert speed["bilm_tf"]["tokens_per_second"] == 10.0
    ours = speed["elmo_tf float32"]
    assert found["speed"]["times_faster"] == {
        "bilm_tf": {
            "elmo_tf float32": pytest.approx(2.0 / ours["seconds_per_step"])
        }
    }
    assert min(system["peak_bytes"] for system in speed.values()) > 1e6

    growth = found["vocabulary"]["elmo_tf float32"]
    assert list(growth["seconds_per_step"]) == ["40", "60"]
    assert growth["largest_over_smallest"] >= 1.0

    loss = found["loss"]
    # Sampled from 16 words and the right one, before anything is learnt.
    first, *_ = loss["losses"]["elmo_tf float32"]
    assert 2.0 < first < 6.0
    assert loss["losses"]["bilm_tf"] == [60.0] * 3
    assert loss["largest_smoothed_difference"] == {
        "elmo_tf float32 and bilm_tf": pytest.approx(
            60.0 - np.mean(loss["losses"]["elmo_tf float32"])
        )
    }
    for title in ("tiny, 60 words", "times the fastest", "loss up to step"):
        assert any(title in line for line in tables)


def test_losses_are_smoothed_over_25_steps():
    losses = np.arange(100.0)
    smooth = training_loss.smoothed(losses)
    assert len(smooth) == 76
    np.testing.assert_allclose(smooth[[0, -1]], [12.0, 87.0])
    np.testing.assert_allclose(training_loss.smoothed([1.0, 3.0]), [2.0])


def test_distinct_words_of_both_directions(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("a b c d\na a b b\n")
    assert training_setting.mean_distinct_words(path, 2) == 3.0
