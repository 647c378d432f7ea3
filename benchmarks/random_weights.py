"""Random weights of a named shape, as an official pair of files."""

import os

import numpy as np

import elmo_tf
from elmo_tf import experiments

SIZES = {
    "original": experiments.original,
    "medium": experiments.medium,
    "small": experiments.small,
    "mini": experiments.mini,
    "tiny": experiments.tiny,
}
OPTIONS_FILE_NAME = "options.json"
WEIGHTS_FILE_NAME = "weights.hdf5"


def write_random_weights(folder, size, seed):
    """Writes a biLM's options.json and weights.hdf5.

    Kernels have the scale that keeps activations as large as they came in,
    biases are not zero: with those of an untrained biLM, all of them zero, a
    mistake in one would not show.

    Args:
        folder: An existing folder.
        size: The shape's name, one of `SIZES`.
        seed: A non-negative integer.
    """
    config = SIZES[size]().task.model
    bilm = elmo_tf.BiLM(config)
    bilm.build()
    random = np.random.default_rng(seed)
    for variable in bilm.weights:
        values = random.standard_normal(variable.shape, np.float32)
        variable.assign(values * np.float32(_scale(variable)))
    elmo_tf.write_weights(os.path.join(folder, WEIGHTS_FILE_NAME), bilm)
    config.to_json_file(os.path.join(folder, OPTIONS_FILE_NAME))


def _scale(variable):
    """The standard deviation of a variable's random values."""
    if variable.name == "character_embedding":
        return 1.0
    if len(variable.shape) == 1:
        return 0.1
    # The last axis is the outputs'.
    return 1 / np.sqrt(np.prod(variable.shape[:-1]))
