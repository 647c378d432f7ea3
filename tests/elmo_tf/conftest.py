"""One tiny trained biLM, packaged in every way, for all tests here."""

import dataclasses
import json
import pathlib
import shutil

import pytest

from elmo_tf.embedder import Elmo
from elmo_tf.exporting import export
from tests import tiny_pretraining
from tests.reference import options as options_lib

# Of the biLM that reads words.
WORDS = ["<S>", "</S>", "<UNK>", "the", "river", "bank", "naïve", "a/b", "."]

# Of the pre-trained biLM: what tests rely on.
_MODEL_OPTIONS = {
    "task.model.lstm.dim": 8,
    "task.model.lstm.projection_dim": 4,
    "task.model.lstm.n_layers": 2,
    "task.model.char_cnn.max_characters_per_token": 10,
}


@dataclasses.dataclass(frozen=True)
class OfficialFiles:
    """A biLM in the official formats.

    Attributes:
        folder: Where the files are.
        options: The content of options.json.
        weights: A dict from the datasets' names to arrays.
    """

    folder: pathlib.Path
    options: dict
    weights: dict

    @property
    def options_file(self):
        return self.folder / "options.json"

    @property
    def weights_file(self):
        return self.folder / "weights.hdf5"

    @property
    def vocab_file(self):
        return self.folder / "vocab.txt"

    @property
    def paths(self):
        return self.options_file, self.weights_file


def write_official_files(folder, **options):
    """Writes a biLM of random weights; a word-input one with its vocabulary.

    Args:
        folder: Where to; made.
        **options: Arguments of `make_options`.
    """
    folder.mkdir()
    options = options_lib.make_options(
        **{"dim": 12, "cell_clip": 0.6, "proj_clip": 0.4, **options}
    )
    n_words = None
    if "char_cnn" not in options:
        n_words = len(WORDS)
        (folder / "vocab.txt").write_text(
            "\n".join(WORDS) + "\n", encoding="utf-8"
        )
    weights = options_lib.random_weights(options, 5, n_words, scale=1.5)
    (folder / "options.json").write_text(json.dumps(options))
    options_lib.save_weights(folder / "weights.hdf5", weights)
    return OfficialFiles(folder, options, weights)


@pytest.fixture(scope="session")
def make_official_files(tmp_path_factory):
    """Writes a biLM of random weights once a shape; see the function."""
    folder = tmp_path_factory.mktemp("official")
    made = {}

    def make(**options):
        key = json.dumps(options, sort_keys=True)
        if key not in made:
            made[key] = write_official_files(folder / str(len(made)), **options)
        return made[key]

    return make


@pytest.fixture(scope="session")
def official_files(make_official_files):
    """A biLM that reads characters."""
    return make_official_files()


@pytest.fixture(scope="session")
def word_files(make_official_files):
    """A biLM that reads words."""
    return make_official_files(word_input=True)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """The text and vocabulary of the pre-training below."""
    return tiny_pretraining.make_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def model_dir(corpus, tmp_path_factory):
    """The folder of a pre-training of some steps."""
    folder = tmp_path_factory.mktemp("pretraining") / "model"
    config = tiny_pretraining.make_config(corpus, 8, _MODEL_OPTIONS)
    with pytest.MonkeyPatch.context() as monkeypatch:
        tiny_pretraining.pretrain(monkeypatch, config, folder)
    return folder


@pytest.fixture(scope="session")
def exported_files(model_dir, tmp_path_factory):
    """`model_dir` in the official formats."""
    folder = tmp_path_factory.mktemp("exported") / "official"
    export(str(folder), "hdf5", model_dir=str(model_dir))
    return OfficialFiles(
        folder,
        json.loads((folder / "options.json").read_text()),
        options_lib.load_weights(folder / "weights.hdf5"),
    )


@pytest.fixture(scope="session")
def saved_model(model_dir, tmp_path_factory):
    """`model_dir` as a SavedModel, which needs nothing of where it was made.

    It was moved, and what it was made of is gone.
    """
    folder = tmp_path_factory.mktemp("saved_model")
    shutil.copytree(model_dir, folder / "copy")
    export(str(folder / "made"), model_dir=str(folder / "copy"))
    shutil.rmtree(folder / "copy")
    (folder / "made").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def elmo(saved_model):
    """The `Elmo` of the SavedModel."""
    return Elmo(saved_model)
