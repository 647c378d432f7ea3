"""The binary that trains: run as a user runs it, killed, on two workers."""

import gzip
import json
import os
import signal
import subprocess
import time

import pytest
import tensorflow as tf
import yaml

from elmo_tf.model_dir import load_language_model
from elmo_tf.weights import write_weights
from tests import binaries
from tests import tiny_language_model
from tests import tiny_pretraining as tiny
from tests.worker_group import WorkerGroup

# Two layers, and a long enough run to be killed in.
RUN = {"task.model.lstm.n_layers": 2, "trainer.checkpoint_interval": 5}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return tiny.make_corpus(tmp_path_factory.mktemp("corpus"))


def write_config(path, corpus, train_steps, options=None):
    """Writes the options as a configuration file; returns its path."""
    path.write_text(
        yaml.safe_dump(tiny.make_options(corpus, train_steps, options)),
        encoding="utf-8",
    )
    return str(path)


def run(*arguments, experiment="elmo/tiny", mode="train"):
    """Runs the binary to its end."""
    return binaries.run(
        "elmo_tf.train",
        f"--experiment={experiment}",
        f"--mode={mode}",
        *arguments,
    )


def damage_gzip(folder):
    path = folder / "cut.txt.gz"
    data = gzip.compress(b"word1 word2 .\n" * 10000)
    path.write_bytes(data[: len(data) // 2])
    return path


def write_hdf5_of_another_shape(folder):
    path = folder / "other.hdf5"
    vocabulary_size = ["<S>", "</S>", "<UNK>"]
    model = tiny_language_model.make(
        vocabulary_size, filters=((1, 3), (2, 5)), embedding_dim=16
    )
    write_weights(str(path), model.bilm)
    return path


def write_text(name, content):
    def write(folder):
        path = folder / name
        path.write_bytes(content)
        return path

    return write


# What the user gives, the option, and the words of the error: {} is the file.
FILE_MISTAKES = {
    "missing text": (
        lambda folder: folder / "none.txt",
        "task.train_data.input_path",
        "{}: no such file",
    ),
    "empty text": (
        write_text("empty.txt", b""),
        "task.train_data.input_path",
        "{}: empty file, expected one sentence a line",
    ),
    "blank lines": (
        write_text("blank.txt", b"\n\n"),
        "task.train_data.input_path",
        "{}: no token in 2 blank lines, expected one sentence a line",
    ),
    "no UTF-8": (
        write_text("latin1.txt", b"word1\nna\xefve\n"),
        "task.train_data.input_path",
        "{}:2: byte 0xef at position 3 of the line is not UTF-8",
    ),
    "truncated gzip": (
        damage_gzip,
        "task.train_data.input_path",
        "{}:",
    ),
    "missing validation text": (
        lambda folder: folder / "none.txt",
        "task.validation_data.input_path",
        "{}: no such file",
    ),
    "empty validation text": (
        write_text("empty.txt", b""),
        "task.validation_data.input_path",
        "{}: empty file, expected one sentence a line",
    ),
    "missing vocabulary": (
        lambda folder: folder / "none.txt",
        "task.vocab_file",
        "{}: cannot be read: No such file or directory",
    ),
    "empty vocabulary": (
        write_text("empty.txt", b""),
        "task.vocab_file",
        "{}: empty file, expected one token a line",
    ),
    "vocabulary without <UNK>": (
        write_text("vocab.txt", b"<S>\n</S>\nword1\n"),
        "task.vocab_file",
        "{}: no <UNK> among 3 tokens, expected the special tokens <S>, </S>, "
        "<UNK>",
    ),
    "vocabulary with a word twice": (
        write_text("vocab.txt", b"<S>\n</S>\n<UNK>\na\nb\na\n"),
        "task.vocab_file",
        "{}:6: token 'a' is already at {}:4, expected distinct tokens",
    ),
    "missing weights": (
        lambda folder: folder / "none.hdf5",
        "task.init_weights",
        "{}: no such file",
    ),
    "weights that are no HDF5": (
        write_text("weights.hdf5", b"no HDF5"),
        "task.init_weights",
        "{}: not an HDF5 file",
    ),
    "weights of another shape": (
        write_hdf5_of_another_shape,
        "task.init_weights",
        "{}: the dataset CNN/W_cnn_1 has the shape (1, 2, 16, 5), expected "
        "(1, 2, 16, 4) by the options",
    ),
}


@pytest.mark.parametrize("name", FILE_MISTAKES)
def test_a_file_that_will_not_do(corpus, tmp_path, name):
    make_file, option, message = FILE_MISTAKES[name]
    path = make_file(tmp_path)
    config_file = write_config(
        tmp_path / "config.yaml", corpus, 5, {option: str(path)}
    )
    result = run(
        f"--config_file={config_file}", f"--model_dir={tmp_path}/model"
    )
    assert result.returncode == 2
    expected = "train.py: error: " + message.replace("{}", str(path))
    assert result.stderr.startswith(expected)
    assert result.stderr.count("\n") == 1 and result.stderr.endswith("\n")
    assert result.stdout == ""
    assert not (tmp_path / "model").exists()


OPTION_MISTAKES = {
    "task.vocab_fil=x": "--params_override: unknown option task.vocab_fil; did "
    "you mean task.vocab_file?",
    "task.model.lstm.dims=8": "--params_override: unknown option "
    "task.model.lstm.dims; did you mean task.model.lstm.dim?",
    "trainer.train_steps=many": "--params_override: trainer.train_steps: input "
    "should be a valid integer, unable to parse string as an integer, found "
    "'many'",
    "task.vocab_file": "--params_override: expected a file, a YAML or JSON "
    "mapping or a.b=1,c.d=2, found 'task.vocab_file'",
    "task.n_negative_samples_batch=8192": "task.n_negative_samples_batch is "
    "8192, but the vocabulary has 27 words; set a smaller number, or null for "
    "the exact softmax",
    "task.model.lstm.projection_dim=9": "--params_override: task.model: "
    "lstm.projection_dim is 9, larger than lstm.dim (8); it must be at most "
    "that",
    "runtime.distribution_strategy=mirrored,runtime.num_logical_cpus=3": "task."
    "train_data.global_batch_size is 4, which does not divide among 3 replicas",
}


@pytest.mark.parametrize("override", OPTION_MISTAKES)
def test_an_option_that_will_not_do(corpus, tmp_path, override):
    config_file = write_config(tmp_path / "config.yaml", corpus, 5)
    result = run(
        f"--config_file={config_file}",
        f"--model_dir={tmp_path}/m",
        f"--params_override={override}",
    )
    binaries.check_mistake(result, "train", OPTION_MISTAKES[override])
    assert os.listdir(tmp_path) == ["config.yaml"]


@pytest.mark.parametrize(
    "experiment, mode, arguments, message",
    [
        (
            "elmo/huge",
            "train",
            ["--model_dir=m"],
            "--experiment: unknown experiment 'elmo/huge'; expected one of "
            "elmo/medium, elmo/mini, elmo/original, elmo/small, elmo/tiny",
        ),
        (
            "elmo/tiny",
            "train",
            ["--model_dir=m"],
            "task.vocab_file is not set; `python -m elmo_tf.build_vocab` makes "
            "a vocabulary",
        ),
        (
            "elmo/tiny",
            "train",
            ["--model_dir=m", "--config_file=none.yaml"],
            "--config_file none.yaml: expected a file, a YAML or JSON mapping "
            "or a.b=1,c.d=2, found 'none.yaml'",
        ),
        (
            "elmo/tiny",
            "train",
            [],
            "flag --model_dir=None: Flag --model_dir must have a value other "
            "than None.",
        ),
        (
            "elmo/tiny",
            "train",
            ["--model_dir=m", "--config_fil=c"],
            "Unknown command line flag 'config_fil'. Did you mean: config_file "
            "?",
        ),
        (
            "elmo/tiny",
            "test",
            ["--model_dir=m"],
            "flag --mode=test: value should be one of "
            "<train|eval|train_and_eval>",
        ),
        (
            "elmo/tiny",
            "train",
            ["--model_dir=m", "text.txt"],
            "unexpected argument 'text.txt'; every option is a flag, --help "
            "lists them",
        ),
    ],
)
def test_flags_that_will_not_do(
    tmp_path, monkeypatch, experiment, mode, arguments, message
):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, experiment=experiment, mode=mode)
    binaries.check_mistake(result, "train", message)
    assert os.listdir(tmp_path) == []


def test_evaluation_of_nothing(corpus, tmp_path):
    config_file = write_config(tmp_path / "config.yaml", corpus, 5)
    result = run(
        f"--config_file={config_file}", f"--model_dir={tmp_path}/m", mode="eval"
    )
    binaries.check_mistake(result, "train", f"{tmp_path}/m: no such folder")
    assert not (tmp_path / "m").exists()


def test_a_model_dir_that_is_a_file(corpus, tmp_path):
    config_file = write_config(tmp_path / "config.yaml", corpus, 5)
    result = run(f"--config_file={config_file}", f"--model_dir={config_file}")
    assert result.returncode == 2
    assert result.stderr.startswith("train.py: error: ")
    assert result.stderr.count("\n") == 1 and config_file in result.stderr


def test_train_and_eval(corpus, tmp_path):
    """And what the folder does not go on with."""
    config_file = write_config(tmp_path / "config.yaml", corpus, 3)
    arguments = [f"--config_file={config_file}", f"--model_dir={tmp_path}/m"]
    result = run(*arguments, mode="train_and_eval")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    (progress,) = [line for line in lines if line.startswith("step ")]
    assert progress.startswith("step 3/3 | ")
    assert "tokens/s | " in progress and progress.endswith("0:00:00 left")
    assert list(json.loads(lines[-1])) == [
        "forward_perplexity",
        "backward_perplexity",
        "average_perplexity",
        "geometric_perplexity",
        "tokens",
        "unknown_tokens",
    ]
    load_language_model(str(tmp_path / "m"))

    before = sorted(os.listdir(tmp_path / "m"))
    result = run(*arguments, "--params_override=task.model.bidirectional=false")
    binaries.check_mistake(
        result,
        "train",
        f"{tmp_path}/m/options.json: the run in this folder has bidirectional "
        "True, found False; use another --model_dir",
    )
    result = run(*arguments, "--params_override=runtime.seed=9")
    assert result.returncode == 2
    assert result.stderr == (
        "train.py: error: corpus position: saved with seed=3, found seed=9\n"
    )
    assert sorted(os.listdir(tmp_path / "m")) == before


def test_a_run_that_diverges(corpus, tmp_path):
    config_file = write_config(
        tmp_path / "config.yaml", corpus, 20, {"task.learning_rate": 1e30}
    )
    result = run(f"--config_file={config_file}", f"--model_dir={tmp_path}/m")
    assert result.returncode == 1
    assert result.stderr.startswith(
        "train.py: error: training stopped at step "
    )
    assert result.stderr.count("\n") == 1


def wait_for(path, process, seconds=300):
    deadline = time.monotonic() + seconds
    while not os.path.exists(path):
        assert process.poll() is None, "the run ended"
        assert time.monotonic() < deadline
        time.sleep(0.005)


def start(command, **variables):
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**binaries.program_environment(), **variables},
    )


