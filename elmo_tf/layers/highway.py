"""A highway layer as the official biLMs use it."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf")
class Highway(keras.layers.Layer):
    """A highway layer (Srivastava et al. 2015) with a ReLU transform.

    `y = carry · relu(x W_transform + b_transform) + (1 − carry) · x` with
    `carry = sigmoid(x W_carry + b_carry)`. The names are those of the official
    weights files, in which the gate called "carry" lets the *transformed*
    input pass; the transform is a ReLU whatever the character CNN's
    activation. Kernels start as N(0, 1/√n).

    Input and output shape: `[..., n]`.

    Args:
        initial_carry_bias: What the carry bias starts at: −2 in biLMs, 0 in
            BiDAF.
        **kwargs: Arguments of `keras.layers.Layer`.
    """

    def __init__(self, initial_carry_bias=-2.0, **kwargs):
        super().__init__(**kwargs)
        self.initial_carry_bias = initial_carry_bias
        self.supports_masking = True

    def build(self, input_shape):
        width = input_shape[-1]
        kernel_initializer = keras.initializers.RandomNormal(stddev=width**-0.5)
        self.carry_kernel = self.add_weight(
            shape=(width, width),
            initializer=kernel_initializer,
            name="carry_kernel",
        )
        self.carry_bias = self.add_weight(
            shape=(width,),
            initializer=keras.initializers.Constant(self.initial_carry_bias),
            name="carry_bias",
        )
        self.transform_kernel = self.add_weight(
            shape=(width, width),
            initializer=keras.initializers.RandomNormal(stddev=width**-0.5),
            name="transform_kernel",
        )
        self.transform_bias = self.add_weight(
            shape=(width,), initializer="zeros", name="transform_bias"
        )

    def call(self, inputs):
        carry = tf.sigmoid(
            tf.tensordot(inputs, self.carry_kernel, 1) + self.carry_bias
        )
        transform = tf.nn.relu(
            tf.tensordot(inputs, self.transform_kernel, 1) + self.transform_bias
        )
        return carry * transform + (1.0 - carry) * inputs

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super().get_config()
        config.update(initial_carry_bias=self.initial_carry_bias)
        return config
