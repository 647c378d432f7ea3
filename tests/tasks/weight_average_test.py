"""The moving average of weights against its definition."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tasks.weight_average import WeightAverage
from tests import replicas

_VALUES = [[1.0, -2.0], [4.0, 0.5], [3.0, 3.0], [2.0, 8.0]]


def expected_average(decay):
    """After all of `_VALUES`; the first is what training began with."""
    average = np.array(_VALUES[0])
    for steps, value in enumerate(_VALUES[1:], start=1):
        share = min(decay, (1 + steps) / (10 + steps))
        average = share * average + (1 - share) * np.array(value)
    return average


@pytest.mark.parametrize("decay", [0.0, 0.2, 0.999])
def test_the_definition(decay):
    variable = keras.Variable(_VALUES[0], name="weights")
    average = WeightAverage([variable], decay)
    update = tf.function(average.update)
    for steps, value in enumerate(_VALUES[1:], start=1):
        variable.assign(value)
        update(tf.constant(steps, tf.int64))
    np.testing.assert_allclose(
        average.variables[0].numpy(), expected_average(decay), rtol=1e-6
    )


def test_two_replicas():
    strategy = replicas.two_replica_strategy()
    with strategy.scope():
        variable = keras.Variable(_VALUES[0], name="weights")
        average = WeightAverage([variable], 0.25)

    @tf.function
    def update(steps):
        strategy.run(average.update, args=(steps,))

    for steps, value in enumerate(_VALUES[1:], start=1):
        variable.assign(value)
        update(tf.constant(steps, tf.int64))
    for part in strategy.experimental_local_results(average.variables[0].value):
        np.testing.assert_allclose(
            part.numpy(), expected_average(0.25), rtol=1e-6
        )
    with average.applied():
        for part in strategy.experimental_local_results(variable.value):
            np.testing.assert_allclose(
                part.numpy(), expected_average(0.25), rtol=1e-6
            )


def test_applied_and_taken_back():
    variable = keras.Variable(_VALUES[0], name="weights")
    average = WeightAverage([variable], 0.5)
    variable.assign(_VALUES[1])
    with pytest.raises(RuntimeError, match="in the midst"):
        with average.applied():
            np.testing.assert_array_equal(variable.numpy(), _VALUES[0])
            raise RuntimeError("in the midst")
    np.testing.assert_array_equal(variable.numpy(), _VALUES[1])
    np.testing.assert_array_equal(average.variables[0].numpy(), _VALUES[0])
