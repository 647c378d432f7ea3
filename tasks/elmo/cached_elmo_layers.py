"""A frozen biLM's layers, computed once for a data set and kept on disk."""

import hashlib
import io
import math
import os
import zlib

import numpy as np

from elmo_tf.atomic_file import remove_abandoned
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.training.progress import Progress
from tasks.elmo.elmo_layers import ElmoLayers

# Part of each file's name: another layout is another file.
_FORMAT = "2"
_CRC = np.dtype("<u4")

_WHAT_TO_DO = "delete the file, and the layers are computed again"


class CachedElmoLayers(ElmoLayers):
    """Computes the layers of a data set's sentences once and keeps them.

    They lie in one file, whose name depends on the biLM's weights and on the
    sentences: another biLM or other data never meet it. The file appears only
    when it is complete, so that an interrupted run leaves nothing that looks
    like one, and two runs at once do not disturb each other. It is read by
    memory mapping. It is a `.npy` file, `[tokens, n_layers, output_dim]`, with
    the CRC-32 of each sentence's part after the array: the part is checked
    when it is first asked for.

    Args:
        elmo: The `elmo_tf.Elmo`.
        fingerprint: The biLM's fingerprint; see `fingerprint`.
        sentences: An iterable of the sentences that will be asked for.
        cache_dir: The folder of the file, made if it does not exist.
        name: What to call the data in the progress lines.

    Raises:
        InputError: The file is damaged; so may `of` and `batch`.
    """

    def __init__(self, elmo, fingerprint, sentences, cache_dir, name):
        self._shape = elmo.n_layers, elmo.output_dim
        distinct = list(dict.fromkeys(map(tuple, sentences)))
        ends = np.cumsum([0, *map(len, distinct)])
        self._slices = {
            sentence: slice(*ends[index : index + 2])
            for index, sentence in enumerate(distinct)
        }
        self._numbers = {
            sentence: number for number, sentence in enumerate(distinct)
        }
        os.makedirs(cache_dir, exist_ok=True)
        file_name = f"{_key(fingerprint, distinct)}.npy"
        self.path = os.path.join(cache_dir, file_name)
        shape = int(ends[-1]), *self._shape
        if os.path.exists(self.path):
            remove_abandoned(cache_dir, {file_name})
        else:
            with write_file(self.path) as partial:
                _compute(elmo, distinct, partial, shape, name)
        self._array, self._crcs = _read(self.path, shape, len(distinct))
        self._is_checked = np.zeros(len(distinct), bool)

    @property
    def shape(self):
        return self._shape

    def of(self, sentences):
        return [self._of_sentence(tuple(sentence)) for sentence in sentences]

    def _of_sentence(self, sentence):
        part = self._array[self._slices[sentence]]
        number = self._numbers[sentence]
        if not self._is_checked[number]:
            if zlib.crc32(part) != self._crcs[number]:
                raise InputError(
                    f"{self.path}: damaged: found another CRC-32 of the "
                    f"sentence {number}, expected {self._crcs[number]:08x}; "
                    f"{_WHAT_TO_DO}"
                )
            self._is_checked[number] = True
        return part


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
    crcs = []
    end = 0
    # Not by memory mapping: a full disk would end the process without a word.
    with open(path, "wb") as file:
        _write_header(file, shape)
        for layers in elmo.embed_stream(map(list, sentences)):
            # [n_layers, n, output_dim] → [n, n_layers, output_dim]
            part = np.ascontiguousarray(layers.transpose(1, 0, 2), np.float32)
            file.write(part)
            crcs.append(zlib.crc32(part))
            end += len(part)
            progress.update(end, len(part), {})
        file.write(np.array(crcs, _CRC))


def _write_header(file, shape):
    np.lib.format.write_array_header_1_0(
        file,
        {
            "descr": np.lib.format.dtype_to_descr(np.dtype(np.float32)),
            "fortran_order": False,
            "shape": shape,
        },
    )


def _read(path, shape, n_sentences):
    """The array, memory mapped, and the CRC-32 of each sentence."""
    header = io.BytesIO()
    _write_header(header, shape)
    n_bytes = len(header.getvalue()) + 4 * math.prod(shape)
    expected_bytes = n_bytes + _CRC.itemsize * n_sentences
    found_bytes = os.path.getsize(path)
    if found_bytes != expected_bytes:
        raise InputError(
            f"{path}: damaged: found {found_bytes} bytes, expected "
            f"{expected_bytes} for the ELMo layers of {shape[0]} tokens; "
            f"{_WHAT_TO_DO}"
        )
    with open(path, "rb") as file:
        if file.read(len(header.getvalue())) != header.getvalue():
            raise InputError(
                f"{path}: damaged: found another beginning, expected that of "
                f"the ELMo layers of {shape[0]} tokens; {_WHAT_TO_DO}"
            )
        file.seek(n_bytes)
        crcs = np.frombuffer(file.read(), _CRC)
    return np.load(path, mmap_mode="r"), crcs
