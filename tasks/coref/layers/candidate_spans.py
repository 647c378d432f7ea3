"""Which spans of a document may be mentions."""

import keras
import tensorflow as tf

from tasks.coref.layers.windows import windows


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class CandidateSpans(keras.layers.Layer):
    """Finds the spans that lie in one sentence (Lee et al. 2017, section 4).

    The spans of all the model's layers stand in a table, by their first token
    and their width less one: `[batch, time, max_width]`. There is no other
    order, and none of them moves when the document is padded.

    Input shape: `[batch, time]`, the number of each token's sentence, integer,
    and −1 at padding. Output shape: `[batch, time, max_width]`, bool.

    Args:
        max_width: How many tokens a span has at most.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `max_width` is not positive.
    """

    def __init__(self, max_width, **kwargs):
        super().__init__(**kwargs)
        if max_width < 1:
            raise ValueError(
                f"`max_width` should be positive. Received: {max_width=}"
            )
        self.max_width = max_width

    def call(self, inputs):
        # [batch, time] → [batch, time, max_width]
        last = windows(inputs, self.max_width, fill=-1)
        first = inputs[:, :, tf.newaxis]
        return tf.equal(first, last) & (first >= 0)

    def compute_output_spec(self, inputs):
        return keras.KerasTensor((*inputs.shape, self.max_width), "bool")

    def get_config(self):
        config = super().get_config()
        config.update(max_width=self.max_width)
        return config
