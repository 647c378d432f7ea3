"""The biLM's vectors of all tokens of a text, on disk, to be searched."""

import contextlib
import os

import numpy as np

from elmo_tf.atomic_file import write_file
from elmo_tf.nearest_rows import nearest_rows
from elmo_tf.nearest_rows import unit_vectors
from tasks.probes.approximate_index import LEAST_VECTORS
from tasks.probes.approximate_index import ApproximateIndex

# The nearest of so many candidates for each that is wanted.
_CANDIDATES = 50
_LEAST_CANDIDATES = 1000
# They come in heaps: told one by one, the first would seem to take very long.
_SENTENCES_AT_ONCE = 500


class OccurrenceIndex:
    """The tokens' vectors, layer by layer.

    What is in the folder already is taken as it is: the folder must be one of
    this text, this biLM and this dtype.

    Args:
        folder: Where the vectors are, or will be; made if it does not exist.
        elmo: The `Elmo`.
        corpus: The `LineCorpus`.
        dtype: "float16" or "float32", of the vectors on disk.
        exact_below: From so many tokens on the search for all words is
            approximate.
    """

    def __init__(
        self, folder, elmo, corpus, dtype="float16", exact_below=1_000_000
    ):
        self._folder = folder
        self._elmo = elmo
        self._corpus = corpus
        self._dtype = dtype
        # The `ApproximateIndex` of each layer that was searched.
        self._approximate = {}
        self.is_approximate = corpus.n_tokens >= max(exact_below, LEAST_VECTORS)

    def prepare(self, layers, progress):
        """Makes what is missing for the search in some layers.

        Args:
            layers: The numbers of the layers.
            progress: A function of a title, a number of steps and what a step
                is called that returns a function of the number of steps done
                and of tokens since the last call.
        """
        os.makedirs(self._folder, exist_ok=True)
        missing = [
            layer for layer in layers if not os.path.exists(self._path(layer))
        ]
        if missing:
            self._embed(
                missing,
                progress("layers", self._corpus.n_sentences, "sentence"),
            )
        if not self.is_approximate:
            return
        for layer in layers:
            path = self._path(layer, "faiss")
            if not os.path.exists(path):
                title = f"index of layer {layer}"
                ApproximateIndex.build(
                    path,
                    self._vectors(layer),
                    progress(title, self._corpus.n_tokens, "token"),
                )

    def search(self, layer, query, n, rows=None, excluded=()):
        """Finds the tokens with the nearest vectors.

        Args:
            layer: The layer's number, one that was prepared.
            query: Float32 `[dim]`, of any length.
            n: How many tokens to find.
            rows: The numbers of the tokens to search, rising, all of them;
                None: the whole text, be it approximately.
            excluded: Numbers of tokens that are not to be found.

        Returns:
            As `nearest_rows`: cosines and the tokens' numbers.
        """
        query = unit_vectors(query)
        if rows is None and self.is_approximate:
            if layer not in self._approximate:
                self._approximate[layer] = ApproximateIndex(
                    self._path(layer, "faiss")
                )
            rows = self._approximate[layer].candidates(
                query, len(excluded) + max(_LEAST_CANDIDATES, _CANDIDATES * n)
            )
        return nearest_rows(self._vectors(layer), query, n, rows, excluded)

    def recall(self, layer, n, n_queries):
        """Measures the approximate search against the exact one.

        Args:
            layer: The layer's number.
            n: How many tokens to find for each query.
            n_queries: How many tokens of the text to take as queries, drawn at
                random.

        Returns:
            Which share of what the approximate search finds is as near as what
            the exact one does.
        """
        vectors = self._vectors(layer)
        drawn = np.random.default_rng(1).choice(
            len(vectors), min(n_queries, len(vectors)), replace=False
        )
        found = wanted = 0
        for row in drawn:
            query = vectors[row].astype(np.float32)
            exact, _ = nearest_rows(vectors, unit_vectors(query), n)
            cosines, _ = self.search(layer, query, n)
            found += int(np.sum(cosines >= exact[-1]))
            wanted += len(exact)
        return found / wanted

    def _embed(self, layers, progress):
        """Writes the vectors of layers, each sentence by itself."""
        shape = (self._corpus.n_tokens, self._elmo.output_dim)
        with contextlib.ExitStack() as stack:
            arrays = {
                layer: np.lib.format.open_memmap(
                    stack.enter_context(write_file(self._path(layer))),
                    "w+",
                    self._dtype,
                    shape,
                )
                for layer in layers
            }
            n_sentences = self._corpus.n_sentences
            start = reported = 0
            embedded = self._elmo.embed_stream(self._corpus.sentences())
            for number, sentence in enumerate(embedded, start=1):
                end = start + sentence.shape[1]
                for layer, array in arrays.items():
                    array[start:end] = unit_vectors(sentence[layer])
                start = end
                if number % _SENTENCES_AT_ONCE == 0 or number == n_sentences:
                    progress(number, end - reported)
                    reported = end
            for array in arrays.values():
                array.flush()

    def _vectors(self, layer):
        return np.load(self._path(layer), mmap_mode="r")

    def _path(self, layer, suffix="npy"):
        return os.path.join(self._folder, f"layer_{layer}.{suffix}")
