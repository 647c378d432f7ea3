"""A tiny pre-training for tests: its text, its configuration, its results."""

import dataclasses
import gzip
import os
import sys

import keras
import numpy as np
import tensorflow as tf

from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf import pretraining
from elmo_tf.config import BiLMConfig
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training_state import unpack_state

_WORDS = [f"word{i}" for i in range(20)] + ["naïve", ".", "a", "Ω" * 30]

# Small in every way, dropout on.
_OPTIONS = {
    "task.model.lstm.dim": 8,
    "task.model.lstm.projection_dim": 4,
    "task.model.lstm.n_layers": 1,
    "task.model.lstm.cell_clip": 0.3,
    "task.model.lstm.proj_clip": 0.3,
    "task.model.char_cnn.filters": [[1, 3], [2, 4]],
    "task.model.char_cnn.max_characters_per_token": 10,
    "task.train_data.global_batch_size": 4,
    "task.train_data.unroll_steps": 5,
    "task.n_negative_samples_batch": 6,
    "task.learning_rate": 0.5,
    "trainer.progress_seconds": 1000,
    "runtime.seed": 3,
}


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The paths of a training text, a held-out text and a vocabulary."""

    train: str
    valid: str
    vocabulary: str


def make_corpus(folder):
    """Writes a small text, in which each word tells much of the next.

    Returns:
        The `Corpus`: two shards, one of them gzip, a held-out text with an
        unknown word, a vocabulary.
    """
    generator = np.random.default_rng(0)

    def sentence():
        start = generator.integers(len(_WORDS))
        return " ".join(
            _WORDS[(start + 5 * i) % len(_WORDS)]
            for i in range(generator.integers(1, 9))
        )

    def text(n):
        return "".join(f"{sentence()}\n" for _ in range(n)).encode()

    (folder / "train").mkdir(parents=True)
    (folder / "train" / "1.txt").write_bytes(text(30))
    (folder / "train" / "2.txt.gz").write_bytes(gzip.compress(text(25)))
    (folder / "valid.txt").write_bytes(text(20) + b"word1 never seen\n")
    (folder / "vocab.txt").write_text(
        "\n".join(["<S>", "</S>", "<UNK>", *_WORDS]) + "\n", encoding="utf-8"
    )
    return Corpus(
        train=f"{folder}/train/*",
        valid=f"{folder}/valid.txt",
        vocabulary=f"{folder}/vocab.txt",
    )


def make_options(corpus, train_steps, options=None):
    """The values to override of the experiment elmo/tiny, a dotted dict."""
    return {
        "task.vocab_file": corpus.vocabulary,
        "task.train_data.input_path": corpus.train,
        "task.validation_data.input_path": corpus.valid,
        "trainer.train_steps": train_steps,
        **_OPTIONS,
        **(options or {}),
    }


def make_config(corpus, train_steps, options=None):
    """The `PretrainingConfig`."""
    config = experiment_config("elmo/tiny")
    return override(
        config, make_options(corpus, train_steps, options), "the test"
    )


def pretrain(monkeypatch, config, model_dir, mode="train", strategy=None):
    """Runs `pretrain` without what it sets for the whole process."""

    def set_up(runtime):
        keras.utils.set_random_seed(runtime.seed)
        return strategy or tf.distribute.OneDeviceStrategy("CPU:0")

    monkeypatch.setattr(pretraining, "set_up", set_up)
    return pretraining.pretrain(config, mode, str(model_dir))


def train_command(config_file, model_dir):
    """The command line of the binary."""
    return [
        *(sys.executable, "-m", "elmo_tf.train", "--experiment=elmo/tiny"),
        f"--config_file={config_file}",
        f"--model_dir={model_dir}",
    ]


def checkpoint_arrays(model_dir):
    """All that the last checkpoint of a bidirectional run holds.

    Returns:
        A dict from names to arrays; the LSTM state's under `lstm_state`, the
        position in the data, a string, under `reader_state`.
    """
    reader = tf.train.load_checkpoint(str(model_dir))
    arrays = {
        name: reader.get_tensor(name)
        for name in reader.get_variable_to_shape_map()
        if not name.startswith(("save_counter", "_CHECKPOINTABLE"))
    }
    packed = arrays.pop("host_state/.ATTRIBUTES/py_state")
    n_layers = BiLMConfig.from_json_file(
        os.path.join(model_dir, "options.json")
    ).lstm.n_layers
    structure = [[[0, 0]] * n_layers] * 2
    arrays["reader_state"], arrays["lstm_state"] = unpack_state(
        packed, structure
    )
    return arrays


def assert_same_run(model_dir, expected_model_dir, tolerance=0):
    """Two runs ended in the same weights, accumulators, step and state."""
    actual = checkpoint_arrays(model_dir)
    expected = checkpoint_arrays(expected_model_dir)
    assert sorted(actual) == sorted(expected)
    # Weights, as many accumulators, the step, the learning rate, the state.
    assert len(actual) > 40
    for name, value in expected.items():
        if name == "reader_state":
            assert actual[name] == value
            continue
        tf.nest.map_structure(
            lambda left, right, name=name: np.testing.assert_allclose(
                left, right, rtol=tolerance, atol=tolerance, err_msg=name
            ),
            actual[name],
            value,
        )
