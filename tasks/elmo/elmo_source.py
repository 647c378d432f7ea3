"""Where a task's data get their ELMo layers from."""

from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from tasks.elmo.cached_elmo_layers import CachedElmoLayers
from tasks.elmo.cached_elmo_layers import default_cache_dir
from tasks.elmo.fingerprint import fingerprint
from tasks.elmo.live_elmo_layers import LiveElmoLayers


class ElmoSource:
    """A frozen biLM, for the data of a task.

    Args:
        config: The `ElmoConfig`.
        expected_fingerprint: The fingerprint of the biLM that a task model was
            trained with; None: any will do.

    Attributes:
        elmo: The `elmo_tf.Elmo`.
        fingerprint: The biLM's fingerprint.

    Raises:
        InputError: The biLM cannot be loaded, is not the expected one, or has
            not the layer that the configuration asks for.
    """

    def __init__(self, config, expected_fingerprint=None):
        self._config = config
        self.elmo = Elmo(config.saved_model)
        self.fingerprint = fingerprint(config.saved_model)
        if expected_fingerprint not in (None, self.fingerprint):
            raise InputError(
                f"{config.saved_model}: is another biLM than the one that the "
                "task model was trained with"
            )
        n_layers = self.elmo.n_layers
        if config.only_layer is not None and config.only_layer >= n_layers:
            raise InputError(
                f"task.elmo.layers: found {config.only_layer}, expected all, "
                f"top or a layer of {config.saved_model}: 0 to {n_layers - 1}"
            )

    @property
    def shape(self):
        """A tuple of the number of layers and their width."""
        return self.elmo.n_layers, self.elmo.output_dim

    def layers(self, sentences, name):
        """Prepares the layers of a data set.

        Args:
            sentences: An iterable of the sentences that will be asked for.
            name: What to call the data in progress lines.

        Returns:
            The `ElmoLayers`.
        """
        if not self._config.cache:
            return LiveElmoLayers(self.elmo)
        return CachedElmoLayers(
            self.elmo,
            self.fingerprint,
            sentences,
            self._config.cache_dir or default_cache_dir(),
            name,
        )
