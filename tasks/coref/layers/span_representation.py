"""From the vectors of tokens to those of spans."""

import keras
import tensorflow as tf

from tasks.coref.layers.windows import windows


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class SpanRepresentation(keras.layers.Layer):
    """The vectors of all spans (Lee et al. 2017, equations 3 to 6).

    `[x*_first; x*_last; x̂; φ]`, x* being what the biLSTM gives, φ an embedding
    of the span's width and x̂ the mean of the tokens' own vectors x weighted by
    how well each would do as the span's head: `softmax(x* v)` over the span's
    tokens (a bias would add the same to all). The softmax runs in float32.

    Input shapes: encoded `[batch, time, encoded_dim]`, tokens `[batch, time,
    token_dim]` and the mask, `[batch, time, max_width]`, which is that of
    `CandidateSpans`. Output shape: `[batch, time, max_width, 2 · encoded_dim +
    token_dim + feature_dim]`, zeros where the mask is False. What stands at
    tokens of which no candidate is made makes no difference.

    Args:
        max_width: How many tokens a span has at most.
        feature_dim: Width of the embedding.
        dropout: The rate on the embedding, in training.
        seed: Integer that starts the sequence of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: A size is not positive, or the rate outside [0, 1).
    """

    def __init__(
        self, max_width, feature_dim, dropout=0.0, seed=None, **kwargs
    ):
        super().__init__(**kwargs)
        for name, value in (
            ("max_width", max_width),
            ("feature_dim", feature_dim),
        ):
            if value < 1:
                raise ValueError(
                    f"`{name}` should be positive. Received: {name}={value}"
                )
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: {dropout=}"
            )
        self.max_width = max_width
        self.feature_dim = feature_dim
        self.dropout = dropout
        self.seed = seed
        self.supports_masking = True
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )

    def build(self, encoded_shape, tokens_shape):
        self.head_kernel = self.add_weight(
            shape=(encoded_shape[-1], 1),
            initializer="glorot_uniform",
            name="head_kernel",
        )
        self.width_embedding = self.add_weight(
            shape=(self.max_width, self.feature_dim),
            initializer="glorot_uniform",
            name="width_embedding",
        )

    def call(self, encoded, tokens, mask, training=None):
        mask = tf.cast(mask, tf.bool)
        # Spans of width one are candidates wherever there is a token.
        is_token = mask[:, :, :1]
        encoded = tf.where(is_token, encoded, 0)
        tokens = tf.where(is_token, tokens, 0)
        shape = tf.shape(mask)
        # [batch, time, encoded_dim] → [batch, time, max_width, encoded_dim]
        first = tf.repeat(encoded[:, :, tf.newaxis], self.max_width, axis=2)
        last = windows(encoded, self.max_width)
        # [max_width, feature_dim] → [batch, time, max_width, feature_dim]
        width = tf.broadcast_to(
            self.width_embedding, [*tf.unstack(shape), self.feature_dim]
        )
        spans = tf.concat(
            [
                first,
                last,
                self._heads(encoded, tokens),
                self._dropout(width, training=training),
            ],
            axis=-1,
        )
        return tf.where(mask[..., tf.newaxis], spans, 0)

    def _heads(self, encoded, tokens):
        # [batch, time, encoded_dim] → [batch, time]
        scores = tf.squeeze(tf.matmul(encoded, self.head_kernel), axis=2)
        # [batch, time] → [batch, time, 1, max_width], the tokens last
        scores = windows(tf.cast(scores, tf.float32), self.max_width)
        scores = scores[:, :, tf.newaxis]
        is_inside = tf.constant(
            [
                [place <= width for place in range(self.max_width)]
                for width in range(self.max_width)
            ]
        )
        # [batch, time, max_width (spans), max_width (tokens)]
        shares = tf.nn.softmax(tf.where(is_inside, scores, tf.float32.min))
        # [batch, time, max_width, token_dim]: the tokens of the longest span,
        # which the others share.
        return tf.matmul(
            tf.cast(shares, tokens.dtype), windows(tokens, self.max_width)
        )

    def compute_mask(self, encoded, mask):
        return None

    def compute_output_shape(self, encoded_shape, tokens_shape):
        return (
            *encoded_shape[:2],
            self.max_width,
            2 * encoded_shape[-1] + tokens_shape[-1] + self.feature_dim,
        )

    def get_config(self):
        config = super().get_config()
        config.update(
            max_width=self.max_width,
            feature_dim=self.feature_dim,
            dropout=self.dropout,
            seed=self.seed,
        )
        return config
