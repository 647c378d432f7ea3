"""A bidirectional LSTM as the encoder of task models."""

import keras
import tensorflow as tf

from elmo_tf.layers.differentiable_lstm import differentiable_lstm
from elmo_tf.layers.stateless_dropout import stateless_dropout
from elmo_tf.layers.variational_dropout import VariationalDropout

_DIRECTIONS = ("forward", "backward")


@keras.saving.register_keras_serializable(package="elmo_tf")
class BiLSTM(keras.layers.Layer):
    """A layer of two LSTMs that read a sequence from its two ends.

    For each time step, with `[i, j, f, o] = split(x W + h R + b)`:

        c ← σ(f + 1) · c + σ(i) · tanh(j)
        h ← σ(o) · tanh(c)

    so the bias of the forget gate is 1 to begin with (Józefowicz et al. 2015).
    Dropout uses one mask for all time steps, on the input and, for recurrent
    dropout, on what `R` reads of `h` (Gal and Ghahramani 2016).

    In training, Keras' own takes one and a half times the processor's time, and
    three times with recurrent dropout: here the gradient is that of
    `differentiable_lstm`, which has no derivative. The layer compiles with
    `jit_compile` when the number of time steps is static.

    Input shape: `[batch, time, features]`. Output shape: `[batch, time, 2 ·
    units]`, the forward direction first. A step that the mask leaves out gives
    zeros and does not exist for the others; the backward direction begins with
    each sequence's last step that the mask keeps.

    Args:
        units: Width of each direction.
        dropout: The rate on the input, in training.
        recurrent_dropout: The rate on the recurrent connection, in training.
        kernel_regularizer: A regularizer of both directions' `W`, as Keras'
            layers take it.
        recurrent_regularizer: A regularizer of both directions' `R`.
        seed: Integer that starts the layer's sequences of dropout masks; None:
            a random one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `units` is not positive, or a rate is outside [0, 1).
    """

    def __init__(
        self,
        units,
        dropout=0.0,
        recurrent_dropout=0.0,
        kernel_regularizer=None,
        recurrent_regularizer=None,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(
                f"`units` should be positive. Received: units={units}"
            )
        for name, rate in (
            ("dropout", dropout),
            ("recurrent_dropout", recurrent_dropout),
        ):
            if not 0 <= rate < 1:
                raise ValueError(
                    f"`{name}` should be in [0, 1). Received: {name}={rate}"
                )
        self.units = units
        self.dropout = dropout
        self.recurrent_dropout = recurrent_dropout
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = keras.regularizers.get(
            recurrent_regularizer
        )
        self.seed = seed
        self.supports_masking = True
        self.input_dropout = VariationalDropout(
            dropout, seed, dtype=self.dtype_policy, name="input_dropout"
        )
        if recurrent_dropout > 0:
            self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, input_shape):
        self.input_dropout.build(input_shape)
        self.directions = [
            [
                self.add_weight(
                    shape=(input_shape[-1], 4 * self.units),
                    initializer="glorot_uniform",
                    regularizer=self.kernel_regularizer,
                    name=f"{direction}_kernel",
                ),
                self.add_weight(
                    shape=(4 * self.units,),
                    initializer="zeros",
                    name=f"{direction}_bias",
                ),
                self.add_weight(
                    shape=(self.units, 4 * self.units),
                    initializer="orthogonal",
                    regularizer=self.recurrent_regularizer,
                    name=f"{direction}_recurrent_kernel",
                ),
            ]
            for direction in _DIRECTIONS
        ]

    def call(self, inputs, mask=None, training=None):
        inputs = self.input_dropout(inputs, training=training)
        # [batch, time, features] → [time, batch, features]
        inputs = tf.transpose(inputs, [1, 0, 2])
        if mask is not None:
            # [batch, time] → [time, batch, 1]; as numbers, and not by a cast,
            # which TensorFlow would move behind the transposition: oneDNN
            # complains about that of booleans.
            mask = tf.where(tf.cast(mask, tf.bool), 1.0, 0.0)
            mask = tf.transpose(mask)[:, :, tf.newaxis] > 0.0
        zeros = tf.zeros([tf.shape(inputs)[1], self.units])
        scales = [None, None]
        if training and self.recurrent_dropout > 0:
            # [2, batch, units]
            scales = stateless_dropout(
                tf.stack([tf.ones_like(zeros)] * 2),
                self.recurrent_dropout,
                # Not the numbers of the input's dropout, whose seed may be
                # the same.
                tf.random.fold_in(
                    tf.cast(self.seed_generator.next(), tf.int64), 1
                ),
            )
            scales = tf.unstack(scales)
        outputs = []
        for index, weights in enumerate(self.directions):
            from_the_end = index == 1
            # Padding, come first, leaves the state at zero.
            output, _, _ = differentiable_lstm(
                _reversed(inputs, from_the_end),
                [tf.convert_to_tensor(weight) for weight in weights],
                (zeros, zeros),
                None if mask is None else _reversed(mask, from_the_end),
                hidden_scale=scales[index],
                training=training,
            )
            outputs.append(_reversed(output, from_the_end))
        # [time, batch, units] twice → [batch, time, 2 · units]
        outputs = tf.transpose(tf.concat(outputs, axis=-1), [1, 0, 2])
        return tf.cast(outputs, self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2 * self.units)

    def get_config(self):
        config = super().get_config()
        config.update(
            units=self.units,
            dropout=self.dropout,
            recurrent_dropout=self.recurrent_dropout,
            kernel_regularizer=keras.regularizers.serialize(
                self.kernel_regularizer
            ),
            recurrent_regularizer=keras.regularizers.serialize(
                self.recurrent_regularizer
            ),
            seed=self.seed,
        )
        return config


def _reversed(time_major, condition):
    return tf.reverse(time_major, [0]) if condition else time_major
