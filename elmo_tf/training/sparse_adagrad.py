"""Adagrad as TensorFlow 1 had it, for sparse gradients too."""

import keras
import tensorflow as tf

from elmo_tf.training.gradients import sum_duplicate_rows


@keras.saving.register_keras_serializable(package="elmo_tf")
class SparseAdagrad(keras.optimizers.Optimizer):
    """Adagrad (Duchi et al. 2011) with correct and cheap sparse updates.

    `accumulator += g²; variable −= learning_rate · g / √accumulator`, without
    an epsilon. Rows that occur several times in an `tf.IndexedSlices` gradient
    are summed before they are squared (the Adagrad of Keras 3 does not), and
    only the rows in question are read and written.

    Args:
        learning_rate: A float or a schedule.
        initial_accumulator_value: Where the accumulator starts; positive.
        name: The optimizer's name.
        **kwargs: Arguments of `keras.optimizers.Optimizer`.

    Raises:
        ValueError: `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate=0.2,
        initial_accumulator_value=1.0,
        name="sparse_adagrad",
        **kwargs,
    ):
        if initial_accumulator_value <= 0:
            raise ValueError(
                "`initial_accumulator_value` should be positive, there is no "
                "epsilon. Received: initial_accumulator_value="
                f"{initial_accumulator_value}"
            )
        super().__init__(learning_rate=learning_rate, name=name, **kwargs)
        self.initial_accumulator_value = initial_accumulator_value

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        initializer = keras.initializers.Constant(
            self.initial_accumulator_value
        )
        self._accumulators = [
            self.add_variable_from_reference(
                variable, name="accumulator", initializer=initializer
            )
            for variable in variables
        ]

    def update_step(self, gradient, variable, learning_rate):
        accumulator = self._accumulators[self._get_variable_index(variable)]
        if isinstance(variable, keras.Variable):
            variable = variable.value
        # TensorFlow's own operations go through the memory once.
        arguments = dict(
            var=variable.handle,
            accum=accumulator.value.handle,
            lr=tf.cast(learning_rate, variable.dtype),
        )
        if isinstance(gradient, tf.IndexedSlices):
            gradient = sum_duplicate_rows(gradient)
            tf.raw_ops.ResourceSparseApplyAdagrad(
                grad=tf.cast(gradient.values, variable.dtype),
                indices=gradient.indices,
                **arguments,
            )
        else:
            tf.raw_ops.ResourceApplyAdagrad(
                grad=tf.cast(gradient, variable.dtype), **arguments
            )

    def get_config(self):
        config = super().get_config()
        config["initial_accumulator_value"] = self.initial_accumulator_value
        return config
