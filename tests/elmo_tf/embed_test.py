"""The binary that embeds a file, run as a user runs it."""

import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

from elmo_tf.embedder import Elmo
from tests import binaries

TEXT = "word1 naïve a\n\nword2\nunknown words here\n"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments):
    return binaries.run("elmo_tf.embed", *arguments)


def read(path):
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


def test_saved_model(saved_model, elmo, text, tmp_path):
    output = tmp_path / "out.hdf5"
    result = run(
        f"--saved_model={saved_model}",
        f"--input={text}",
        f"--output={output}",
        "--layers=average",
        "--batch_size=2",
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "output": str(output),
        "sentences": 4,
        "tokens": 7,
    }
    # The progress, shown at the end at least.
    (line,) = result.stderr.splitlines()
    assert line.startswith("sentence 4/4 | ")
    assert line.endswith(" tokens/s | 0:00:00 left")
    datasets = read(output)
    assert json.loads(datasets["sentence_to_index"][0])["word2"] == "2"
    for number, vectors in enumerate(elmo.embed(TEXT.splitlines(), "average")):
        np.testing.assert_allclose(
            datasets[str(number)], vectors, atol=1e-6, rtol=1e-5
        )


def test_options(word_files, tmp_path):
    (tmp_path / "text.txt").write_text("the river\nbank\n")
    output = tmp_path / "out.hdf5"
    result = run(
        f"--options_file={word_files.options_file}",
        f"--weights_file={word_files.weights_file}",
        f"--vocab_file={word_files.vocab_file}",
        f"--input={tmp_path}/text.txt",
        f"--output={output}",
        "--tokenize",
        "--use_sentence_keys",
    )
    assert result.returncode == 0, result.stderr
    datasets = read(output)
    assert set(datasets) == {"the river", "bank"}
    elmo = Elmo.from_weights(*word_files.paths, word_files.vocab_file)
    (expected,) = elmo.embed([["the", "river"]])
    np.testing.assert_allclose(datasets["the river"], expected, atol=1e-6)


def test_forget_sentences(saved_model, text, tmp_path):
    output = tmp_path / "out.hdf5"
    result = run(
        f"--saved_model={saved_model}",
        f"--input={text}",
        f"--output={output}",
        "--forget_sentences",
        "--layers=top",
    )
    assert result.returncode == 0, result.stderr
    assert {name: value.shape for name, value in read(output).items()} == {
        **{"0": (3, 8), "1": (0, 8), "2": (1, 8), "3": (3, 8)}
    }


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--saved_model=none"], "none: no such folder"),
        (
            ["--saved_model=folder"],
            "folder: not a SavedModel (no saved_model.pb in it)",
        ),
        (
            [],
            "give either --saved_model, or --options_file and --weights_file",
        ),
        (
            ["--options_file=x"],
            "give either --saved_model, or --options_file and --weights_file",
        ),
        (
            ["--saved_model=x", "--weights_file=x"],
            "give either --saved_model, or --options_file and --weights_file",
        ),
        (
            ["--saved_model=x", "--vocab_file=x"],
            "--vocab_file=x: is for --weights_file; a SavedModel has its own",
        ),
        (
            ["--options_file=options.json", "--weights_file=other.hdf5"],
            "other.hdf5: the dataset char_embed has the shape (261, 4), "
            "expected (261, 5) by the options",
        ),
        (
            ["--saved_model=x", "--input=none"],
            "none: cannot be read: No such file or directory",
        ),
        (
            ["--saved_model=x", "--input=*.txt"],
            "*.txt: cannot be read: No such file or directory",
        ),
        (
            ["--saved_model=x", "--input=empty"],
            "empty: empty file, expected one sentence a line",
        ),
        (
            ["--saved_model=x", "--input=blank"],
            "blank: no token in 2 blank lines, expected one sentence a line",
        ),
        (
            ["--saved_model=x", "--input=latin1"],
            "latin1:2: byte 0xe9 at position 2 of the line is not UTF-8 "
            "(unexpected end of data); expected UTF-8 text, plain or gzip",
        ),
        (
            ["--saved_model=x", "--output=text.txt"],
            "--output=text.txt: is one of the input files",
        ),
        (
            ["--saved_model=good", "--dtype=bfloat16"],
            "--dtype=bfloat16: is for --weights_file; a SavedModel has its own",
        ),
        (
            ["--saved_model=x", "--output=folder"],
            "--output=folder: expected a file in an existing folder",
        ),
        (
            ["--saved_model=x", "--output=none/out"],
            "--output=none/out: expected a file in an existing folder",
        ),
        (
            ["--saved_model=good", "--use_sentence_keys"],
            "text.txt:2: '' cannot name an HDF5 dataset; use numbers",
        ),
    ],
)
def test_a_mistake_is_one_line(
    saved_model, official_files, text, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    options = json.loads(official_files.options_file.read_text())
    options["char_cnn"]["embedding"]["dim"] = 5
    (tmp_path / "options.json").write_text(json.dumps(options))
    (tmp_path / "other.hdf5").symlink_to(official_files.weights_file)
    (tmp_path / "good").symlink_to(saved_model)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "blank").write_text("\n \n")
    (tmp_path / "latin1").write_bytes(b"good\nb\xe9")
    before = sorted(os.listdir(tmp_path))
    result = run("--input=text.txt", "--output=out.hdf5", *arguments)
    binaries.check_mistake(result, "embed", message)
    assert sorted(os.listdir(tmp_path)) == before
    assert text.read_text("utf-8") == TEXT


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--layers=bottom"], "flag --layers=bottom: value should be one of "),
        (["--batch_size=0"], "flag --batch_size=0: "),
        (["--word_cache_size=-1"], "flag --word_cache_size=-1: "),
        (["--dtype=x"], "flag --dtype=x: value should be one of "),
        (["--savedmodel=x"], "Unknown command line flag 'savedmodel'"),
    ],
)
def test_wrong_flags(text, tmp_path, arguments, message):
    result = run(f"--input={text}", f"--output={tmp_path}/out.hdf5", *arguments)
    binaries.check_mistake(result, "embed", message)
    assert os.listdir(tmp_path) == ["text.txt"]


@pytest.mark.slow
def test_the_whole_way_by_python_m(model_dir, corpus, text, tmp_path):
    """Each binary by `python -m`, where no source file is in reach."""
    shutil.copytree(model_dir, tmp_path / "model")

    def python_m(module, *arguments):
        result = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=binaries.program_environment(),
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    exported = python_m(
        "elmo_tf.export", "--model_dir=model", "--output=saved_model"
    )
    assert exported["softmax"] is True
    evaluated = python_m(
        "elmo_tf.evaluate", "--model_dir=model", f"--input_path={corpus.valid}"
    )
    assert evaluated["tokens"] > 0
    shutil.rmtree(tmp_path / "model")
    embedded = python_m(
        "elmo_tf.embed",
        "--saved_model=saved_model",
        f"--input={text}",
        "--output=out.hdf5",
    )
    assert embedded == {"output": "out.hdf5", "sentences": 4, "tokens": 7}
    assert read(tmp_path / "out.hdf5")["0"].shape == (3, 3, 8)
