import dataclasses

import pytest

from elmo_tf import experiments  # noqa: F401 (registers the experiments)
from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import to_dict
from tests.reference import options as options_lib

OFFICIAL_FILTERS = [
    *([1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024])
]
MINI_FILTERS = [*([1, 16], [2, 32], [3, 64], [4, 100], [5, 150], [6, 150])]

# Name, dim, projection_dim, n_highway, filters.
SHAPES = [
    ("elmo/original", 4096, 512, 2, OFFICIAL_FILTERS),
    ("elmo/medium", 2048, 256, 1, OFFICIAL_FILTERS),
    ("elmo/small", 1024, 128, 1, OFFICIAL_FILTERS),
    ("elmo/mini", 512, 128, 1, MINI_FILTERS),
]


@pytest.mark.parametrize(
    "name, dim, projection_dim, n_highway, filters",
    SHAPES,
    ids=[shape[0] for shape in SHAPES],
)
def test_shapes(name, dim, projection_dim, n_highway, filters):
    model = experiment_config(name).task.model
    official = {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": projection_dim,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": dim,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": filters,
            "n_highway": n_highway,
            "embedding": {"dim": 16},
            "n_characters": 262,
            "max_characters_per_token": 50,
        },
    }
    assert dataclasses.replace(model, dropout=0.0) == BiLMConfig.from_dict(
        official
    )
    written = model.to_dict()
    assert written["lstm"] == official["lstm"]
    assert written["char_cnn"] == official["char_cnn"]


def count_weights(options):
    total = 0
    for shape in options_lib.weight_shapes(options).values():
        size = 1
        for dimension in shape:
            size *= dimension
        total += size
    return total


@pytest.mark.parametrize(
    "name, expected",
    [
        # The released original's: 374 MB of float32. The released medium and
        # small ones are said to have 28.0 and 13.6 million.
        ("elmo/original", 93_600_848),
        ("elmo/medium", 28_027_728),
        ("elmo/small", 13_593_296),
        ("elmo/mini", None),
        ("elmo/tiny", None),
    ],
)
def test_number_of_weights(name, expected):
    config = experiment_config(name).task.model
    count = count_weights(config.to_dict())
    if expected is not None:
        assert count == expected
    if name == "elmo/original":
        # Not built: it would take seconds and half a gigabyte.
        return
    bilm = BiLM(config)
    bilm.build()
    assert bilm.count_params() == count


def test_training_as_the_official_one():
    task = experiment_config("elmo/original").task
    # 128 rows on each of three GPUs.
    assert task.train_data.global_batch_size == 3 * 128
    assert task.train_data.unroll_steps == 20
    assert task.n_negative_samples_batch == 8192
    assert task.learning_rate == 0.2
    assert task.initial_accumulator_value == 1.0
    assert task.all_clip_norm_val == 10.0
    assert task.model.dropout == 0.1
    assert experiment_config("elmo/original").trainer.train_epochs == 10


@pytest.mark.parametrize(
    "name", ["elmo/original", "elmo/medium", "elmo/small", "elmo/mini"]
)
def test_the_others_train_likewise(name):
    task = to_dict(experiment_config(name).task)
    original = to_dict(experiment_config("elmo/original").task)
    for values in (task, original):
        del values["model"]
        values["train_data"].pop("global_batch_size")
    assert task == original


def test_every_experiment_can_be_written_and_read():
    for name, *_ in SHAPES:
        config = experiment_config(name)
        again = override(experiment_config("elmo/tiny"), to_dict(config), "x")
        assert again == config


def test_official_options_as_overrides():
    """The fields of options.json under task.model, as they stand there."""
    options = options_lib.make_options(dim=20, n_highway=2)
    del options["char_cnn"]["n_characters"]
    config = override(
        experiment_config("elmo/tiny"), {"task.model": options}, "x"
    )
    assert config.task.model.lstm.dim == 20
    assert config.task.model.char_cnn.n_highway == 2


@pytest.mark.parametrize(
    "change, message",
    [
        (
            {"task.model.lstm.dims": 5},
            "x: unknown option task.model.lstm.dims; did you mean "
            "task.model.lstm.dim?",
        ),
        (
            {"task.model.lstm.dim": 0},
            "x: task.model.lstm.dim: input should be greater than 0, found 0",
        ),
        (
            {"task.model.lstm.dim": 5},
            "x: task.model: lstm.projection_dim is 32, larger than lstm.dim "
            "(5); it must be at most that",
        ),
        (
            {"task.learning_rate": 0},
            "x: task.learning_rate: input should be greater than 0, found 0",
        ),
        (
            {"task.train_data.unroll_steps": 0},
            "x: task.train_data.unroll_steps: input should be greater than 0, "
            "found 0",
        ),
        (
            {"task.n_negative_samples_batch": 0},
            "x: task.n_negative_samples_batch: input should be greater than 0, "
            "found 0",
        ),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(InputError) as info:
        override(experiment_config("elmo/tiny"), change, "x")
    assert str(info.value) == message
