"""Files of weights, options and vectors."""

import functools
import io
import os

import h5py
import numpy as np

from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.initial_state_file import read_initial_state
from elmo_tf.initial_state_file import write_initial_state
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import load_frozen_weights
from elmo_tf.weights import read_weights
from elmo_tf.weights import write_weights
from tasks.elmo.cached_elmo_layers import CachedElmoLayers
from tasks.text.word_vectors import WordVectors
from tests.fuzz.fuzz_target import check_message
from tests.fuzz.fuzz_target import file_target
from tests.fuzz.fuzz_target import scratch_folder

OPTIONS = (
    b'{"lstm": {"dim": 3, "projection_dim": 2, "n_layers": 1, "cell_clip": 3, '
    b'"proj_clip": 3, "use_skip_connections": true}, "char_cnn": {"filters": '
    b'[[1, 2], [2, 1]], "activation": "relu", "n_highway": 1, "embedding": '
    b'{"dim": 2}, "max_characters_per_token": 50, "n_characters": 262}, '
    b'"bidirectional": false, "dropout": 0.1}'
)
WORD_OPTIONS = (
    b'{"lstm": {"dim": 2, "projection_dim": 2, "n_layers": 1}, '
    b'"bidirectional": false, "n_tokens_vocab": 4}'
)
_VOCABULARY = b"<S>\n</S>\n<UNK>\nthe\n!!!MAXTERMID\nof\n"
_VECTORS = (
    b"the 0.1 -2 3e-1\nof 1 2 3\n. . . 4 5 6\n",
    b"2 3\nthe 0.1 -2 3e-1 \nof 1 2 3 \n",
)
_SENTENCES = [["a", "b"], ["c"]]


def targets():
    """Returns a list of `FuzzTarget`."""
    return [
        file_target(
            "hdf5", _read_weights, _weights_seeds, file_name="weights.hdf5"
        ),
        file_target(
            "hdf5_embeddings",
            _read_embeddings,
            _embeddings_seeds,
            file_name="embeddings.hdf5",
        ),
        file_target(
            "hdf5_state", _read_state, _state_seeds, file_name="state.h5"
        ),
        file_target(
            "options",
            _read_options,
            lambda: [OPTIONS, WORD_OPTIONS],
            (b'"n_layers": ', b'"dim": ', b"1e400", b"1000000000000", b"null"),
            file_name="options.json",
            is_json=True,
        ),
        file_target(
            "vocabulary",
            Vocabulary.load,
            lambda: [_VOCABULARY],
            (b"<S>", b"</S>", b"<UNK>", b"!!!MAXTERMID"),
        ),
        file_target(
            "word_vectors",
            _read_vectors,
            lambda: list(_VECTORS),
            (b" ", b"\n", b"1e39", b"nan", b"-.5", b"0 3\n", b"0x1p3"),
        ),
        file_target("elmo_cache", _read_cache, _cache_seeds),
    ]


@functools.cache
def bilm(options):
    """A small biLM of options, bytes, built."""
    path = _write("bilm.json", options)
    model = BiLM(BiLMConfig.from_json_file(path), name="bilm")
    model.build()
    return model


def _write(name, content):
    path = os.path.join(scratch_folder(), name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def _read_weights(path):
    read_weights(path, bilm(OPTIONS))


def _rewritten(content, **how):
    """The same datasets, stored in another way."""
    buffer = io.BytesIO()
    with (
        h5py.File(io.BytesIO(content)) as old,
        h5py.File(buffer, "w", libver="latest") as new,
    ):

        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                new.create_dataset(name, data=item[()], **how)

        old.visititems(visit)
    return buffer.getvalue()


@functools.cache
def weights_file(options=OPTIONS):
    """The bytes of a small biLM's weights file."""
    path = os.path.join(scratch_folder(), "valid.hdf5")
    write_weights(path, bilm(options))
    with open(path, "rb") as file:
        return file.read()


def _weights_seeds():
    content = weights_file()
    return [
        content,
        _rewritten(content),
        _rewritten(content, chunks=True, compression="gzip", shuffle=True),
        _rewritten(content, chunks=True, fletcher32=True),
    ]


def _read_embeddings(path):
    options = _write("word_options.json", WORD_OPTIONS)
    weights = _write("word_weights.hdf5", weights_file(WORD_OPTIONS))
    load_frozen_weights(options, weights, path)


def _embeddings_seeds():
    seeds = []
    for how in ({}, {"chunks": True, "compression": "gzip"}):
        buffer = io.BytesIO()
        with h5py.File(buffer, "w") as file:
            file.create_dataset(
                "embedding", data=np.ones((4, 2), np.float32), **how
            )
        seeds.append(buffer.getvalue())
    return seeds


def _read_state(path):
    read_initial_state(path, bilm(OPTIONS))


def _state_seeds():
    path = os.path.join(scratch_folder(), "valid_state.h5")
    write_initial_state(path, bilm(OPTIONS).zero_state(1))
    with open(path, "rb") as file:
        return [file.read()]


def _read_options(path):
    weights = _write("other_weights.hdf5", weights_file())
    config = BiLMConfig.from_json_file(path)
    assert BiLMConfig.from_dict(config.to_dict()) == config
    try:
        load_frozen_weights(path, weights)
    except InputError as error:
        # What does not fit is said of the weights.
        check_message(error, weights)


def _read_vectors(path):
    words = _write("words.txt", b"the\nof\n")
    for arguments in ({}, {"keep": {"the"}}, {"dim": 3}, {"words_path": words}):
        try:
            vectors = WordVectors.load(path, **arguments)
        except InputError as error:
            check_message(error, path)
            continue
        assert vectors.vectors.shape == (len(vectors), vectors.dim)
        assert np.isfinite(vectors.vectors).all()


class _Elmo:
    n_layers = 2
    output_dim = 3

    def embed_stream(self, sentences):
        for sentence in sentences:
            yield np.ones([2, len(sentence), 3], np.float32)


def _cache(folder):
    return CachedElmoLayers(_Elmo(), "fingerprint", _SENTENCES, folder, "test")


@functools.cache
def _cache_path():
    return _cache(os.path.join(scratch_folder(), "cache")).path


@functools.cache
def _valid_cache():
    with open(_cache_path(), "rb") as file:
        return file.read()


def _cache_seeds():
    return [_valid_cache()]


def _read_cache(path):
    _valid_cache()
    os.replace(path, _cache_path())
    _cache(os.path.dirname(_cache_path())).of(_SENTENCES)
