"""A moving average of a model's weights."""

import contextlib

import keras
import tensorflow as tf


class WeightAverage:
    """An exponential moving average of weights (Seo et al. 2017, section 4.1).

    After each step `average = decay · average + (1 − decay) · weights`. Early
    on, as in TensorFlow's `ExponentialMovingAverage` with `num_updates`, decay
    is `(1 + steps) / (10 + steps)` where that is less, so that the weights the
    training began with do not linger.

    To be made in the strategy's scope, when the weights have the values to
    begin with.

    Args:
        variables: A list of Keras variables.
        decay: The decay, from 0 up, less than 1.

    Attributes:
        variables: The list of averages, Keras variables.
    """

    def __init__(self, variables, decay):
        self._averaged = list(variables)
        self._decay = decay
        self.variables = [
            keras.Variable(
                variable.value.numpy(),
                dtype=variable.dtype,
                trainable=False,
                name=f"{variable.path.replace('/', '_')}_average",
            )
            for variable in self._averaged
        ]

    def update(self, step):
        """Takes the weights of a step; to be called in each replica.

        Args:
            step: The number of steps done, this one among them: an integer
                tensor.
        """
        steps = tf.cast(step, tf.float32)
        share = 1.0 - tf.minimum(self._decay, (1.0 + steps) / (10.0 + steps))

        def update_all(strategy, share):
            for average, variable in zip(
                self.variables, self._averaged, strict=True
            ):
                strategy.extended.update(
                    average.value,
                    lambda average, weight, share: average.assign_sub(
                        tf.cast(share, average.dtype) * (average - weight)
                    ),
                    args=(variable.value, share),
                    group=False,
                )

        tf.distribute.get_replica_context().merge_call(
            update_all, args=(share,)
        )

    @contextlib.contextmanager
    def applied(self):
        """Lets the weights have the averages' values, as a context."""
        values = [variable.value.numpy() for variable in self._averaged]
        for variable, average in zip(
            self._averaged, self.variables, strict=True
        ):
            variable.assign(average.value.numpy())
        try:
            yield
        finally:
            for variable, value in zip(self._averaged, values, strict=True):
                variable.assign(value)
