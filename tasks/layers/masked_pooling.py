"""From the vectors of a sequence to one vector."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class MaskedPooling(keras.layers.Layer):
    """Mean, maximum or minimum of each feature over the real time steps.

    Input shape: `[batch, time, features]`. Output shape: `[batch, n_modes ·
    features]`, the modes in the order given. What stands at a step that the
    mask leaves out makes no difference; a sequence of such steps only gives
    zeros.

    Args:
        modes: A sequence of "mean", "max" and "min", at least one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: There is no mode, or an unknown one.
    """

    def __init__(self, modes, **kwargs):
        super().__init__(**kwargs)
        if not modes or any(mode not in _POOL for mode in modes):
            raise ValueError(
                "`modes` should be a sequence of 'mean', 'max' and 'min'. "
                f"Received: modes={modes!r}"
            )
        self.modes = list(modes)
        self.supports_masking = True

    def build(self, input_shape):
        pass

    def call(self, inputs, mask=None):
        if mask is None:
            mask = tf.ones(tf.shape(inputs)[:2], tf.bool)
        # [batch, time] → [batch, time, 1]
        mask = tf.cast(mask, tf.bool)[:, :, tf.newaxis]
        # [batch, time, features] → [batch, n_modes · features]
        return tf.concat(
            [_POOL[mode](inputs, mask) for mode in self.modes], axis=-1
        )

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return (input_shape[0], len(self.modes) * input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update(modes=self.modes)
        return config


def _mean(inputs, mask):
    count = tf.reduce_sum(tf.where(mask, 1.0, 0.0), axis=1)
    total = tf.reduce_sum(
        tf.cast(tf.where(mask, inputs, 0), tf.float32), axis=1
    )
    return tf.cast(total / tf.maximum(count, 1.0), inputs.dtype)


def _max(inputs, mask):
    highest = tf.reduce_max(tf.where(mask, inputs, inputs.dtype.min), axis=1)
    return tf.where(tf.reduce_any(mask, axis=1), highest, 0)


def _min(inputs, mask):
    return -_max(-inputs, mask)


_POOL = {"mean": _mean, "max": _max, "min": _min}
