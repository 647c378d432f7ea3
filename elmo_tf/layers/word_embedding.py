"""The token encoder of a word-input biLM."""

import keras
import tensorflow as tf

from elmo_tf.layers.gather_rows import gather_rows


@keras.saving.register_keras_serializable(package="elmo_tf")
class WordEmbedding(keras.layers.Layer):
    """Looks words up by their id plus one; 0 is padding and embeds as zeros.

    Input shape: integer `[...]`, in `[0, vocabulary_size]`. Output shape:
    `[..., output_dim]`. The gradient is `tf.IndexedSlices` of the rows read.

    Args:
        vocabulary_size: Number of words.
        output_dim: Width of a word's vector.
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(self, vocabulary_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.output_dim = output_dim

    def build(self, input_shape=None):
        # No autocast: it would cast the whole vocabulary in every step.
        self.embeddings = self.add_weight(
            shape=(self.vocabulary_size, self.output_dim),
            initializer="glorot_uniform",
            autocast=False,
            name="embeddings",
        )

    def call(self, inputs):
        vectors = gather_rows(
            self.embeddings.value, tf.maximum(tf.cast(inputs, tf.int32) - 1, 0)
        )
        vectors = tf.where(tf.equal(inputs, 0)[..., tf.newaxis], 0.0, vectors)
        return tf.cast(vectors, self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs):
        return keras.KerasTensor(
            self.compute_output_shape(inputs.shape), dtype=self.compute_dtype
        )

    def get_config(self):
        config = super().get_config()
        config.update(
            vocabulary_size=self.vocabulary_size, output_dim=self.output_dim
        )
        return config