@pytest.mark.slow
def test_killed_and_started_again(corpus, tmp_path):
    """kill -9 twice; the end is that of an uninterrupted run, bit for bit."""
    config_file = write_config(tmp_path / "config.yaml", corpus, 400, RUN)
    arguments = [f"--config_file={config_file}", f"--model_dir={tmp_path}"]
    whole = run(arguments[0], f"{arguments[1]}/whole")
    assert whole.returncode == 0, whole.stderr
    command = tiny.train_command(config_file, tmp_path / "killed")
    for step, delay in ((20, 0.0), (200, 0.03)):
        with start(command) as process:
            wait_for(f"{tmp_path}/killed/ckpt-{step}.index", process)
            time.sleep(delay)
            process.kill()
            process.wait()
            assert process.returncode == -signal.SIGKILL
        reached = tf.train.latest_checkpoint(str(tmp_path / "killed"))
        assert step <= int(reached.split("-")[-1]) + 5 < 400
    again = run(arguments[0], f"{arguments[1]}/killed")
    assert again.returncode == 0, again.stderr
    assert "restored model from" in again.stdout
    tiny.assert_same_run(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.slow
def test_two_workers(corpus, tmp_path):
    """Two processes do what one does; several_workers_test.py kills some."""
    options = {
        **RUN,
        "task.model.dropout": 0.0,
        "runtime.distribution_strategy": "multi_worker_mirrored",
    }
    config_file = write_config(tmp_path / "two.yaml", corpus, 60, options)
    command = tiny.train_command(config_file, tmp_path / "two")
    with WorkerGroup(command, 2, tmp_path / "log") as group:
        group.finish()
        assert [end.returncode for end in group.ends] == [0, 0]
    # Only the first one's files are left.
    assert "worker_1.tmp" not in os.listdir(tmp_path / "two")

    del options["runtime.distribution_strategy"]
    config_file = write_config(tmp_path / "one.yaml", corpus, 60, options)
    result = run(f"--config_file={config_file}", f"--model_dir={tmp_path}/one")
    assert result.returncode == 0, result.stderr
    tiny.assert_same_run(tmp_path / "two", tmp_path / "one", tolerance=1e-4)


@pytest.mark.slow
def test_two_logical_devices(corpus, tmp_path):
    """MirroredStrategy from the command line."""
    config_file = write_config(tmp_path / "config.yaml", corpus, 12, RUN)
    outputs = []
    for folder, override in (
        ("one", ""),
        (
            "two",
            ",runtime.distribution_strategy=mirrored,"
            "runtime.num_logical_cpus=2",
        ),
    ):
        result = run(
            f"--config_file={config_file}",
            f"--model_dir={tmp_path}/{folder}",
            f"--params_override=task.model.dropout=0{override}",
            mode="train_and_eval",
        )
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        outputs.append(json.loads(result.stdout.splitlines()[-1]))
    tiny.assert_same_run(tmp_path / "two", tmp_path / "one", tolerance=1e-4)
    assert outputs[1] == pytest.approx(outputs[0], rel=1e-3)


FOUR_SENTENCES = """\
The cat sat on the mat in the old house .
Every morning seven birds sing near our window .
She bought three red apples and a loaf of bread .
Who would have thought that it rains so much here ?
"""


@pytest.mark.slow
def test_four_sentences_are_learnt_by_heart(request, tmp_path):
    """bilm-tf's own test of its training: a perplexity under 20."""
    text = tmp_path / "text.txt"
    try:
        golden = request.getfixturevalue("bilm_tf_golden") / "train"
    except pytest.skip.Exception:
        text.write_text(FOUR_SENTENCES, encoding="utf-8")
        words = sorted(set(FOUR_SENTENCES.split()))
        vocabulary = tmp_path / "vocab.txt"
        vocabulary.write_text(
            "\n".join(["<S>", "</S>", "<UNK>", *words]) + "\n",
            encoding="utf-8",
        )
    else:
        text = golden / "data.txt"
        vocabulary = golden / "vocab.txt"
    config_file = tmp_path / "config.yaml"
    config_file.write_text(
        yaml.safe_dump(
            {
                "task.vocab_file": str(vocabulary),
                "task.train_data.input_path": str(text),
                "task.validation_data.input_path": str(text),
                "task.train_data.global_batch_size": 4,
                "task.n_negative_samples_batch": 16,
                "trainer.train_steps": 500,
            }
        ),
        encoding="utf-8",
    )
    result = run(
        f"--config_file={config_file}",
        f"--model_dir={tmp_path}/m",
        mode="train_and_eval",
    )
    assert result.returncode == 0, result.stderr
    perplexity = json.loads(result.stdout.splitlines()[-1])
    assert perplexity["forward_perplexity"] < 20
    assert perplexity["backward_perplexity"] < 20
