"""A bidirectional LSTM over each sentence of a document."""

import keras
import tensorflow as tf

from elmo_tf.layers.bilstm import BiLSTM
from tasks.text.sentences import join_sentences
from tasks.text.sentences import split_sentences


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class SentenceBiLSTM(keras.layers.Layer):
    """Reads each sentence by itself (Lee et al. 2017, section 4).

    How long the longest sentence is depends on the values: the layer does not
    compile with `jit_compile`.

    Input shapes: `[batch, time, features]`, and the numbers of tokens of the
    sentences, int32 `[batch, sentences]`, 0 where there are no more. Output
    shape: `[batch, time, 2 · units]`, zeros at padding.

    Args:
        units: Width of each direction.
        recurrent_dropout: The rate on the recurrent connection, in training;
            see `BiLSTM`.
        seed: Integer that starts the sequence of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: As in `BiLSTM`.
    """

    def __init__(self, units, recurrent_dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.recurrent_dropout = recurrent_dropout
        self.seed = seed
        self.supports_jit = False
        self.supports_masking = True
        self._bilstm = BiLSTM(
            units,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            dtype=self.dtype_policy,
            name="bilstm",
        )

    def build(self, inputs_shape, sentence_lengths_shape):
        self._bilstm.build((None, None, inputs_shape[-1]))

    def call(self, inputs, sentence_lengths, training=None):
        rows = split_sentences(inputs, sentence_lengths)
        rows = tf.ensure_shape(rows, [None, None, inputs.shape[-1]])
        mask = tf.sequence_mask(
            tf.reshape(sentence_lengths, [-1]), tf.shape(rows)[1]
        )
        rows = self._bilstm(rows, mask=mask, training=training)
        outputs = join_sentences(rows, sentence_lengths, tf.shape(inputs)[1])
        return tf.ensure_shape(outputs, [*inputs.shape[:-1], 2 * self.units])

    def compute_mask(self, inputs, mask):
        return None

    def compute_output_shape(self, inputs_shape, sentence_lengths_shape):
        return (*inputs_shape[:-1], 2 * self.units)

    def get_config(self):
        config = super().get_config()
        config.update(
            units=self.units,
            recurrent_dropout=self.recurrent_dropout,
            seed=self.seed,
        )
        return config
