import dataclasses
import json

import pytest

from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError

# The official options of the original model, byte for byte.
ORIGINAL = (
    '{"lstm": {"use_skip_connections": true, "projection_dim": 512, '
    '"cell_clip": 3, "proj_clip": 3, "dim": 4096, "n_layers": 2}, '
    '"char_cnn": {"activation": "relu", "filters": [[1, 32], [2, 32], '
    "[3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]], "
    '"n_highway": 2, "embedding": {"dim": 16}, "n_characters": 262, '
    '"max_characters_per_token": 50}}'
)

# As bilm-tf writes it beside its checkpoints.
TRAINING = {
    "bidirectional": True,
    "char_cnn": {
        "activation": "relu",
        "embedding": {"dim": 4},
        "filters": [[1, 4], [2, 8]],
        "max_characters_per_token": 50,
        "n_characters": 261,
        "n_highway": 1,
    },
    "dropout": 0.1,
    "lstm": {
        "cell_clip": 3,
        "dim": 16,
        "n_layers": 2,
        "proj_clip": 3,
        "projection_dim": 8,
        "use_skip_connections": True,
    },
    "all_clip_norm_val": 10.0,
    "n_epochs": 10,
    "n_train_tokens": 768648884,
    "batch_size": 128,
    "n_tokens_vocab": 793471,
    "unroll_steps": 20,
    "n_negative_samples_batch": 8192,
}


def changed(path, *value):
    """The training options with a value changed, or without one."""
    options = json.loads(json.dumps(TRAINING))
    *parents, last = path.split(".")
    part = options
    for parent in parents:
        part = part[parent]
    if value:
        part[last] = value[0]
    else:
        del part[last]
    return options


def test_the_original():
    config = BiLMConfig.from_dict(json.loads(ORIGINAL))
    assert config.lstm.dim == 4096
    assert config.lstm.projection_dim == 512
    assert (config.lstm.cell_clip, config.lstm.proj_clip) == (3.0, 3.0)
    assert config.char_cnn.filters[-1] == (7, 1024)
    assert config.char_cnn.n_filters == 2048
    assert config.char_cnn.n_highway == 2
    assert config.max_characters_per_token == 50
    assert config.output_dim == 1024
    assert config.n_directions == 2
    # No official options of a released model say so.
    assert config.n_tokens_vocab is None
    assert config.dropout == 0.0


def test_the_original_round_trip(tmp_path):
    """Written as the official file, clips as whole numbers."""
    official = json.loads(ORIGINAL)
    path = tmp_path / "options.json"
    BiLMConfig.from_dict(official).to_json_file(path)
    text = path.read_text(encoding="utf-8")
    written = json.loads(text)
    for part in ("lstm", "char_cnn"):
        assert written[part] == official[part]
    assert '"cell_clip": 3,' in text
    assert BiLMConfig.from_json_file(path) == BiLMConfig.from_dict(official)
    assert [p.name for p in tmp_path.iterdir()] == ["options.json"]


def test_training_options():
    """Both numbers of characters mean the same model."""
    config = BiLMConfig.from_dict(TRAINING)
    assert config.n_tokens_vocab == 793471
    assert config.dropout == 0.1
    assert config == BiLMConfig.from_dict(changed("char_cnn.n_characters", 262))
    assert config == BiLMConfig.from_dict(changed("char_cnn.n_characters"))
    assert config.to_dict()["char_cnn"]["n_characters"] == 262


def test_defaults_of_the_originals():
    config = BiLMConfig.from_dict({"lstm": {"dim": 6, "projection_dim": 3}})
    assert config.lstm.n_layers == 1
    assert config.lstm.cell_clip is None and config.lstm.proj_clip is None
    assert not config.lstm.use_skip_connections
    assert config.bidirectional
    assert config.char_cnn is None
    assert config.max_characters_per_token is None
    assert "char_cnn" not in config.to_dict()
    char_cnn = BiLMConfig.from_dict(
        {**config.to_dict(), "char_cnn": {"filters": [[1, 2]]}}
    ).char_cnn
    assert char_cnn.n_highway == 0
    assert char_cnn.activation == "relu"
    assert char_cnn.embedding.dim == 16


def test_one_direction():
    config = BiLMConfig.from_dict(changed("bidirectional", False))
    assert config.n_directions == 1
    assert config.output_dim == 8


