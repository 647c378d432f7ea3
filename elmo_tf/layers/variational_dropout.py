"""Dropout with one mask for all time steps."""

import keras
import tensorflow as tf

from elmo_tf.layers.stateless_dropout import stateless_dropout


@keras.saving.register_keras_serializable(package="elmo_tf")
class VariationalDropout(keras.layers.Layer):
    """Dropout with one mask for all time steps (Gal and Ghahramani 2016).

    Input and output shape: `[batch, time, features]`. Nothing is dropped
    outside training.

    Args:
        rate: The fraction of features to drop, in [0, 1).
        seed: Integer that starts the layer's own sequence of masks, which is
            used when `call` is given none; None: a random one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: The tensor.
        training: Whether to drop.
        dropout_seed: Two integers that determine the mask.

    Raises:
        ValueError: `rate` is outside [0, 1).
    """

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(
                f"`rate` should be in [0, 1). Received: rate={rate}"
            )
        self.rate = rate
        self.seed = seed
        self.supports_masking = True
        if rate > 0:
            self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, input_shape):
        pass

    def call(self, inputs, training=None, dropout_seed=None):
        if not training or self.rate == 0:
            return inputs
        if dropout_seed is None:
            dropout_seed = self.seed_generator.next()
        shape = tf.shape(inputs)
        return stateless_dropout(
            inputs,
            self.rate,
            tf.cast(dropout_seed, tf.int64),
            noise_shape=[shape[0], 1, shape[2]],
        )

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super().get_config()
        config.update(rate=self.rate, seed=self.seed)
        return config
