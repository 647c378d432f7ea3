"""What an `Elmo` is made of."""

import dataclasses
import hashlib
import os

from elmo_tf import pretrained
from elmo_tf.checksums import file_sha256
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class EmbedderSource:
    """What an `Elmo` is made of: a SavedModel, or an official pair of files.

    Attributes:
        saved_model: As for `Elmo`; None: there are files.
        options_file: As for `Elmo.from_weights`; None: there is a SavedModel.
        weights_file: Likewise.
        vocab_file: Likewise; or None.
        dtype: Likewise; None: float32, or the SavedModel's.
        word_cache_size: As for `Elmo`.

    Raises:
        InputError: It is neither or both, or has what only files have.
    """

    saved_model: str | None
    options_file: str | None
    weights_file: str | None
    vocab_file: str | None
    dtype: str | None
    word_cache_size: int

    def __post_init__(self):
        files = (self.options_file, self.weights_file)
        if self.saved_model is None and None not in files:
            return
        if self.saved_model is None or files != (None, None):
            raise InputError(
                "give either --saved_model, or --options_file and "
                "--weights_file"
            )
        for name in ("vocab_file", "dtype"):
            value = getattr(self, name)
            if value is not None:
                raise InputError(
                    f"--{name}={value}: is for --weights_file; a SavedModel "
                    "has its own"
                )

    def load(self, fingerprint=None):
        """Returns the `Elmo`.

        Args:
            fingerprint: The `fingerprint` that it must have; None: any.

        Raises:
            InputError: As `Elmo` and `Elmo.from_weights`; or it is another
                model.
        """
        if fingerprint is not None and fingerprint != self.fingerprint():
            raise InputError(
                f"{self.saved_model or self.weights_file}: found another model "
                "here than elsewhere, or than before"
            )
        if self.saved_model is not None:
            return Elmo(self.saved_model, self.word_cache_size)
        return Elmo.from_weights(
            *(self.options_file, self.weights_file, self.vocab_file),
            dtype=self.dtype or "float32",
            word_cache_size=self.word_cache_size,
        )

    def absolute(self):
        """Returns the same, for a process that works in another folder."""
        paths = {}
        for name in ("saved_model", "options_file", "weights_file"):
            paths[name] = _absolute(getattr(self, name))
        return dataclasses.replace(
            self, vocab_file=_absolute(self.vocab_file), **paths
        )

    def fingerprint(self):
        """Tells one model from another by what its files contain.

        Returns:
            A SHA-256, 64 hexadecimal digits. Where the files are does not
            count.

        Raises:
            InputError: There is no such model.
            OSError: A file cannot be read.
        """
        digest = hashlib.sha256()
        files = list(self._files())
        if not files:
            # It says what is wrong.
            self.load()
        for label, path in files:
            content = file_sha256(path)
            digest.update(f"{label}\0{content}\0".encode())
        return digest.hexdigest()

    def _files(self):
        """Yields a name and the path of each file."""
        if self.saved_model is None:
            for name in ("options_file", "weights_file", "vocab_file"):
                if getattr(self, name) is not None:
                    yield name, getattr(self, name)
            return
        folder = self.saved_model
        if not os.path.exists(folder) and folder in pretrained.names():
            folder = pretrained.folder(folder)
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                yield os.path.relpath(path, folder), path


def _absolute(path):
    """The absolute path of what is there; a pre-trained biLM keeps its name."""
    if path is None or not os.path.exists(path):
        return path
    return os.path.abspath(path)
