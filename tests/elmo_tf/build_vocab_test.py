"""The binary that builds a vocabulary, run as a user runs it."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from absl.testing import flagsaver

from elmo_tf import build_vocab
from elmo_tf.errors import InputError
from elmo_tf.text.vocabulary import Vocabulary

TEXT = b"the cat saw the dog .\nthe dog saw a bird .\n"


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(gzip.compress(TEXT))
    return f"{tmp_path}/?.txt"


def run_main(**flags):
    """Calls the binary's main in this process with flags set."""
    if not build_vocab.FLAGS.is_parsed():
        build_vocab.FLAGS(["build_vocab"])
    with flagsaver.flagsaver(**flags):
        return build_vocab.main([])


def run_binary(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "elmo_tf.build_vocab", *arguments],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            # As the binary sets it where the user has not.
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )


def test_as_a_program(corpus, tmp_path):
    output = f"{tmp_path}/vocab.txt"
    result = run_binary(
        f"--input_path={corpus}", f"--output={output}", "--min_count=3"
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "size": 7,
        "words": 4,
        "distinct_words": 7,
        "tokens": 24,
        "coverage": 0.75,
    }
    assert Vocabulary.load(output).tokens == [
        *("<S>", "</S>", "<UNK>"),
        *("the", ".", "dog", "saw"),
    ]
    assert result.stderr == "read 0.0 of 0.0 MB | 0:00:00 left\n"


def test_a_mistake_is_one_line(tmp_path):
    result = run_binary(
        f"--input_path={tmp_path}/none.txt", f"--output={tmp_path}/vocab.txt"
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"build_vocab.py: error: {tmp_path}/none.txt: no such file\n"
    )
    assert os.listdir(tmp_path) == []


def test_max_size(corpus, tmp_path, capsys):
    output = f"{tmp_path}/vocab.txt"
    run_main(input_path=corpus, output=output, max_size=5)
    result = json.loads(capsys.readouterr().out)
    assert result["size"] == 5 and result["words"] == 2
    assert result["coverage"] == round(10 / 24, 6)
    assert Vocabulary.load(output).tokens[3:] == ["the", "."]


@pytest.mark.parametrize("output", ["", "none/vocab.txt", "a.txt", "link.txt"])
def test_an_output_that_cannot_be(corpus, tmp_path, output):
    os.symlink("a.txt", tmp_path / "link.txt")
    reason = "expected a file in an existing folder"
    if output in ("a.txt", "link.txt"):
        reason = "is one of the input files"
    with pytest.raises(InputError) as info:
        run_main(input_path=corpus, output=f"{tmp_path}/{output}")
    assert str(info.value) == f"--output={tmp_path}/{output}: {reason}"
    assert (tmp_path / "a.txt").read_bytes() == TEXT


@pytest.mark.parametrize(
    "flags, message",
    [
        ({"min_count": 0}, "min_count: found 0, expected at least 1"),
        ({"max_size": 1}, "max_size: found 1, expected at least 4"),
        ({"min_count": 9}, "no word occurs 9 times or more"),
    ],
)
def test_nothing_is_written_after_a_mistake(corpus, tmp_path, flags, message):
    output = tmp_path / "vocab.txt"
    with pytest.raises(InputError, match=message):
        run_main(input_path=corpus, output=str(output), **flags)
    assert not output.exists()


def test_progress(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 3.0, 4.0, 4.5])
    monkeypatch.setattr(build_vocab.time, "monotonic", lambda: next(clock))
    report = build_vocab._progress()
    for done in (1_000_000, 3_000_000, 4_000_000, 6_000_000):
        report(done, 6_000_000)
    assert capsys.readouterr().err.splitlines() == [
        "read 3.0 of 6.0 MB | 0:00:03 left",
        "read 6.0 of 6.0 MB | 0:00:00 left",
    ]
