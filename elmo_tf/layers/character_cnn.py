"""From a word's characters to its context-independent vector."""

import keras
import tensorflow as tf

from elmo_tf.layers.highway import Highway
from elmo_tf.layers.max_convolution import max_convolution


@keras.saving.register_keras_serializable(package="elmo_tf")
class CharacterCNN(keras.layers.Layer):
    """Character CNN with highway layers and a projection (section 3.4).

    Each word's characters are embedded and convolved with filters of several
    widths; the maximum of each filter over the word's positions, padding
    included as in the official models, then the activation, gives the word's
    features; highway layers and a linear projection follow (Kim et al. 2015;
    Józefowicz et al. 2016).

    Of the padding at a word's end only one window is computed (see
    `max_convolution`), so time goes with the words' lengths and not with
    `max_characters`. How many windows that is depends on the words: the layer
    does not compile with `jit_compile`.

    Input shape: `[..., max_characters]`, integer character ids of
    `elmo_tf.text.characters`: 0 stands for a masked token and embeds as zeros.
    Rows shorter than the widest filter are padded with zero vectors. Output
    shape: `[..., output_dim]`; a masked token's output is not zero (the caller
    masks it).

    Args:
        filters: Pairs of a filter's width in characters and the number of
            filters of that width.
        activation: "relu" or "tanh".
        embedding_dim: Width of a character's embedding.
        n_highway: Number of highway layers.
        projection_dim: Width of the output. None, or equal to the number of
            filters: no projection.
        n_characters: Number of character ids, 0 included.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `activation`, `filters` or `projection_dim` is none of the
            above.
    """

    def __init__(
        self,
        filters,
        activation="relu",
        embedding_dim=16,
        n_highway=0,
        projection_dim=None,
        n_characters=262,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.supports_jit = False
        if activation not in ("relu", "tanh"):
            raise ValueError(
                f"`activation` should be 'relu' or 'tanh'. Received: "
                f"activation={activation!r}"
            )
        if not filters or any(
            len(pair) != 2 or min(pair) < 1 for pair in filters
        ):
            raise ValueError(
                "`filters` should be pairs of a width and a number of "
                f"filters. Received: filters={filters!r}"
            )
        if projection_dim is not None and projection_dim < 1:
            raise ValueError(
                "`projection_dim` should be positive. Received: "
                f"projection_dim={projection_dim}"
            )
        self.filters = [tuple(pair) for pair in filters]
        self.activation = activation
        self.embedding_dim = embedding_dim
        self.n_highway = n_highway
        self.projection_dim = projection_dim
        self.n_characters = n_characters
        self.n_filters = sum(count for _, count in self.filters)
        self.output_dim = projection_dim or self.n_filters
        self.has_projection = self.output_dim != self.n_filters

    def build(self, input_shape):
        # The row of id 0 is always zero and so is not a weight: the weights
        # files hold the other rows.
        self.character_embedding = self.add_weight(
            shape=(self.n_characters - 1, self.embedding_dim),
            initializer=keras.initializers.RandomUniform(-1.0, 1.0),
            name="character_embedding",
        )
        self.kernels = []
        self.biases = []
        for index, (width, count) in enumerate(self.filters):
            if self.activation == "relu":
                initializer = keras.initializers.RandomUniform(-0.05, 0.05)
            else:
                initializer = keras.initializers.RandomNormal(
                    stddev=(width * self.embedding_dim) ** -0.5
                )
            self.kernels.append(
                self.add_weight(
                    shape=(width, self.embedding_dim, count),
                    initializer=initializer,
                    name=f"kernel_{index}",
                )
            )
            self.biases.append(
                self.add_weight(
                    shape=(count,), initializer="zeros", name=f"bias_{index}"
                )
            )
        self.highways = []
        for index in range(self.n_highway):
            highway = Highway(name=f"highway_{index}", dtype=self.dtype_policy)
            highway.build((None, self.n_filters))
            self.highways.append(highway)
        if self.has_projection:
            self.projection_kernel = self.add_weight(
                shape=(self.n_filters, self.output_dim),
                initializer=keras.initializers.RandomNormal(
                    stddev=self.n_filters**-0.5
                ),
                name="projection_kernel",
            )
            self.projection_bias = self.add_weight(
                shape=(self.output_dim,),
                initializer="zeros",
                name="projection_bias",
            )

    def call(self, inputs, training=None):
        character_ids = tf.cast(inputs, tf.int32)
        leading_shape = tf.shape(character_ids)[:-1]
        static_leading_shape = character_ids.shape[:-1]
        # [..., max_characters] → [words, max_characters]
        character_ids = tf.reshape(character_ids, [-1, character_ids.shape[-1]])
        features = self._convolve(character_ids, training)
        for highway in self.highways:
            features = highway(features)
        if self.has_projection:
            features = (
                tf.matmul(features, self.projection_kernel)
                + self.projection_bias
            )
        # [words, output_dim] → [..., output_dim]
        outputs = tf.reshape(
            features, tf.concat([leading_shape, [self.output_dim]], axis=0)
        )
        outputs.set_shape(static_leading_shape + [self.output_dim])
        return outputs

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.output_dim)

    def compute_output_spec(self, inputs, training=None):
        return keras.KerasTensor(
            self.compute_output_shape(inputs.shape), dtype=self.compute_dtype
        )

    def get_config(self):
        config = super().get_config()
        config.update(
            filters=[list(pair) for pair in self.filters],
            activation=self.activation,
            embedding_dim=self.embedding_dim,
            n_highway=self.n_highway,
            projection_dim=self.projection_dim,
            n_characters=self.n_characters,
        )
        return config

    def _convolve(self, character_ids, training):
        """`[words, max_characters]` → `[words, n_filters]`."""
        embedding = tf.convert_to_tensor(self.character_embedding)
        table = tf.concat([tf.zeros_like(embedding[:1]), embedding], axis=0)
        maxima = max_convolution(
            character_ids,
            table,
            [tf.convert_to_tensor(kernel) for kernel in self.kernels],
            training=bool(training),
        )
        bias = tf.concat(
            [tf.convert_to_tensor(bias) for bias in self.biases], axis=0
        )
        # The bias and the activation are monotone, so the maximum may be
        # taken first, on fewer numbers.
        activation = tf.nn.relu if self.activation == "relu" else tf.tanh
        return activation(tf.nn.bias_add(maxima, bias))
