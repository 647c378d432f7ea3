"""The quickstart from end to end, with a few steps, run as a user runs it."""

import json
import os
import subprocess
import sys

import pytest

from elmo_tf.embedder import Elmo


def run_binary(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "elmo_tf.quickstart", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            # As a binary sets it where the user has not.
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )


@pytest.mark.slow
def test_from_end_to_end(tmp_path):
    result = run_binary(tmp_path, "--output_dir=out", "--train_steps=30")
    assert result.returncode == 0, result.stderr
    headings = [
        line for line in result.stdout.splitlines() if line.startswith("[")
    ]
    assert [line[:5] for line in headings] == [f"[{i}/6]" for i in range(1, 7)]
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        "heldout.txt",
        "layer_similarities.png",
        "model",
        "results.json",
        "saved_model",
        "train.txt",
        "training_curve.png",
        "vocab.txt",
    ]
    results = json.loads((out / "results.json").read_text())
    n_words = len((out / "vocab.txt").read_text().splitlines())
    before = results["before"]["average_perplexity"]
    # Without training every word is about as likely as any other.
    assert 0.8 * n_words < before < 1.2 * n_words
    assert results["after"]["average_perplexity"] < before
    (vectors,) = Elmo(out / "saved_model").embed(["A call is made."])
    assert vectors.shape == (3, 5, 128)

    again = run_binary(tmp_path, "--output_dir=out", "--train_steps=30")
    assert again.returncode == 0, again.stderr
    lines = again.stdout.splitlines()
    assert lines[0] == "out: all is done already; remove it to start anew."
    assert lines[1:] == result.stdout.splitlines()[-len(lines) + 1 :]

    fewer = run_binary(tmp_path, "--output_dir=out", "--train_steps=29")
    assert fewer.returncode == 2
    assert fewer.stderr == (
        "quickstart.py: error: --train_steps=29: the model in out has 30 steps "
        "already; use another --output_dir\n"
    )

    more = run_binary(tmp_path, "--output_dir=out", "--train_steps=32")
    assert more.returncode == 0, more.stderr
    results = json.loads((out / "results.json").read_text())
    assert results["train_steps"] == 32
