"""From the vectors of a sequence to their attended mean."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class SelfAttentivePooling(keras.layers.Layer):
    """A mean over time, weighted by what the vectors themselves say.

    `Σₜ βₜ xₜ` with `β = softmax(X v)` over the real time steps (McCann et al.
    2017, "Learned in translation", section 5; their bias `d` would add the same
    to all steps, which a softmax does not see). The softmax and the sum run in
    float32.

    Input shape: `[batch, time, features]`. Output shape: `[batch, features]`.
    What stands at a step that the mask leaves out makes no difference; a
    sequence of such steps only gives zeros.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        self.kernel = self.add_weight(
            shape=(input_shape[-1], 1),
            initializer="glorot_uniform",
            name="kernel",
        )

    def call(self, inputs, mask=None):
        if mask is None:
            mask = tf.ones(tf.shape(inputs)[:2], tf.bool)
        # [batch, time] → [batch, time, 1]
        mask = tf.cast(mask, tf.bool)[:, :, tf.newaxis]
        inputs = tf.where(mask, inputs, 0)
        # [batch, time, features] → [batch, time, 1]
        scores = tf.cast(tf.matmul(inputs, self.kernel), tf.float32)
        shares = tf.nn.softmax(tf.where(mask, scores, tf.float32.min), axis=1)
        # [batch, time, features] → [batch, features]
        pooled = tf.reduce_sum(shares * tf.cast(inputs, tf.float32), axis=1)
        return tf.cast(pooled, self.compute_dtype)

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])
