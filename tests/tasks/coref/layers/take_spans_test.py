import numpy as np
import pytest

from tasks.coref.layers.take_spans import TakeSpans
from tests import layer_checks


@pytest.mark.parametrize("more", [(), (5,)])
def test_layer(more, tmp_path):
    generator = np.random.default_rng(0)
    table = generator.normal(size=(2, 4, 3, *more)).astype(np.float32)
    places = generator.integers(12, size=(2, 6)).astype(np.int32)

    def reference(weights, inputs, places):
        return np.array(
            [
                [inputs[row, place // 3, place % 3] for place in places[row]]
                for row in range(2)
            ]
        )

    layer_checks.check_layer(
        TakeSpans,
        {},
        {"inputs": table, "places": places},
        weight_shapes={},
        output_shape=(2, 6, *more),
        reference=reference,
        bfloat16_output=False,
        folder=tmp_path,
    )
