"""The state that sentences start from, in a file of its own."""

import h5py
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.initial_state_file import read_initial_state
from elmo_tf.initial_state_file import write_initial_state
from elmo_tf.weights import load_bilm


@pytest.fixture
def bilm(official_files):
    return load_bilm(*official_files.paths)


@pytest.fixture
def state(bilm):
    generator = np.random.default_rng(1)
    return tf.nest.map_structure(
        lambda part: generator.normal(size=part.shape).astype(np.float32),
        bilm.zero_state(1),
    )


def test_round_trip(tmp_path, bilm, state):
    path = tmp_path / "state.h5"
    write_initial_state(path, state)
    tf.nest.map_structure(
        np.testing.assert_array_equal, read_initial_state(path, bilm), state
    )
    with h5py.File(path) as file:
        # Backward, the upper layer, after the projection.
        np.testing.assert_array_equal(
            file["direction_1/layer_1/hidden"], state[1][1][1][0]
        )
        assert file["direction_0/layer_0/cell"].shape == (12,)


def test_of_another_shape(tmp_path, bilm, state):
    path = tmp_path / "state.h5"
    write_initial_state(path, state[:1])
    with pytest.raises(InputError) as info:
        read_initial_state(path, bilm)
    assert str(info.value) == (
        f"{path}: expected a dataset direction_1/layer_0/cell of shape (12,), "
        "found none"
    )
    with h5py.File(path, "a") as file:
        del file["direction_0/layer_1/hidden"]
        file["direction_0/layer_1/hidden"] = np.zeros(3)
    with pytest.raises(InputError) as info:
        read_initial_state(path, bilm)
    assert str(info.value) == (
        f"{path}: expected a dataset direction_0/layer_1/hidden of shape (4,), "
        "found (3,)"
    )


def test_no_file(tmp_path, bilm):
    with pytest.raises(InputError) as info:
        read_initial_state(tmp_path / "none.h5", bilm)
    assert str(info.value) == f"{tmp_path}/none.h5: no such file"
    (tmp_path / "text.h5").write_text("text")
    with pytest.raises(InputError, match="text.h5: not an HDF5 file"):
        read_initial_state(tmp_path / "text.h5", bilm)
