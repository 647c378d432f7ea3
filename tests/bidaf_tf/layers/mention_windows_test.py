import numpy as np
import pytest

from bidaf_tf.layers.mention_windows import MentionWindows
from tests import layer_checks
from tests.reference import cloze as reference_lib

LENGTHS = (9, 4, 0, 3)
ENTITIES = np.array(
    [
        # At the very beginning and end, and next to each other.
        [0, -1, -1, 1, 0, -1, -1, -1, 2, -1],
        # An entity that stands at padding is none.
        [-1, -1, -1, 0, -1, 5, -1, -1, -1, -1],
        [-1] * 10,
        # A text without entities.
        [-1] * 10,
    ],
    np.int32,
)
MASK = np.arange(10) < np.array(LENGTHS)[:, None]


def words_of(places, mask):
    return [
        tuple(row[own].tolist())
        for row, own in zip(places.numpy(), mask.numpy(), strict=True)
    ]


@pytest.mark.parametrize("width", [1, 3, 5, 19])
@pytest.mark.parametrize("n_padding", [0, 3])
def test_windows(width, n_padding):
    padding = [[0, 0], [0, n_padding]]
    places, mask, rows = MentionWindows(width)(
        np.pad(ENTITIES, padding, constant_values=7), np.pad(MASK, padding)
    )
    expected = [
        (row, start, stop)
        for row, length in enumerate(LENGTHS)
        for start, stop in reference_lib.windows(ENTITIES[row, :length], width)
    ]
    time = 10 + n_padding
    assert words_of(places, mask) == [
        tuple(range(row * time + start, row * time + stop))
        for row, start, stop in expected
    ]
    assert rows.numpy().tolist() == [row for row, _, _ in expected]
    # The words that there are come first.
    np.testing.assert_array_equal(mask, np.sort(mask, axis=1)[:, ::-1])
    assert places.shape == mask.shape == (len(expected), width)
    assert 0 <= places.numpy().min() <= places.numpy().max() < 4 * time


def test_no_mention():
    places, mask, rows = MentionWindows(3)(ENTITIES[2:], MASK[2:])
    assert places.shape == mask.shape == (0, 3)
    assert rows.shape == (0,)


def test_layer(tmp_path):
    layer_checks.check_config(MentionWindows, {"width": 5})
    layer = MentionWindows(5)
    inputs = {"entities": ENTITIES, "mask": MASK}
    layer_checks.check_saved_model(layer, inputs, True, tmp_path)
    found = layer_checks.call(layer, inputs)
    symbolic = layer_checks.call(layer, layer_checks.symbolic_inputs(inputs))
    assert [leaf.dtype for leaf in symbolic] == [
        leaf.dtype.name for leaf in found
    ]
    assert [leaf.shape[1:] for leaf in symbolic] == [
        tuple(leaf.shape[1:]) for leaf in found
    ]


@pytest.mark.parametrize("width", [0, -3, 4])
def test_mistakes(width):
    with pytest.raises(ValueError, match="width"):
        MentionWindows(width)
