"""A frozen biLM's layers, computed once for a data set and kept on disk."""

import hashlib
import os

import numpy as np

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.training.progress import Progress
from tasks.elmo.elmo_layers import ElmoLayers

# Part of each file's name: another layout is another file.
_FORMAT = "1"


class CachedElmoLayers(ElmoLayers):
    """Computes the layers of a data set's sentences once and keeps them.

    They lie in one file, whose name depends on the biLM's weights and on the
    sentences: another biLM or other data never meet it. The file appears only
    when it is complete, so that an interrupted run leaves nothing that looks
    like one, and two runs at once do not disturb each other. It is read by
    memory mapping.

    Args:
        elmo: The `elmo_tf.Elmo`.
        fingerprint: The biLM's fingerprint; see `fingerprint`.
        sentences: An iterable of the sentences that will be asked for.
        cache_dir: The folder of the file, made if it does not exist.
        name: What to call the data in the progress lines.

    Raises:
        InputError: The file is damaged.
    """

    def __init__(self, elmo, fingerprint, sentences, cache_dir, name):
        self._shape = elmo.n_layers, elmo.output_dim
        distinct = list(dict.fromkeys(map(tuple, sentences)))
        ends = np.cumsum([0, *map(len, distinct)])
        self._slices = {
            sentence: slice(*ends[index : index + 2])
            for index, sentence in enumerate(distinct)
        }
        os.makedirs(cache_dir, exist_ok=True)
        self.path = os.path.join(
            cache_dir, f"{_key(fingerprint, distinct)}.npy"
        )
        shape = int(ends[-1]), *self._shape
        if not os.path.exists(self.path):
            with write_file(self.path) as partial:
                _compute(elmo, distinct, partial, shape, name)
        self._array = _read(self.path, shape)

    @property
    def shape(self):
        return self._shape

    def of(self, sentences):
        return [
            self._array[self._slices[tuple(sentence)]] for sentence in sentences
        ]


def default_cache_dir():
    """Returns where layers are kept, unless told otherwise."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache"
    )
    return os.path.join(folder, "elmo_tf")


def _key(fingerprint, sentences):
    digest = hashlib.sha256(f"{_FORMAT}\0{fingerprint}\0".encode())
    for sentence in sentences:
        # The length first: tokens may hold anything.
        for token in (str(len(sentence)), *sentence):
            data = token.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _compute(elmo, sentences, path, shape, name):
    progress = Progress(
        shape[0], step_name=f"ELMo layers of {name}: token", unit="tokens"
    )
    array = np.lib.format.open_memmap(path, "w+", np.float32, shape)
    start = 0
    for layers in elmo.embed_stream(map(list, sentences)):
        end = start + layers.shape[1]
        # [n_layers, n, output_dim] → [n, n_layers, output_dim]
        array[start:end] = layers.transpose(1, 0, 2)
        progress.update(end, end - start, {})
        start = end
    array.flush()


def _read(path, shape):
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError):
        array = None
    if array is None or array.shape != shape or array.dtype != np.float32:
        raise InputError(
            f"{path}: damaged: expected the ELMo layers of {shape[0]} tokens; "
            "delete the file, and they are computed again"
        )
    return array
