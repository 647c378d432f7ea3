"""A tiny biLM and a tiny WordNet."""

import pytest

from elmo_tf.embedder import Elmo
from tasks.wsd.wordnet import WordNet
from tests.tasks import tiny_elmo
from tests.tasks.wsd import tiny_wordnet


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory):
    return tiny_elmo.export(tmp_path_factory.mktemp("wsd") / "elmo")


@pytest.fixture(scope="session")
def elmo(saved_model):
    return Elmo(saved_model)


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory):
    return tiny_wordnet.write(tmp_path_factory.mktemp("wsd") / "wordnet")


@pytest.fixture(scope="session")
def wordnet(wordnet_folder):
    return WordNet(wordnet_folder)
