"""A feed-forward network that ends in one number."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class FeedForwardScorer(keras.layers.Layer):
    """Dense layers with ReLU, and a linear one that gives a score.

    Each hidden layer's output has dropout (Lee et al. 2017, section 7).

    Input shape: `[…, features]`. Output shape: `[…]`, float32.

    Args:
        n_layers: Number of hidden layers; 0: the score is linear.
        units: Their width.
        dropout: The rate on the output of each, in training.
        seed: Integer that starts the sequences of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `n_layers` is negative, `units` is not positive, or the rate
            is outside [0, 1).
    """

    def __init__(self, n_layers, units, dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        if n_layers < 0:
            raise ValueError(
                f"`n_layers` should be at least 0. Received: {n_layers=}"
            )
        if units < 1:
            raise ValueError(f"`units` should be positive. Received: {units=}")
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: {dropout=}"
            )
        self.n_layers = n_layers
        self.units = units
        self.dropout = dropout
        self.seed = seed
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )

    def build(self, input_shape):
        width = input_shape[-1]
        self.hidden = []
        for index in range(self.n_layers):
            self.hidden.append(
                [
                    self.add_weight(
                        shape=(width, self.units),
                        initializer="glorot_uniform",
                        name=f"hidden_{index}_kernel",
                    ),
                    self.add_weight(
                        shape=(self.units,),
                        initializer="zeros",
                        name=f"hidden_{index}_bias",
                    ),
                ]
            )
            width = self.units
        self.kernel = self.add_weight(
            shape=(width, 1), initializer="glorot_uniform", name="kernel"
        )
        self.bias = self.add_weight(
            shape=(1,), initializer="zeros", name="bias"
        )

    def call(self, inputs, training=None):
        vectors = inputs
        for kernel, bias in self.hidden:
            vectors = tf.nn.relu(_multiply(vectors, kernel) + bias)
            vectors = self._dropout(vectors, training=training)
        # […, units] → […]
        scores = tf.squeeze(_multiply(vectors, self.kernel) + self.bias, -1)
        return tf.cast(scores, tf.float32)

    def compute_output_spec(self, inputs, training=None):
        return keras.KerasTensor(inputs.shape[:-1], "float32")

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-1])

    def get_config(self):
        config = super().get_config()
        config.update(
            n_layers=self.n_layers,
            units=self.units,
            dropout=self.dropout,
            seed=self.seed,
        )
        return config


def _multiply(vectors, kernel):
    """One product of matrices, whatever the leading axes."""
    return tf.tensordot(vectors, tf.convert_to_tensor(kernel), axes=1)
