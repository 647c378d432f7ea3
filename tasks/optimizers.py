"""The optimizers of task models."""

import keras


def make_optimizer(config):
    """Makes an optimizer.

    Args:
        config: The `OptimizerConfig`.

    Returns:
        A `keras.optimizers.Optimizer`; clipping is left to the trainer, which
        does it to the gradients that the replicas have summed up.
    """
    learning_rate = config.learning_rate
    if config.decay_rate is not None:
        learning_rate = keras.optimizers.schedules.ExponentialDecay(
            learning_rate, config.decay_steps, config.decay_rate, staircase=True
        )
    common = dict(
        learning_rate=learning_rate,
        epsilon=config.epsilon,
        # Keras' own names count the optimizers of a process; checkpoints hold
        # them.
        name="optimizer",
    )
    if config.name == "adam":
        return keras.optimizers.Adam(
            beta_1=config.beta_1, beta_2=config.beta_2, **common
        )
    if config.name == "adadelta":
        return keras.optimizers.Adadelta(rho=config.rho, **common)
    return keras.optimizers.Adagrad(
        initial_accumulator_value=config.initial_accumulator_value, **common
    )
