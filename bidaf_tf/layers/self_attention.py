"""Attention of a passage to itself."""

import keras
import tensorflow as tf

from bidaf_tf.layers.masking import masked_softmax
from bidaf_tf.layers.masking import without_padding
from bidaf_tf.layers.similarity import Similarity


@keras.saving.register_keras_serializable(package="bidaf_tf")
class SelfAttention(keras.layers.Layer):
    """The attention of BiDAF from a passage to itself, and a layer of ReLUs.

    `relu(W [x; x̃; x ∘ x̃] + b)`, where `x̃` is what `x` attends to among the
    *other* tokens by the trilinear similarity (Clark and Gardner 2017, "Simple
    and effective multi-paragraph reading comprehension"; ELMo paper, A.4). It
    stands inside a residual: the models give it what a GRU made of a sequence,
    and add the output to that sequence. So the sum is the model's; with it, the
    units have to be as many as that sequence's features. The softmax runs in
    float32.

    Input shape: `[batch, T, d]`. Output shape: `[batch, T, units]`. What stands
    at padding makes no difference, and the output there is zero. A token
    without any other one attends to a zero vector.

    Args:
        units: Width of the output; the ELMo paper has 180.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `units` is not positive.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(
                f"`units` should be positive. Received: units={units}"
            )
        self.units = units
        self.supports_masking = True
        self.similarity = Similarity(
            "trilinear", dtype=self.dtype_policy, name="similarity"
        )
        self.projection = keras.layers.Dense(
            units, activation="relu", dtype=self.dtype_policy, name="projection"
        )

    def build(self, input_shape):
        self.similarity.build(input_shape, input_shape)
        self.projection.build((*input_shape[:2], 3 * input_shape[-1]))

    def call(self, inputs, mask=None):
        inputs, mask = without_padding(inputs, mask)
        is_self = tf.eye(tf.shape(inputs)[1], dtype=tf.bool)
        # [batch, T, T]
        shares = masked_softmax(
            self.similarity(inputs, inputs), mask[:, tf.newaxis] & ~is_self
        )
        # [batch, T, T] and [batch, T, d] → [batch, T, d]
        attended = tf.matmul(tf.cast(shares, inputs.dtype), inputs)
        # [batch, T, d] thrice → [batch, T, units]
        outputs = self.projection(
            tf.concat([inputs, attended, inputs * attended], axis=-1)
        )
        return tf.where(mask[:, :, tf.newaxis], outputs, 0)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:2], self.units)

    def get_config(self):
        config = super().get_config()
        config.update(units=self.units)
        return config
