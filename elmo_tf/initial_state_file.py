"""The LSTM state that sentences start from, in a file beside the weights."""

import numpy as np
import tensorflow as tf

from elmo_tf.atomic_file import write_hdf5
from elmo_tf.errors import InputError
from elmo_tf.hdf5_file import find_dataset
from elmo_tf.hdf5_file import open_hdf5
from elmo_tf.hdf5_file import read_floats

# Not *.hdf5: simple_elmo takes any such file in a folder for the weights.
INITIAL_STATE_FILE_NAME = "initial_state.h5"


def write_initial_state(path, state):
    """Writes a state that sentences start from, which no official file holds.

    Args:
        path: The HDF5 file to write, with the datasets
            `direction_d/layer_l/cell` `[dim]` and `direction_d/layer_l/hidden`
            `[projection_dim]`.
        state: The state, as `BiLM`'s `initial_state` with one row.
    """
    with write_hdf5(path) as file:
        for name, part in zip(
            _dataset_names(state), tf.nest.flatten(state), strict=True
        ):
            file[name] = np.asarray(part, np.float32)[0]


def read_initial_state(path, bilm):
    """Reads what `write_initial_state` wrote.

    Args:
        path: The HDF5 file.
        bilm: The `BiLM` that the state is for.

    Returns:
        The state, as `BiLM`'s `initial_state` with one row, of NumPy arrays.

    Raises:
        InputError: The file is missing or no HDF5, or a dataset is missing or
            of another shape than the biLM's.
    """
    zeros = bilm.zero_state(1)
    parts = []
    with open_hdf5(path) as file:
        for name, part in zip(
            _dataset_names(zeros), tf.nest.flatten(zeros), strict=True
        ):
            shape = tuple(part.shape[1:])
            dataset = find_dataset(file, path, name)
            if dataset is None or dataset.shape != shape:
                found = "none" if dataset is None else dataset.shape
                raise InputError(
                    f"{path}: expected a dataset {name} of shape {shape}, "
                    f"found {found}"
                )
            parts.append(read_floats(dataset, path)[np.newaxis])
    return tf.nest.pack_sequence_as(zeros, parts)


def _dataset_names(state):
    """The datasets in the order of the flattened state."""
    return [
        f"direction_{direction}/layer_{layer}/{part}"
        for direction, layers in enumerate(state)
        for layer in range(len(layers))
        for part in ("cell", "hidden")
    ]
