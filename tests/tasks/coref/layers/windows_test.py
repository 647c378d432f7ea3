import numpy as np
import pytest

from tasks.coref.layers.windows import windows


@pytest.mark.parametrize("width", [1, 3, 9])
@pytest.mark.parametrize("more", [(), (2,)])
def test_windows(width, more):
    inputs = np.random.default_rng(0).integers(9, size=(2, 5, *more))
    found = windows(inputs, width, fill=-1).numpy()
    assert found.shape == (2, 5, width, *more)
    for row, first, place in np.ndindex(2, 5, width):
        expected = -1
        if first + place < 5:
            expected = inputs[row, first + place]
        assert (found[row, first, place] == expected).all()
