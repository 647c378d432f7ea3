"""A frozen biLM's layers of the sentences of a data set."""

import abc

import numpy as np


class ElmoLayers(abc.ABC):
    """Gives the biLM's layers of sentences, as a task model reads them."""

    def batch(self, sentences):
        """Looks up sentences.

        Args:
            sentences: A list of lists of tokens.

        Returns:
            Float32 `[sentences, time, n_layers, output_dim]`, zero at padding,
            `time` being the longest sentence's.
        """
        arrays = self.of(sentences)
        time = max(map(len, sentences), default=0)
        batch = np.zeros([len(sentences), time, *self.shape], np.float32)
        for row, array in zip(batch, arrays, strict=True):
            row[: len(array)] = array
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
