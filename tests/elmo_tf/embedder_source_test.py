import os
import shutil

import pytest

from elmo_tf.embedder import Elmo
from elmo_tf.embedder_source import EmbedderSource
from elmo_tf.errors import InputError


def of_saved_model(path):
    return EmbedderSource(str(path), None, None, None, None, 100)


def of_files(files, **changes):
    fields = {
        "saved_model": None,
        "options_file": str(files.options_file),
        "weights_file": str(files.weights_file),
        "vocab_file": None,
        "dtype": None,
        "word_cache_size": 100,
    }
    return EmbedderSource(**{**fields, **changes})


def test_the_fingerprint_is_that_of_the_content(saved_model, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(saved_model, copy)
    fingerprint = of_saved_model(saved_model).fingerprint()
    assert len(fingerprint) == 64
    assert of_saved_model(copy).fingerprint() == fingerprint
    os.rename(copy / "variables", copy / "variable")
    assert of_saved_model(copy).fingerprint() != fingerprint
    os.rename(copy / "variable", copy / "variables")
    with open(copy / "saved_model.pb", "ab") as file:
        file.write(b"x")
    assert of_saved_model(copy).fingerprint() != fingerprint


def test_the_fingerprint_of_files(official_files, word_files):
    fingerprints = {
        of_files(official_files).fingerprint(),
        of_files(word_files).fingerprint(),
        of_files(word_files, vocab_file=str(word_files.vocab_file))
        .absolute()
        .fingerprint(),
        of_saved_model("mini").fingerprint(),
    }
    assert len(fingerprints) == 4


def test_no_such_model(tmp_path):
    with pytest.raises(InputError, match="none: no such folder"):
        of_saved_model("none").fingerprint()


def test_another_model_is_refused(official_files):
    source = of_files(official_files)
    assert isinstance(source.load(source.fingerprint()), Elmo)
    with pytest.raises(InputError) as info:
        source.load("0" * 64)
    assert str(info.value) == (
        f"{official_files.weights_file}: found another model here than "
        "elsewhere, or than before"
    )


def test_absolute(official_files, monkeypatch):
    monkeypatch.chdir(official_files.folder)
    source = of_files(
        official_files, options_file="options.json", weights_file="weights.hdf5"
    )
    assert source.absolute() == of_files(official_files)
    # A pre-trained biLM is known by its name.
    assert of_saved_model("mini").absolute() == of_saved_model("mini")
