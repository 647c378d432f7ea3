"""One tiny trained tagger of named entities, for the tests of the binaries."""

import shutil

import pytest

from tests.tasks import tiny_ner


@pytest.fixture(scope="session")
def training(tmp_path_factory):
    """A training of two epochs by `tasks.train`, on a tiny biLM."""
    training = tiny_ner.train(tmp_path_factory.mktemp("training"))
    assert training.result.returncode == 0, training.result.stderr
    return training


@pytest.fixture
def copy(training, tmp_path):
    """A copy of the training's folder, to spoil."""
    return shutil.copytree(training.model_dir, tmp_path / "copy")
