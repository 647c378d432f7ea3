import os

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.model_dir import write_model_files
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.checkpoints import NamedVariables
from elmo_tf.training.host_state import HostState
from elmo_tf.training_state import pack_state
from tests import tiny_language_model

VOCABULARY = Vocabulary(["<S>", "</S>", "<UNK>", "a", "naïve"])


@pytest.fixture
def model():
    return tiny_language_model.make(VOCABULARY)


def test_round_trip(tmp_path, model):
    folder = tmp_path / "new" / "model"
    tiny_language_model.save(model, VOCABULARY, folder)
    loaded, vocabulary = load_language_model(str(folder))
    assert isinstance(loaded, BiLanguageModel)
    assert loaded.config == model.config
    assert loaded.n_negative_samples is None
    assert vocabulary.tokens == VOCABULARY.tokens
    for variable, expected in zip(
        loaded.variables, model.variables, strict=True
    ):
        assert variable.path == expected.path
        np.testing.assert_array_equal(variable, expected)


def test_files(tmp_path, model):
    write_model_files(str(tmp_path / "a" / "b"), model.config, VOCABULARY)
    assert sorted(os.listdir(tmp_path / "a" / "b")) == [
        "SHA256SUMS",
        "options.json",
        "vocab.txt",
    ]


def remove(name):
    return lambda folder: (folder / name).unlink()


def write(name, text):
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def replace(name, old, new):
    def change(folder):
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    "change, message",
    [
        (remove("checkpoint"), ": holds no checkpoint"),
        (remove("options.json"), "/options.json: No such file or directory"),
        (write("options.json", "{}"), "/options.json: lstm: field required"),
        (remove("vocab.txt"), "/vocab.txt: cannot be read: No such file"),
        (write("vocab.txt", ""), "/vocab.txt: empty file, expected one token"),
        (
            write("vocab.txt", "<S>\n</S>\na\n"),
            "/vocab.txt: no <UNK> among 3 tokens",
        ),
        (
            write("vocab.txt", "<S>\n</S>\n<UNK>\n"),
            "/vocab.txt: has 3 words, but options.json says 5",
        ),
        (
            replace("options.json", '"dim": 8', '"dim": 9'),
            "/ckpt-1: the checkpoint is damaged or does not fit the model: ",
        ),
        (
            replace("options.json", '"n_highway": 1', '"n_highway": 2'),
            "/ckpt-1: the checkpoint is damaged or does not fit the model: ",
        ),
    ],
)
def test_what_does_not_fit(tmp_path, model, change, message):
    tiny_language_model.save(model, VOCABULARY, tmp_path)
    change(tmp_path)
    with pytest.raises(InputError) as info:
        load_language_model(str(tmp_path))
    assert str(info.value).startswith(f"{tmp_path}{message}")
    assert "\n" not in str(info.value)


def test_options_without_a_vocabulary(tmp_path, model):
    """As of a released model: it has no softmax to load."""
    tiny_language_model.save(model, VOCABULARY, tmp_path)
    replace("options.json", '"n_tokens_vocab": 5', '"n_tokens_vocab": null')(
        tmp_path
    )
    with pytest.raises(InputError) as info:
        load_language_model(str(tmp_path))
    assert str(info.value) == (
        f"{tmp_path}/vocab.txt: has 5 words, but options.json says None"
    )


def test_missing_folder(tmp_path):
    with pytest.raises(InputError) as info:
        load_language_model(str(tmp_path / "none"))
    assert str(info.value) == f"{tmp_path}/none: no such folder"


def test_typical_state(tmp_path, model):
    """The mean over the rows that the training carried."""
    generator = np.random.default_rng(1)
    rows = tf.nest.map_structure(
        lambda part: generator.normal(size=part.shape).astype(np.float32),
        model.zero_state(6),
    )
    checkpoint = tf.train.Checkpoint(
        model=NamedVariables(model.variables),
        host_state=HostState(lambda: pack_state("ü", rows), lambda _: None),
    )
    tf.train.CheckpointManager(checkpoint, str(tmp_path), 1).save()
    state = load_typical_state(str(tmp_path), model)
    tf.nest.map_structure(
        lambda mean, part: np.testing.assert_allclose(
            mean, part.mean(axis=0, keepdims=True), atol=1e-6
        ),
        state,
        rows,
    )


def test_no_typical_state(tmp_path, model):
    tiny_language_model.save(model, VOCABULARY, tmp_path)
    with pytest.raises(InputError) as info:
        load_typical_state(str(tmp_path), model)
    assert str(info.value) == (
        f"{tmp_path}/ckpt-1: holds no LSTM state of a pre-training"
    )
