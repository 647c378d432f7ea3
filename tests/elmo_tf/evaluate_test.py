"""The binary that measures perplexity, run as a user runs it."""

import json
import math
import os
import shutil

import numpy as np
import pytest

from tests import binaries

KEYS = [
    *("forward_perplexity", "backward_perplexity", "average_perplexity"),
    *("geometric_perplexity", "tokens", "unknown_tokens"),
]


def run(*arguments):
    return binaries.run("elmo_tf.evaluate", *arguments)


def evaluate(model_dir, input_path, *arguments):
    result = run(
        f"--model_dir={model_dir}", f"--input_path={input_path}", *arguments
    )
    assert result.returncode == 0, result.stderr
    # One line.
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout), result.stderr


def test_figures(model_dir, corpus):
    figures, stderr = evaluate(model_dir, corpus.valid, "--block_sentences=3")
    assert list(figures) == KEYS
    forward, backward = (figures[key] for key in KEYS[:2])
    assert 1 < forward < 1000 and 1 < backward < 1000
    assert figures["average_perplexity"] == pytest.approx(
        (forward + backward) / 2
    )
    assert figures["geometric_perplexity"] == pytest.approx(
        math.sqrt(forward * backward)
    )
    with open(corpus.valid, encoding="utf-8") as file:
        sentences = [line.split() for line in file]
    # Each word, and an end for each sentence; "never" and "seen".
    assert figures["tokens"] == sum(len(words) + 1 for words in sentences)
    assert figures["unknown_tokens"] == 2
    tokens = f"{figures['tokens']:,}"
    (line,) = stderr.splitlines()
    assert line.startswith(f"token {tokens}/{tokens} | ")
    again, _ = evaluate(
        model_dir, corpus.valid, "--block_sentences=3", "--batch_size=1"
    )
    for key in KEYS:
        assert again[key] == pytest.approx(figures[key], rel=1e-5)


def test_zero_state_and_single_sentences_are_the_scores(
    model_dir, corpus, elmo
):
    """The same numbers as `Elmo.score` of the SavedModel."""
    figures, _ = evaluate(
        model_dir, corpus.valid, "--block_sentences=1", "--initial_state=zero"
    )
    with open(corpus.valid, encoding="utf-8") as file:
        scores = elmo.score([line.split() for line in file])
    forward = [[*score.forward, score.forward_end] for score in scores]
    backward = [[*score.backward, score.backward_begin] for score in scores]
    for key, values in (
        ("forward_perplexity", forward),
        ("backward_perplexity", backward),
    ):
        expected = np.exp(-np.mean(np.concatenate(values)))
        assert figures[key] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model_dir=none"], "none: no such folder"),
        (["--model_dir=."], ".: holds no checkpoint"),
        (["--model_dir=copy"], "copy/vocab.txt: no <UNK> among 3 tokens, "),
        (["--input_path=none/*"], "none/*: no such file"),
        (
            ["--input_path=empty"],
            "empty: empty file, expected one sentence a line",
        ),
        (["--input_path=latin1"], "latin1:2: byte 0xe9 at position 2 of "),
        (["extra"], "unexpected argument 'extra'; every option is a flag"),
    ],
)
def test_a_mistake_is_one_line(
    model_dir, corpus, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    (tmp_path / "latin1").write_bytes(b"good\nb\xe9\n")
    shutil.copytree(model_dir, "copy")
    (tmp_path / "copy" / "vocab.txt").write_text("<S>\n</S>\na\n")
    before = sorted(os.listdir(tmp_path))
    result = run(
        f"--model_dir={model_dir}", f"--input_path={corpus.valid}", *arguments
    )
    binaries.check_mistake(result, "evaluate", message)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--batch_size=0"], "flag --batch_size=0: "),
        (["--initial_state=x"], "flag --initial_state=x: value should be one "),
        (["--modeldir=x"], "Unknown command line flag 'modeldir'"),
        ([], "flag --input_path=None: Flag --input_path must have a value"),
    ],
)
def test_wrong_flags(arguments, message):
    if arguments:
        arguments = ["--input_path=x", *arguments]
    result = run("--model_dir=x", *arguments)
    binaries.check_mistake(result, "evaluate", message)
