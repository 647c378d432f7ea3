import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.training_state import pack_state
from elmo_tf.training_state import typical_state
from elmo_tf.training_state import unpack_state

# Two directions of one and of two layers.
STRUCTURE = [[[0, 0]], [[0, 0], [0, 0]]]


@pytest.fixture
def lstm_state():
    generator = np.random.default_rng(0)
    return tf.nest.map_structure(
        lambda _: generator.normal(size=(5, 3)).astype(np.float32), STRUCTURE
    )


def assert_equal(actual, expected):
    tf.nest.assert_same_structure(actual, expected)
    for left, right in zip(
        tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True
    ):
        assert np.asarray(left).dtype == np.float32
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize(
    "position", ["", '{"row": "naïve \\u0000 \U0001f600"}']
)
def test_round_trip(lstm_state, position):
    packed = pack_state(position, lstm_state)
    assert isinstance(packed, bytes)
    unpacked_position, unpacked = unpack_state(packed, STRUCTURE)
    assert unpacked_position == position
    assert_equal(unpacked, lstm_state)


def test_tensors(lstm_state):
    tensors = tf.nest.map_structure(tf.constant, lstm_state)
    _, unpacked = unpack_state(pack_state("", tensors), STRUCTURE)
    assert_equal(unpacked, lstm_state)


def test_the_same_state_gives_the_same_bytes(lstm_state):
    assert pack_state("a", lstm_state) == pack_state("a", lstm_state)
    assert pack_state("a", lstm_state) != pack_state("b", lstm_state)


def test_typical_state(lstm_state):
    state = typical_state(lstm_state)
    assert_equal(
        state,
        tf.nest.map_structure(
            lambda part: part.mean(
                axis=0, keepdims=True, dtype=np.float64
            ).astype(np.float32),
            lstm_state,
        ),
    )
    assert tf.nest.flatten(state)[0].shape == (1, 3)
