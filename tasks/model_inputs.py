"""The inputs of a task model."""

import keras

from elmo_tf.layers.character_encoder import CharacterEncoder
from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum
from elmo_tf.text.characters import MAX_CHARACTERS_PER_TOKEN

# Name of the layer of word vectors.
WORD_EMBEDDING = "word_embedding"


class ModelInputs:
    """The inputs of a task model, and the vectors of its tokens.

    All text fields share their layers. For what the model does not read, words,
    characters or ELMo, there is no input and no layer.

    Args:
        config: The `TaskConfig`.
        text_fields: Names of the texts.
        vocabulary_size: Number of rows of the word vectors.
        word_dim: Their width; 0: no word vectors.
        elmo_shape: Number and width of the biLM's layers; None: no ELMo.
        more: A dictionary from the names of more inputs to their
            `tf.TensorSpec`; None: there are none.

    Attributes:
        keras_inputs: A dictionary of the inputs, for each text field: its name
            with `_word_ids` int32 `[batch, time]`, `_mask` bool `[batch,
            time]`, `_character_ids` int32 `[batch, time, 50]` and `_elmo`
            float32 `[batch, time, n_layers, output_dim]`; and those of `more`.
    """

    def __init__(
        self,
        config,
        text_fields,
        vocabulary_size,
        word_dim,
        elmo_shape=None,
        more=None,
    ):
        self.keras_inputs = {}
        self._word_embedding = None
        if word_dim > 0:
            self._word_embedding = keras.layers.Embedding(
                vocabulary_size,
                word_dim,
                trainable=config.word_vectors.trainable,
                name=WORD_EMBEDDING,
            )
        self._character_encoder = None
        if config.character_encoder.is_used:
            self._character_encoder = CharacterEncoder(
                config.character_encoder.embedding_dim,
                config.character_encoder.filters,
                config.character_encoder.width,
                config.character_encoder.dropout,
                name="character_encoder",
            )
        self._elmo_config = config.elmo
        self._elmo_layers = {}
        for field in text_fields:
            if word_dim > 0:
                self._add(f"{field}_word_ids", [None], "int32")
            self._add(f"{field}_mask", [None], "bool")
            if config.character_encoder.is_used:
                self._add(
                    f"{field}_character_ids",
                    [None, MAX_CHARACTERS_PER_TOKEN],
                    "int32",
                )
            if elmo_shape is not None:
                self._add(f"{field}_elmo", [None, *elmo_shape], "float32")
        for name, spec in (more or {}).items():
            self._add(name, spec.shape[1:], spec.dtype.name)

    def mask(self, field):
        """Returns which positions of a field hold tokens: bool."""
        return self.keras_inputs[f"{field}_mask"]

    def token_vectors(self, field):
        """Makes the vectors that a task model's lowest layer takes.

        Args:
            field: The text field.

        Returns:
            A tensor `[batch, time, features]`: of word vector, character
            convolution and ELMo at the input those that the configuration
            has.
        """
        parts = []
        if self._word_embedding is not None:
            word_ids = self.keras_inputs[f"{field}_word_ids"]
            parts.append(self._word_embedding(word_ids))
        if self._character_encoder is not None:
            character_ids = self.keras_inputs[f"{field}_character_ids"]
            parts.append(
                self._character_encoder(character_ids, mask=self.mask(field))
            )
        return _joined([*parts, *self._elmo(field, "input")])

    def with_elmo_output(self, field, vectors):
        """Puts ELMo at the output beside an encoder's output.

        Args:
            field: The text field.
            vectors: The encoder's output, `[batch, time, features]`.

        Returns:
            A tensor `[batch, time, more features]`; `vectors` if the model
            takes no ELMo there.
        """
        return _joined([vectors, *self._elmo(field, "output")])

    def _elmo(self, field, location):
        """A list of the weighted sum at a location, empty if it has none."""
        config = self._elmo_config
        if not (config.at_input if location == "input" else config.at_output):
            return []
        if location not in self._elmo_layers:
            self._elmo_layers[location] = WeightedLayerSum(
                layer_norm=config.layer_norm,
                only_layer=config.only_layer,
                dropout=config.dropout,
                l2=config.l2,
                use_gamma=config.use_gamma,
                name=f"elmo_{location}",
            )
        layer = self._elmo_layers[location]
        return [
            layer(self.keras_inputs[f"{field}_elmo"], mask=self.mask(field))
        ]

    def _add(self, name, shape, dtype):
        self.keras_inputs[name] = keras.Input(shape, dtype=dtype, name=name)


def _joined(parts):
    return keras.layers.Concatenate()(parts) if len(parts) > 1 else parts[0]
