import keras
import numpy as np
import pydantic
import pytest

from tasks.config import OptimizerConfig
from tasks.optimizers import make_optimizer


def test_the_learning_rate_falls_in_stairs():
    config = OptimizerConfig(learning_rate=0.5, decay_rate=0.5, decay_steps=2)
    optimizer = make_optimizer(config)
    variable = keras.Variable(0.0)
    optimizer.build([variable])
    rates = []
    for _ in range(5):
        rates.append(float(optimizer.learning_rate))
        optimizer.apply([np.float32(1.0)])
    assert rates == [0.5, 0.5, 0.25, 0.25, 0.125]


def test_decay_or_plateau():
    with pytest.raises(
        pydantic.ValidationError,
        match="found both decay_rate and plateau_factor, expected one of them",
    ):
        OptimizerConfig(decay_rate=0.5, plateau_factor=0.5)
