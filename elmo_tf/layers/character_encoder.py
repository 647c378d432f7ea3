"""From a word's characters to its vector, for task models."""

import keras
import tensorflow as tf

from elmo_tf.text.characters import PADDING_ID
from elmo_tf.text.characters import WORD_PADDING_ID


@keras.saving.register_keras_serializable(package="elmo_tf")
class CharacterEncoder(keras.layers.Layer):
    """Character convolution with a maximum over the word (appendix A.7).

    Each word's characters, its begin and end marks among them, are embedded and
    convolved; a ReLU and the maximum over the windows that lie in the word give
    its vector. With windows of several widths the maxima of each stand one
    after the other. A word shorter than a window is filled up with zeros. How
    many characters a row has room for makes no difference.

    Only windows that lie in words are computed. How many those are depends on
    the words: the layer does not compile with `jit_compile`.

    Input shape: `[..., max_characters]`, integer character ids of
    `elmo_tf.text.characters`; a word of zeros only is padding. Output shape:
    `[..., filters]`, or `[..., widths · filters]`, zeros for padding and where
    the mask is False. The mask has the input's shape without the last
    dimension.

    Args:
        embedding_dim: Width of a character's embedding.
        filters: Number of filters of each width.
        width: Width of a window in characters, or several different ones.
        dropout: The rate on the characters' embeddings, in training.
        seed: Integer that starts the sequence of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: A size is not positive, a width stands there twice, there is
            none, or the rate is outside [0, 1).
    """

    def __init__(
        self,
        embedding_dim=16,
        filters=128,
        width=3,
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.supports_jit = False
        self.supports_masking = True
        self._widths = (width,) if isinstance(width, int) else tuple(width)
        for name, value in (
            ("embedding_dim", embedding_dim),
            ("filters", filters),
            *(("width", value) for value in self._widths),
        ):
            if value < 1:
                raise ValueError(
                    f"`{name}` should be positive. Received: {name}={value}"
                )
        if not self._widths or len({*self._widths}) < len(self._widths):
            raise ValueError(
                "`width` should be a number or different numbers. Received: "
                f"width={width}"
            )
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: dropout={dropout}"
            )
        self.embedding_dim = embedding_dim
        self.filters = filters
        self.width = width if isinstance(width, int) else list(width)
        self.dropout = dropout
        self.seed = seed
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )

    def build(self, input_shape):
        # As Ma and Hovy (2016) begin: the embedding's variance is 1 / dim.
        limit = (3.0 / self.embedding_dim) ** 0.5
        self.character_embedding = self.add_weight(
            shape=(WORD_PADDING_ID - PADDING_ID - 1, self.embedding_dim),
            initializer=keras.initializers.RandomUniform(-limit, limit),
            name="character_embedding",
        )
        self.kernels = [
            self.add_weight(
                shape=(width, self.embedding_dim, self.filters),
                initializer="glorot_uniform",
                name="kernel" if len(self._widths) == 1 else f"kernel_{width}",
            )
            for width in self._widths
        ]
        self.bias = self.add_weight(
            shape=(self._output_dim,), initializer="zeros", name="bias"
        )

    def call(self, inputs, mask=None, training=None):
        ids = tf.cast(inputs, tf.int32)
        if mask is not None:
            mask = tf.cast(mask, tf.bool)
            ids = tf.where(mask[..., tf.newaxis], ids, PADDING_ID)
        leading_shape = tf.shape(ids)[:-1]
        # [..., max_characters] → [words, max_characters]
        ids = tf.reshape(ids, [-1, ids.shape[-1]])
        lengths = _lengths(ids)
        features = tf.concat(
            [
                self._maxima(ids, lengths, kernel, training)
                for kernel in self.kernels
            ],
            axis=1,
        )
        # The ReLU is monotone, so the maximum may be taken first.
        features = tf.nn.relu(features + self.bias)
        features = tf.where(lengths[:, tf.newaxis] > 0, features, 0)
        # [words, widths · filters] → [..., widths · filters]
        outputs = tf.reshape(
            features, tf.concat([leading_shape, [self._output_dim]], axis=0)
        )
        return tf.ensure_shape(outputs, [*inputs.shape[:-1], self._output_dim])

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self._output_dim)

    def get_config(self):
        config = super().get_config()
        config.update(
            embedding_dim=self.embedding_dim,
            filters=self.filters,
            width=self.width,
            dropout=self.dropout,
            seed=self.seed,
        )
        return config

    @property
    def _output_dim(self):
        return len(self._widths) * self.filters

    def _maxima(self, ids, lengths, kernel, training):
        """Each filter's maximum over the windows of each word, for one width.

        `[words, max_characters]` → `[words, filters]`.
        """
        width = kernel.shape[0]
        # Every word has a window, so that each has a maximum.
        n_windows = tf.maximum(lengths - width + 1, 1)
        # [windows, 2]: sorted by word.
        position = tf.where(tf.sequence_mask(n_windows))
        word, start = tf.unstack(tf.cast(position, tf.int32), axis=1)
        ids = tf.pad(
            ids,
            [[0, 0], [0, width - 1]],
            constant_values=WORD_PADDING_ID,
        )
        first = word * ids.shape[1] + start
        # [windows, width]
        windows = tf.gather(
            tf.reshape(ids, [-1]),
            first[:, tf.newaxis] + tf.range(width),
        )
        # The two paddings embed as zeros.
        table = tf.pad(
            tf.convert_to_tensor(self.character_embedding), [[1, 1], [0, 0]]
        )
        window_size = width * self.embedding_dim
        # [windows, width, embedding_dim] → [windows, width · embedding_dim]
        embedded = tf.reshape(tf.gather(table, windows), [-1, window_size])
        embedded = self._dropout(embedded, training=training)
        kernel = tf.reshape(kernel, [window_size, self.filters])
        # [windows, filters] → [words, filters]
        return tf.math.segment_max(tf.matmul(embedded, kernel), word)


def _lengths(ids):
    """The number of characters of each word, `[words]`; 0: padding."""
    is_padding = tf.equal(ids, PADDING_ID) | tf.equal(ids, WORD_PADDING_ID)
    positions = tf.range(1, tf.shape(ids)[1] + 1)
    return tf.reduce_max(tf.where(is_padding, 0, positions), axis=1)
