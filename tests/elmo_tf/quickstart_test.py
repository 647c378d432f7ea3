"""The quickstart from end to end, with a few steps, run as a user runs it."""

import json

import pytest

from elmo_tf.embedder import Elmo
from tests import binaries


def run(folder, train_steps):
    return binaries.run(
        "elmo_tf.quickstart",
        f"--output_dir={folder}",
        f"--train_steps={train_steps}",
    )


@pytest.mark.slow
def test_from_end_to_end(tmp_path):
    out = tmp_path / "out"
    result = run(out, 30)
    assert result.returncode == 0, result.stderr
    headings = [
        line for line in result.stdout.splitlines() if line.startswith("[")
    ]
    assert [line[:5] for line in headings] == [f"[{i}/7]" for i in range(1, 8)]
    assert sorted(path.name for path in out.iterdir()) == [
        "heldout.txt",
        "layer_similarities.png",
        "model",
        "results.json",
        "saved_model",
        "senses.png",
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
    # Of the words with two senses; this part needs no training.
    accuracies = [
        word["layers"] for word in results["senses"]["accuracies"].values()
    ]
    assert sum(layers[-1] > layers[0] for layers in accuracies) >= 5
    (vectors,) = Elmo(out / "saved_model").embed(["A call is made."])
    assert vectors.shape == (3, 5, 128)

    again = run(out, 30)
    assert again.returncode == 0, again.stderr
    lines = again.stdout.splitlines()
    assert lines[0] == f"{out}: all is done already; remove it to start anew."
    assert lines[1:] == result.stdout.splitlines()[-len(lines) + 1 :]

    binaries.check_mistake(
        run(out, 29),
        "quickstart",
        f"--train_steps=29: the model in {out} has 30 steps already; use "
        "another --output_dir",
    )

    more = run(out, 32)
    assert more.returncode == 0, more.stderr
    results = json.loads((out / "results.json").read_text())
    assert results["train_steps"] == 32

    (out / "results.json").write_text("{}")
    binaries.check_mistake(
        run(out, 32),
        "quickstart",
        f"{out}/results.json: expected the results of a quickstart, found no "
        "number of train_steps",
    )
