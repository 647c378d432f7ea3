"""The words around each mention of an entity."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bidaf_tf")
class MentionWindows(keras.layers.Layer):
    """Finds a window of words around each mention (Seo et al. 2017, section 5).

    A window holds the mention in its middle and as many words on both sides;
    at the beginning and the end of a text it has fewer. The windows of all
    texts come one after the other, without any for padding: how many there are
    depends on the values, so the layer does not compile with `jit_compile`.

    Input shapes: entities int32 `[batch, time]`, −1 where there is no mention;
    mask `[batch, time]`, true for real words, which come first. There is no
    mention outside of it. Output: a tuple of

    *   places int32 `[windows, width]`, where a window's words stand among all
        those of the batch, padding included, the texts one after the other;
    *   mask bool `[windows, width]`, true for the words that there are, which
        come first; the other places are those of some word;
    *   rows int32 `[windows]`, the window's text.

    Args:
        width: Number of words of a window, odd.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `width` is not positive and odd.
    """

    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        if width < 1 or width % 2 == 0:
            raise ValueError(
                f"`width` should be positive and odd. Received: width={width}"
            )
        self.width = width
        self.supports_jit = False
        self.supports_masking = True

    def call(self, entities, mask):
        mask = tf.cast(mask, tf.bool)
        time = tf.shape(mask)[1]
        lengths = tf.reduce_sum(tf.where(mask, 1, 0), axis=1)
        # [windows, 2]: text after text, and from left to right.
        found = tf.cast(tf.where((entities >= 0) & mask), tf.int32)
        rows, middles = found[:, 0], found[:, 1]
        starts = tf.maximum(middles - self.width // 2, 0)
        ends = tf.minimum(
            middles + self.width // 2 + 1, tf.gather(lengths, rows)
        )
        # [windows, width]
        places = starts[:, tf.newaxis] + tf.range(self.width)
        is_there = places < ends[:, tf.newaxis]
        places = tf.where(is_there, places, middles[:, tf.newaxis])
        return places + (rows * time)[:, tf.newaxis], is_there, rows

    def compute_output_spec(self, entities, mask):
        shape = None, self.width
        return (
            keras.KerasTensor(shape, "int32"),
            keras.KerasTensor(shape, "bool"),
            keras.KerasTensor(shape[:1], "int32"),
        )

    def get_config(self):
        config = super().get_config()
        config.update(width=self.width)
        return config
