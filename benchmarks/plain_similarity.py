"""The trilinear similarity as its equation reads."""

import keras
import tensorflow as tf

from bidaf_tf.layers.similarity import Similarity


@keras.saving.register_keras_serializable(package="benchmarks")
class PlainSimilarity(Similarity):
    """`w · [h; u; h ∘ u]` of a tensor `[batch, T, J, 3 · width]`.

    It stands for `Similarity`, of the kind "trilinear", with the same weight;
    that one never makes such a tensor.
    """

    def call(self, context, question):
        shape = [*tf.unstack(tf.shape(context)[:2]), tf.shape(question)[1]]
        shape.append(context.shape[-1])
        # [batch, T, width] and [batch, J, width] → [batch, T, J, width]
        context = tf.broadcast_to(context[:, :, tf.newaxis], shape)
        question = tf.broadcast_to(question[:, tf.newaxis], shape)
        vectors = tf.concat([context, question, context * question], axis=-1)
        # [batch, T, J, 3 · width] → [batch, T, J]
        return tf.squeeze(tf.matmul(vectors, self.kernel), axis=-1)
