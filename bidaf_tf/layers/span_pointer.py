"""How much speaks for each token to be an end of the answer."""

import keras
import tensorflow as tf

from bidaf_tf.layers.masking import without_padding

# Finite, so that neither a softmax over padding alone nor the difference of two
# such logits gives what is not a number.
_MASKED = -1e30


@keras.saving.register_keras_serializable(package="bidaf_tf")
class SpanPointer(keras.layers.Layer):
    """The logits of a distribution over tokens (Seo et al. 2017, eq. 3, 4).

    `w · x` for each token's vector `x`, of which BiDAF has two: one for the
    answer's first token, where `x` is `[g; m]`, and one for its last, where it
    is `[g; m²]`. As in the paper there is no bias, which a softmax would not
    see. Logits are float32 under any policy.

    Input shape: `[batch, T, d]`. Output shape: `[batch, T]`. What stands at
    padding makes no difference; its logit is −1e30, and with it the share in a
    softmax is zero unless there is nothing but padding.

    Args:
        dropout: The rate on the input, in training; the paper has 0.2.
        seed: Integer that starts the sequence of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `dropout` is outside [0, 1).
    """

    def __init__(self, dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: dropout={dropout}"
            )
        self.dropout = dropout
        self.seed = seed
        self.supports_masking = True
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )

    def build(self, input_shape):
        self.kernel = self.add_weight(
            shape=(input_shape[-1], 1),
            initializer="glorot_uniform",
            autocast=False,
            name="kernel",
        )
        self._dropout.build(input_shape)

    def call(self, inputs, mask=None, training=None):
        inputs, mask = without_padding(inputs, mask)
        inputs = self._dropout(inputs, training=training)
        # [batch, T, d] → [batch, T]
        logits = tf.squeeze(
            tf.matmul(tf.cast(inputs, tf.float32), self.kernel), axis=-1
        )
        return tf.where(mask, logits, _MASKED)

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:2])

    def compute_output_spec(self, inputs, mask=None, training=None):
        return keras.KerasTensor(inputs.shape[:2], dtype="float32")

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        config = super().get_config()
        config.update(dropout=self.dropout, seed=self.seed)
        return config
