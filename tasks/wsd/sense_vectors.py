"""One vector for each sense of each word."""

import collections
import zipfile

import numpy as np

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from tasks.wsd.instance_vectors import instance_vectors
from tasks.wsd.sense_key import split_key

_EXPECTED = "sense vectors that tasks.wsd.evaluate wrote"
_NAMES = {"keys", "counts", "vectors", "fingerprint"}


class SenseVectors:
    """The mean of the vectors that a sense has in the training data.

    Args:
        keys: The senses' keys, a list of n.
        counts: How often each was met, int64 `[n]`.
        vectors: Float32 `[n, n_layers, output_dim]`.
    """

    def __init__(self, keys, counts, vectors):
        self.keys = keys
        self.counts = counts
        self.vectors = vectors
        self._indices = {key: index for index, key in enumerate(keys)}
        self._keys_of_word = collections.defaultdict(list)
        for key in keys:
            self._keys_of_word[split_key(key)].append(key)

    @classmethod
    def average(cls, elmo, sentences, keys, progress=None):
        """Averages the biLM's vectors of each sense (section 5.3 of the paper).

        What is kept is a sum for each sense, so that the memory does not grow
        with the text. A word with several senses counts for each of them.

        Args:
            elmo: The `Elmo`.
            sentences: A list of `SenseSentence`; those without any of the
                senses are not embedded.
            keys: The senses to average, an iterable of keys.
            progress: A function of the number of sentences to embed and of
                their tokens that returns what `instance_vectors` takes; or
                None.

        Returns:
            A `SenseVectors` of those of the senses that were met.
        """
        wanted = set(keys)
        met = collections.Counter()
        used = []
        for sentence in sentences:
            found = [
                key
                for instance in sentence.instances
                for key in instance.keys
                if key in wanted
            ]
            if found:
                met.update(found)
                used.append(sentence)
        names = sorted(met)
        indices = {key: index for index, key in enumerate(names)}
        sums = np.zeros(
            (len(names), elmo.n_layers, elmo.output_dim), np.float32
        )
        if progress is not None:
            n_tokens = sum(len(sentence.tokens) for sentence in used)
            progress = progress(len(used), n_tokens)
        embedded = instance_vectors(elmo, used, progress)
        for sentence, vectors in zip(used, embedded, strict=True):
            for instance, vector in zip(
                sentence.instances, vectors, strict=True
            ):
                for key in instance.keys:
                    if key in indices:
                        sums[indices[key]] += vector
        counts = np.array([met[key] for key in names], np.int64)
        sums /= counts[:, None, None]
        return cls(names, counts, sums)

    def keys_of(self, lemma, pos):
        """Lists the senses of a word that were met, in alphabetical order.

        Args:
            lemma: As of `SenseInstance`.
            pos: As of `SenseInstance`.
        """
        return self._keys_of_word.get((lemma, pos), [])

    def vectors_of(self, keys):
        """Looks vectors up.

        Args:
            keys: A list of n keys that were met.

        Returns:
            Float32 `[n, n_layers, output_dim]`.
        """
        return self.vectors[[self._indices[key] for key in keys]]

    def save(self, path, fingerprint):
        """Writes the vectors as NumPy's .npz.

        Args:
            path: The file; appears when it is complete.
            fingerprint: Which biLM made them; see `tasks.elmo.fingerprint`.
        """
        with write_file(path) as partial, open(partial, "wb") as file:
            np.savez(
                file,
                keys=np.array(self.keys, np.str_),
                counts=self.counts,
                vectors=self.vectors,
                fingerprint=np.array(fingerprint),
            )

    @classmethod
    def load(cls, path, fingerprint):
        """Reads what `save` wrote.

        Args:
            path: The file.
            fingerprint: That of the biLM to use them with.

        Returns:
            A `SenseVectors`.

        Raises:
            InputError: The file is missing, is none of sense vectors, or is of
                another biLM.
        """
        try:
            with open(path, "rb") as file:
                loaded = np.load(file, allow_pickle=False)
                names = getattr(loaded, "files", ())
                if not _NAMES <= set(names):
                    raise InputError(f"{path}: expected {_EXPECTED}")
                arrays = {name: loaded[name] for name in _NAMES}
        except FileNotFoundError:
            raise InputError(f"{path}: no such file") from None
        except InputError:
            raise
        except (EOFError, OSError, ValueError, zipfile.BadZipFile) as error:
            raise InputError(
                f"{path}: cannot be read ({error}), expected {_EXPECTED}"
            ) from None
        if str(arrays["fingerprint"]) != fingerprint:
            raise InputError(
                f"{path}: found sense vectors of another biLM, expected those "
                "of --saved_model"
            )
        return cls(arrays["keys"].tolist(), arrays["counts"], arrays["vectors"])