@pytest.mark.parametrize(
    "config",
    [
        BiLMConfig.from_dict(TRAINING),
        BiLMConfig.from_dict(changed("lstm.cell_clip", 2.5)),
        BiLMConfig.from_dict(changed("lstm.proj_clip", None)),
        BiLMConfig.from_dict(
            {**changed("char_cnn"), "share_embedding_softmax": True}
        ),
    ],
)
def test_round_trips(tmp_path, config):
    assert BiLMConfig.from_dict(config.to_dict()) == config
    assert BiLMConfig.from_dict(dataclasses.asdict(config)) == config
    config.to_json_file(tmp_path / "options.json")
    assert BiLMConfig.from_json_file(tmp_path / "options.json") == config


@pytest.mark.parametrize(
    "options, message",
    [
        (changed("lstm"), "x: lstm: field required"),
        (changed("lstm.dim"), "x: lstm.dim: field required"),
        (
            changed("lstm.dim", -1),
            "x: lstm.dim: input should be greater than 0, found -1",
        ),
        (
            changed("lstm.n_layers", 0),
            "x: lstm.n_layers: input should be greater than 0, found 0",
        ),
        (
            changed("lstm.cell_clip", float("inf")),
            "x: lstm.cell_clip: input should be a finite number, found inf",
        ),
        (
            changed("lstm.cell_clip", 0),
            "x: lstm.cell_clip: input should be greater than 0, found 0",
        ),
        (
            changed("char_cnn.activation", "gelu"),
            "x: char_cnn.activation: input should be 'relu' or 'tanh', found "
            "'gelu'",
        ),
        (changed("char_cnn.filters"), "x: char_cnn.filters: field required"),
        (
            changed("char_cnn.filters", [[1, 2, 3]]),
            "x: char_cnn.filters.0: tuple should have at most 2 items",
        ),
        (
            changed("char_cnn.filters", []),
            "x: char_cnn.filters: tuple should have at least 1 item",
        ),
        (
            changed("char_cnn.n_highway", -1),
            "x: char_cnn.n_highway: input should be greater than or equal to "
            "0, found -1",
        ),
        (
            changed("char_cnn.n_characters", 300),
            "x: char_cnn.n_characters is 300, expected 261 or 262 (UTF-8 bytes "
            "and the special characters)",
        ),
        (
            changed("char_cnn.max_characters_per_token", 2),
            "x: char_cnn.max_characters_per_token: input should be greater "
            "than or equal to 3, found 2",
        ),
        (changed("dropout", 1.0), "x: dropout: input should be less than 1"),
        (
            changed("lstm.projection_dim", 17),
            "x: lstm.projection_dim is 17, larger than lstm.dim (16); it must "
            "be at most that",
        ),
        (
            changed("char_cnn.filters", [[51, 4]]),
            "x: char_cnn.filters has a filter 51 characters wide, but "
            "char_cnn.max_characters_per_token is 50",
        ),
        (
            {**TRAINING, "share_embedding_softmax": True},
            "x: share_embedding_softmax needs a word-input biLM, but char_cnn "
            "is given",
        ),
        (
            [1],
            "x: expected an object with the keys 'lstm' and 'char_cnn', found "
            "list",
        ),
        (changed("char_cnn", 5), "x: char_cnn: input should be "),
        (changed("lstm", "big"), "x: lstm: input should be "),
    ],
)
def test_mistakes(options, message):
    with pytest.raises(InputError) as info:
        BiLMConfig.from_dict(options, source="x")
    assert str(info.value).startswith(message)
    assert "\n" not in str(info.value)


def test_files_that_are_none(tmp_path):
    missing = tmp_path / "none.json"
    with pytest.raises(InputError) as info:
        BiLMConfig.from_json_file(missing)
    assert str(info.value) == f"{missing}: No such file or directory"
    for content in (b"", b"{", b"\xff\xfe"):
        path = tmp_path / "options.json"
        path.write_bytes(content)
        with pytest.raises(InputError) as info:
            BiLMConfig.from_json_file(path)
        assert str(info.value).startswith(
            f"{path}: expected the options of a biLM, found "
        )
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError) as info:
        BiLMConfig.from_json_file(path)
    assert str(info.value) == f"{path}: lstm: field required"
