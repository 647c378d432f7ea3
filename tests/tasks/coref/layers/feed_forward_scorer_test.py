import numpy as np
import pytest

from tasks.coref.layers.feed_forward_scorer import FeedForwardScorer
from tests import layer_checks
from tests.reference import coreference_model as reference_lib


def reference(weights, inputs):
    hidden = [
        (weights[f"hidden_{i}_kernel"], weights[f"hidden_{i}_bias"])
        for i in range((len(weights) - 2) // 2)
    ]
    outputs = [
        reference_lib.feed_forward(
            vector, hidden, weights["kernel"], weights["bias"]
        )
        for vector in inputs.reshape(-1, inputs.shape[-1])
    ]
    return np.array(outputs, np.float32).reshape(inputs.shape[:-1])


@pytest.mark.parametrize("n_layers", [0, 2])
def test_layer(n_layers, tmp_path):
    generator = np.random.default_rng(0)
    shapes = {"kernel": (4 if n_layers else 5, 1), "bias": (1,)}
    if n_layers:
        shapes |= {
            "hidden_0_kernel": (5, 4),
            "hidden_0_bias": (4,),
            "hidden_1_kernel": (4, 4),
            "hidden_1_bias": (4,),
        }
    layer_checks.check_layer(
        FeedForwardScorer,
        dict(n_layers=n_layers, units=4),
        {"inputs": generator.normal(size=(2, 3, 2, 5)).astype(np.float32)},
        weight_shapes=shapes,
        output_shape=(2, 3, 2),
        reference=reference,
        bfloat16_output=False,
        folder=tmp_path,
    )


def test_dropout_on_each_hidden_layer():
    layer = FeedForwardScorer(1, 400, dropout=0.25, seed=1)
    layer.build((None, 1))
    layer.set_weights(
        [np.ones((1, 400)), np.zeros(400), np.ones((400, 1)), np.zeros(1)]
    )
    inputs = np.ones((50, 1), np.float32)
    np.testing.assert_array_equal(layer(inputs), np.full(50, 400.0))
    scores = layer(inputs, training=True).numpy()
    # What is left of the 400 is multiplied by 4/3.
    n_left = scores * 0.75
    np.testing.assert_allclose(n_left, np.round(n_left), atol=1e-3)
    assert abs(n_left.mean() - 300) < 5
    assert n_left.std() > 3


@pytest.mark.parametrize(
    "options", [dict(n_layers=-1), dict(units=0), dict(dropout=1.0)]
)
def test_errors(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"`{name}` should be"):
        FeedForwardScorer(**{"n_layers": 1, "units": 2, **options})
