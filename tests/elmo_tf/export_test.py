"""The binary that exports, run as a user runs it."""

import json
import os
import shutil

import pytest

from elmo_tf.embedder import Elmo
from tests import binaries


def run(*arguments):
    return binaries.run("elmo_tf.export", *arguments)


def test_hdf5(model_dir, tmp_path):
    output = f"{tmp_path}/output"
    result = run(
        f"--model_dir={model_dir}",
        "--format=hdf5",
        f"--output={output}",
        "--nosoftmax",
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "output": output,
        "format": "hdf5",
        "n_layers": 3,
        "output_dim": 8,
        "softmax": False,
        "initial_state": "zero",
    }
    assert result.stderr == ""
    assert sorted(os.listdir(output)) == [
        *("SHA256SUMS", "options.json", "vocab.txt", "weights.hdf5")
    ]


@pytest.mark.slow
def test_saved_model(official_files, corpus, tmp_path):
    output = f"{tmp_path}/output"
    result = run(
        f"--options_file={official_files.options_file}",
        f"--weights_file={official_files.weights_file}",
        "--initial_state=warm",
        f"--warm_text={corpus.valid}",
        "--tokenizer=penn_treebank",
        f"--output={output}",
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["initial_state"] == "warm"
    assert Elmo(output).tokenize(["isn't"]) == [["is", "n't"]]


def test_help():
    result = run("--help")
    assert result.returncode == 1
    for name in ("model_dir", "options_file", "warm_text", "tokenizer"):
        assert f"--{name}" in result.stdout + result.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model_dir=none"], "none: no such folder"),
        (["--model_dir=."], ".: holds no checkpoint"),
        (
            ["--options_file=none.json", "--weights_file=empty"],
            "none.json: No such file or directory",
        ),
        (
            ["--options_file=empty", "--weights_file=none.hdf5"],
            "empty: expected the options of a biLM, found Expecting value: "
            "line 1 column 1 (char 0)",
        ),
        (
            ["--options_file=options.json", "--weights_file=none.hdf5"],
            "none.hdf5: no such file",
        ),
        (
            ["--options_file=options.json", "--weights_file=other.hdf5"],
            "other.hdf5: the dataset char_embed has the shape (261, 4), "
            "expected (261, 5) by the options",
        ),
        (
            ["--options_file=options.json"],
            "give either --model_dir, or --options_file and --weights_file",
        ),
        (
            ["--model_dir=none", "positional"],
            "unexpected argument 'positional'; every option is a flag, --help "
            "lists them",
        ),
        (["--model_dir=copy"], "copy/vocab.txt: no <UNK> among 3 tokens"),
    ],
)
def test_a_mistake_is_one_line(
    official_files, model_dir, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    options = json.loads(official_files.options_file.read_text())
    options["char_cnn"]["embedding"]["dim"] = 5
    (tmp_path / "options.json").write_text(json.dumps(options))
    (tmp_path / "empty").touch()
    (tmp_path / "other.hdf5").symlink_to(official_files.weights_file)
    shutil.copytree(model_dir, "copy")
    (tmp_path / "copy" / "vocab.txt").write_text("<S>\n</S>\na\n")
    before = sorted(os.listdir(tmp_path))
    result = run("--output=output", *arguments)
    binaries.check_mistake(result, "export", message)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--format=onnx"], "flag --format=onnx: value should be one of "),
        (["--modeldir=x"], "Unknown command line flag 'modeldir'"),
        (["--tokenizer=x"], "flag --tokenizer=x: value should be one of "),
        ([], "flag --output=None: Flag --output must have a value"),
    ],
)
def test_wrong_flags(tmp_path, arguments, message):
    if arguments:
        arguments = [f"--output={tmp_path}/output", *arguments]
    result = run("--model_dir=none", *arguments)
    binaries.check_mistake(result, "export", message)
    assert os.listdir(tmp_path) == []
