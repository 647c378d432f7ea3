"""A frozen biLM's layers, computed when they are asked for."""

from tasks.elmo.elmo_layers import ElmoLayers


class LiveElmoLayers(ElmoLayers):
    """Computes the layers whenever they are asked for.

    Args:
        elmo: The `elmo_tf.Elmo`.
    """

    def __init__(self, elmo):
        self._elmo = elmo

    @property
    def shape(self):
        return self._elmo.n_layers, self._elmo.output_dim

    def of(self, sentences):
        # [n_layers, n, output_dim] → [n, n_layers, output_dim]
        return [
            array.transpose(1, 0, 2) for array in self._elmo.embed(sentences)
        ]
