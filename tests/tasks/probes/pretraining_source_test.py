"""Perplexities before and after a fine-tuning are those of elmo_tf.evaluate."""

import json
import re

import pytest

from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from tasks.probes.pretraining_source import PretrainingSource
from tests import binaries
from tests.tasks.probes import tiny_pretrained

TEXT = "Ann visits Oslo .\nnever seen\n\nOslo won\n"


@pytest.fixture
def model_dir(tmp_path):
    return tiny_pretrained.write(tmp_path / "pretraining")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return str(path)


def evaluate(model_dir, text, *arguments):
    result = binaries.run(
        "elmo_tf.evaluate",
        f"--model_dir={model_dir}",
        f"--input_path={text}",
        *arguments,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_perplexity_of_a_folder(model_dir, text):
    source = PretrainingSource(str(model_dir))
    found = source.perplexity(text)
    assert found == pytest.approx(evaluate(model_dir, text), rel=1e-5)
    assert found["unknown_tokens"] == 2
    cold = evaluate(model_dir, text, "--initial_state=zero")
    assert cold["average_perplexity"] != pytest.approx(
        found["average_perplexity"], rel=1e-3
    )
    assert source.vocab_file == str(model_dir / "vocab.txt")
    assert source.config.n_tokens_vocab == len(tiny_pretrained.WORDS) + 3
    assert source.checkpoint.startswith(f"{model_dir}/ckpt-")


def test_perplexity_of_official_files(model_dir, text, tmp_path):
    folder = tmp_path / "official"
    export(str(folder), "hdf5", model_dir=str(model_dir))
    source = PretrainingSource(str(folder / "weights.hdf5"))
    assert source.perplexity(text) == pytest.approx(
        evaluate(model_dir, text, "--initial_state=zero"), rel=1e-5
    )
    assert source.checkpoint == str(folder / "weights.hdf5")
    (folder / "softmax.h5").unlink()
    with pytest.raises(
        InputError,
        match=f"^{re.escape(str(folder))}/softmax.h5: no such file; without "
        "the softmax there is no perplexity, expected a pre-training's ",
    ):
        PretrainingSource(str(folder / "weights.hdf5"))


def test_mistakes(tmp_path):
    with pytest.raises(InputError, match="none: no such file or folder"):
        PretrainingSource(str(tmp_path / "none"))
    with pytest.raises(InputError, match="no checkpoint"):
        PretrainingSource(str(tmp_path))
