"""The pre-trained biLMs that come with the package.

`elmo_tf.Elmo`, `elmo_tf.FrozenBiLM` and `--saved_model` take their names in
place of a SavedModel's folder. Each is a folder here: options.json,
weights.hdf5 and vocab.txt as `elmo_tf.export` writes them, the LSTM state that
sentences start from, metadata.json and a model card.
"""

import collections
import json
import os
import pathlib

import tensorflow as tf

from elmo_tf.embedding_functions import EmbeddingFunctions
from elmo_tf.errors import InputError
from elmo_tf.initial_state_file import INITIAL_STATE_FILE_NAME
from elmo_tf.initial_state_file import read_initial_state
from elmo_tf.weights import load_bilm

METADATA_FILE_NAME = "metadata.json"
MODEL_CARD_FILE_NAME = "MODEL_CARD.md"

_FOLDER = pathlib.Path(__file__).parent


def names():
    """Lists the names of the pre-trained biLMs, sorted."""
    return sorted(
        path.parent.name for path in _FOLDER.glob(f"*/{METADATA_FILE_NAME}")
    )


def folder(name):
    """Returns the folder of a pre-trained biLM, a `pathlib.Path`.

    Its options.json, weights.hdf5 and vocab.txt are for whatever takes official
    files: `Elmo.from_weights`, `StatefulElmo`, fine-tuning. Nothing is ever
    written into it.

    Args:
        name: One of `names()`.

    Raises:
        InputError: There is no such biLM.
    """
    if name not in names():
        raise InputError(
            f"{name}: no pre-trained biLM; there is {', '.join(names())}"
        )
    return _FOLDER / name


def load_pretrained(name):
    """Loads a pre-trained biLM, in this process and without a SavedModel.

    Args:
        name: One of `names()`.

    Returns:
        An object like the one that `tf.saved_model.load` returns of
        `export_saved_model`'s folder: its `signatures`, and `flat`, are the
        functions.

    Raises:
        InputError: There is no such biLM.
    """
    return load_folder(folder(name))


def load_folder(path):
    """Loads a folder like those of the pre-trained biLMs.

    Args:
        path: The folder.

    Returns:
        As `load_pretrained`.

    Raises:
        InputError: A file is missing or does not fit the others.
    """
    bilm = load_bilm(
        os.path.join(path, "options.json"), os.path.join(path, "weights.hdf5")
    )
    state = read_initial_state(
        os.path.join(path, INITIAL_STATE_FILE_NAME), bilm
    )
    metadata_path = os.path.join(path, METADATA_FILE_NAME)
    with open(metadata_path, encoding="utf-8") as file:
        metadata = json.load(file)
    return _Loaded(
        EmbeddingFunctions(
            bilm, initial_state=state, tokenizer=metadata["tokenizer"]
        )
    )


class _Loaded(tf.Module):
    """Embedding functions with the interface of a loaded SavedModel.

    An attribute of a Keras layer, it brings the variables into a SavedModel
    that the layer's model is exported to.
    """

    def __init__(self, functions):
        super().__init__()
        self._functions = functions

    @property
    def signatures(self):
        return _Signatures(self._functions.signatures())

    @property
    def flat(self):
        return self._functions.flat

    @property
    def set_word_cache_size(self):
        return self._functions.set_word_cache_size

    @property
    def forget_words(self):
        return self._functions.forget_words


class _Signatures(collections.abc.Mapping):
    """The functions by name, each traced when it is first asked for."""

    def __init__(self, functions):
        self._functions = functions

    def __getitem__(self, name):
        return self._functions[name].get_concrete_function()

    def __contains__(self, name):
        return name in self._functions

    def __iter__(self):
        return iter(self._functions)

    def __len__(self):
        return len(self._functions)
