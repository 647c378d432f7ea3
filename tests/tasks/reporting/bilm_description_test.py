"""What is said of a biLM is true of its files."""

import h5py
import pytest

from elmo_tf import pretrained
from elmo_tf.config import BiLMConfig
from tasks.elmo.fingerprint import fingerprint
from tasks.reporting.bilm_description import count_parameters
from tasks.reporting.bilm_description import describe_bilm


def test_the_biLM_of_the_package():
    sizes = []
    with h5py.File(pretrained.folder("mini") / "weights.hdf5") as file:
        file.visititems(
            lambda _, found: sizes.append(getattr(found, "size", 0))
        )
    assert describe_bilm("mini", fingerprint("mini")) == (
        "mini: 2 LSTM layers of 512 units, projected to 128, "
        f"{sum(sizes):,} parameters"
    )


def test_the_papers_biLM():
    config = BiLMConfig.from_dict(
        {
            "lstm": {
                "use_skip_connections": True,
                "projection_dim": 512,
                "cell_clip": 3,
                "proj_clip": 3,
                "dim": 4096,
                "n_layers": 2,
            },
            "char_cnn": {
                "activation": "relu",
                "filters": [
                    *([1, 32], [2, 32], [3, 64], [4, 128]),
                    *([5, 256], [6, 512], [7, 1024]),
                ],
                "n_highway": 2,
                "embedding": {"dim": 16},
                "n_characters": 262,
                "max_characters_per_token": 50,
            },
        }
    )
    assert count_parameters(config) == 93_600_848


@pytest.mark.parametrize("n_words, expected", [(None, 0), (7, 7 * 3 + 2 * 84)])
def test_a_biLM_of_words(n_words, expected):
    lstm = {"projection_dim": 3, "dim": 3, "n_layers": 1}
    config = BiLMConfig.from_dict(
        {
            "lstm": {**lstm, "use_skip_connections": True},
            "n_tokens_vocab": n_words,
        }
    )
    assert count_parameters(config) == expected


def test_another_biLM_stands_there_now():
    assert describe_bilm("mini", "0" * 64) == (
        "mini: what is there now is another biLM than the run's, whose size is "
        "not known"
    )


def test_no_biLM_and_no_options(tmp_path):
    assert describe_bilm("gone", None) == (
        "gone: not there any more, its size is not known"
    )
    assert describe_bilm(str(tmp_path), None) == (
        f"{tmp_path}: without options.json, its size is not known"
    )
    (tmp_path / "options.json").write_text("{")
    assert describe_bilm(str(tmp_path), None).endswith("its size is not known")
