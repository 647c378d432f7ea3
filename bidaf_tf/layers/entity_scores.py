"""From the logits of an entity's occurrences to its own."""

import keras
import tensorflow as tf

# The logit of an entity that does not occur.
ABSENT = -1e30


@keras.saving.register_keras_serializable(package="bidaf_tf")
class EntityScores(keras.layers.Layer):
    """Sums up an entity's occurrences (Seo et al. 2017, section 5).

    The logit of an entity is `log Σ exp lₖ` over its occurrences `k`, those in
    overlapping windows each for itself. A softmax over these gives what a
    softmax over all occurrences of all entities, in all windows of a text, and
    the sum of each entity's shares give (Kadlec et al. 2016). Words that are no
    entities have no part in it. Computed in float32 under any policy.

    Input shapes: logits `[windows, width]`; entities int32 of that shape, the
    number of the entity that a word is, −1 where it is none or there is no
    word; rows int32 `[windows]`, the window's text; texts int32 `[batch,
    time]`, the numbers of the entities of each whole text. Output shape:
    float32 `[batch, entities]`, where the last number in the batch determines
    `entities`, at least one; −1e30 where a text has no such entity.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, logits, entities, rows, texts):
        logits = tf.cast(logits, tf.float32)
        batch = tf.shape(texts)[0]
        n_entities = tf.reduce_max(tf.pad(texts, [[0, 1], [0, 1]])) + 1
        n = batch * n_entities
        # [windows, width]; what is negative does not count below.
        keys = rows[:, tf.newaxis] * n_entities + entities
        keys = tf.where(entities >= 0, keys, -1)
        safe = tf.maximum(keys, 0)
        # [windows, width] → [batch · entities]
        highest = tf.stop_gradient(
            tf.math.unsorted_segment_max(logits, keys, n)
        )
        # Of what does not count the difference might be large.
        shifted = tf.where(keys >= 0, logits - tf.gather(highest, safe), 0.0)
        sums = tf.math.unsorted_segment_sum(tf.exp(shifted), keys, n)
        # Where there is an occurrence, the highest one counts 1.
        scores = tf.where(
            sums > 0.0, highest + tf.math.log(tf.maximum(sums, 1.0)), ABSENT
        )
        return tf.reshape(scores, [batch, n_entities])

    def compute_output_spec(self, logits, entities, rows, texts):
        return keras.KerasTensor((texts.shape[0], None), "float32")

    def get_config(self):
        return super().get_config()
