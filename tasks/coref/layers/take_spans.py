"""Some spans of the table of all."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class TakeSpans(keras.layers.Layer):
    """Takes what stands at some places of the table of spans.

    Input shapes: the table `[batch, time, max_width, …]`, and the places, int32
    `[batch, n]`, counted row after row as `TopSpans` does. Output shape:
    `[batch, n, …]`.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(self, **kwargs):
        # The scores in a table keep their digits.
        super().__init__(autocast=False, **kwargs)

    def build(self, inputs_shape, places_shape):
        pass

    def call(self, inputs, places):
        shape = tf.shape(inputs)
        # [batch, time, max_width, …] → [batch, time · max_width, …]
        flat = tf.reshape(
            inputs, tf.concat([shape[:1], [-1], shape[3:]], axis=0)
        )
        flat = tf.ensure_shape(flat, [inputs.shape[0], None, *inputs.shape[3:]])
        return tf.gather(flat, places, batch_dims=1)

    def compute_output_spec(self, inputs, places):
        return keras.KerasTensor(
            (*places.shape, *inputs.shape[3:]), inputs.dtype
        )

    def compute_output_shape(self, inputs_shape, places_shape):
        return (*places_shape, *inputs_shape[3:])
