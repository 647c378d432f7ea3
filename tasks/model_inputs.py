"""The inputs of a task model."""

import keras

from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum
from elmo_tf.text.characters import MAX_CHARACTERS_PER_TOKEN

# Name of the layer of word vectors.
WORD_EMBEDDING = "word_embedding"


class ModelInputs:
    """The inputs of a task model, and the vectors of its tokens.

    All text fields share their layers. Without ELMo there is no input and no
    layer for it.

    Args:
        config: The `TaskConfig`.
        text_fields: Names of the texts.
        uses_characters: Whether the model reads characters.
        vocabulary_size: Number of rows of the word vectors.
        word_dim: Their width.
        elmo_shape: Number and width of the biLM's layers; None: no ELMo.

    Attributes:
        keras_inputs: A dictionary of the inputs, for each text field: its name
            with `_word_ids` int32 `[batch, time]`, `_mask` bool `[batch,
            time]`, `_character_ids` int32 `[batch, time, 50]` and `_elmo`
            float32 `[batch, time, n_layers, output_dim]`.
    """

    def __init__(
        self,
        config,
        text_fields,
        uses_characters,
        vocabulary_size,
        word_dim,
        elmo_shape=None,
    ):
        self.keras_inputs = {}
        self._word_embedding = keras.layers.Embedding(
            vocabulary_size,
            word_dim,
            trainable=config.word_vectors.trainable,
            name=WORD_EMBEDDING,
        )
        self._elmo_config = config.elmo
        self._elmo_layers = {}
        for field in text_fields:
            self._add(f"{field}_word_ids", [None], "int32")
            self._add(f"{field}_mask", [None], "bool")
            if uses_characters:
                self._add(
                    f"{field}_character_ids",
                    [None, MAX_CHARACTERS_PER_TOKEN],
                    "int32",
                )
            if elmo_shape is not None:
                self._add(f"{field}_elmo", [None, *elmo_shape], "float32")

    def mask(self, field):
        """Returns which positions of a field hold tokens: bool."""
        return self.keras_inputs[f"{field}_mask"]

    def character_ids(self, field):
        """Returns a field's character ids."""
        return self.keras_inputs[f"{field}_character_ids"]

    def word_vectors(self, field):
        """Looks up a field's word vectors: `[batch, time, word_dim]`."""
        return self._word_embedding(self.keras_inputs[f"{field}_word_ids"])

    def elmo(self, field, location):
        """Weighs a field's ELMo layers.

        Args:
            field: The text field.
            location: "input" or "output": each has weights of its own.

        Returns:
            A list of a tensor `[batch, time, output_dim]`; empty if the model
            takes no ELMo there.
        """
        config = self._elmo_config
        if not (config.at_input if location == "input" else config.at_output):
            return []
        if location not in self._elmo_layers:
            self._elmo_layers[location] = WeightedLayerSum(
                layer_norm=config.layer_norm,
                top_only=config.layers == "top",
                dropout=config.dropout,
                l2=config.l2,
                name=f"elmo_{location}",
            )
        layer = self._elmo_layers[location]
        return [
            layer(self.keras_inputs[f"{field}_elmo"], mask=self.mask(field))
        ]

    def _add(self, name, shape, dtype):
        self.keras_inputs[name] = keras.Input(shape, dtype=dtype, name=name)
