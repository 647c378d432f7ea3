"""A frozen biLM's layers of the sentences of a data set."""

import abc
import itertools

import numpy as np


class ElmoLayers(abc.ABC):
    """Gives the biLM's layers of sentences, as a task model reads them."""

    def batch(self, texts):
        """Looks up texts, whose sentences the biLM reads one by one.

        Args:
            texts: A list of texts, each a list of sentences, which are lists of
                tokens.

        Returns:
            Float32 `[texts, time, n_layers, output_dim]`, zero at padding,
            `time` being the longest text's.
        """
        arrays = iter(self.of([*itertools.chain.from_iterable(texts)]))
        time = max((sum(map(len, sentences)) for sentences in texts), default=0)
        batch = np.zeros([len(texts), time, *self.shape], np.float32)
        for row, sentences in zip(batch, texts, strict=True):
            start = 0
            for array in itertools.islice(arrays, len(sentences)):
                row[start : start + len(array)] = array
                start += len(array)
        return batch

    @property
    @abc.abstractmethod
    def shape(self):
        """A tuple of the number of layers and their width."""

    @abc.abstractmethod
    def of(self, sentences):
        """Looks up sentences.

        Args:
            sentences: A list of lists of tokens.

        Returns:
            A list of float32 arrays `[n, n_layers, output_dim]`.
        """
