"""The sense whose vector is the nearest."""

import numpy as np

from elmo_tf.senses.nearest_neighbour import TIE
from tasks.wsd.instance_vectors import add_mean_layer


class NearestSense:
    """Chooses a word's sense by the nearest vector (section 5.3 of the paper).

    Near is what has a high cosine (as in context2vec, Melamud et al. 2016).
    There are as many choices as layers, and one by the mean of all layers. To
    choose from are the senses that the word has in the training data, with its
    part of speech; a word without any gets its first sense in WordNet. Of
    senses that are equally near, as many are in the token layer, it is the
    first one in WordNet's order.

    Args:
        sense_vectors: The `SenseVectors`.
        wordnet: The `WordNet`.
    """

    def __init__(self, sense_vectors, wordnet):
        self._sense_vectors = sense_vectors
        self._wordnet = wordnet

    def candidates(self, lemma, pos):
        """Lists the senses to choose from, in WordNet's order.

        Args:
            lemma: As of `SenseInstance`.
            pos: As of `SenseInstance`.

        Returns:
            A list of keys; empty if the training data have none.
        """
        met = self._sense_vectors.keys_of(lemma, pos)
        order = self._wordnet.senses(lemma, pos)
        return [key for key in order if key in met] + [
            key for key in met if key not in order
        ]

    def predict(self, instance, vectors):
        """Chooses.

        Args:
            instance: The `SenseInstance`.
            vectors: Its vectors, float32 `[n_layers, output_dim]`.

        Returns:
            A tuple of a list of n_layers + 1 keys, None for a word that neither
            the training data nor WordNet have, and of whether there was nothing
            to choose from.
        """
        candidates = self.candidates(instance.lemma, instance.pos)
        if not candidates:
            first = self._wordnet.first_sense(instance.lemma, instance.pos)
            return [first] * (len(vectors) + 1), True
        # [n_layers + 1, output_dim]
        query = _normalized(add_mean_layer(vectors))
        # [candidates, n_layers + 1, output_dim]
        senses = _normalized(
            add_mean_layer(self._sense_vectors.vectors_of(candidates))
        )
        # [candidates, n_layers + 1]
        cosines = np.einsum("cld,ld->cl", senses, query)
        # The first of those that are as near as any.
        nearest = (cosines > cosines.max(axis=0) - TIE).argmax(axis=0)
        return [candidates[index] for index in nearest], False


def _normalized(vectors):
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(norms, 1e-12)
