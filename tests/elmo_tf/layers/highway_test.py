import numpy as np

from elmo_tf.layers.highway import Highway
from tests import layer_checks
from tests.reference import bilm


def reference(weights, inputs):
    return bilm.highway(
        inputs,
        weights["carry_kernel"],
        weights["carry_bias"],
        weights["transform_kernel"],
        weights["transform_bias"],
    )


def weight_shapes(width):
    return {
        "carry_kernel": (width, width),
        "carry_bias": (width,),
        "transform_kernel": (width, width),
        "transform_bias": (width,),
    }


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def test_layer(tmp_path):
    layer_checks.check_layer(
        Highway,
        init_kwargs={},
        inputs={"inputs": normal(4, 7)},
        weight_shapes=weight_shapes(7),
        output_shape=(4, 7),
        reference=reference,
        dynamic_time=False,
        folder=tmp_path,
    )


def test_layer_of_rank_3(tmp_path):
    layer_checks.check_layer(
        Highway,
        init_kwargs={},
        inputs={"inputs": normal(2, 5, 3)},
        weight_shapes=weight_shapes(3),
        output_shape=(2, 5, 3),
        reference=reference,
        folder=tmp_path,
    )


def test_starts_near_the_identity():
    layer = Highway()
    x = normal(4, 50)
    y = layer(x)
    weights = layer_checks.weight_values(layer)
    np.testing.assert_array_equal(weights["carry_bias"], -2.0)
    np.testing.assert_array_equal(weights["transform_bias"], 0.0)
    # N(0, 1/√n): 2500 draws estimate the deviation to a few percent.
    for name in ("carry_kernel", "transform_kernel"):
        np.testing.assert_allclose(weights[name].std(), 50**-0.5, rtol=0.1)
    assert not np.array_equal(
        weights["carry_kernel"], weights["transform_kernel"]
    )
    # sigmoid(−2) = 0.12: most of the input passes unchanged.
    assert np.corrcoef(np.ravel(x), np.ravel(y))[0, 1] > 0.9


def test_open_gate_gives_the_transformed_input():
    layer = Highway()
    x = normal(4, 3)
    layer.build(x.shape)
    zeros = np.zeros((3, 3), np.float32)
    layer.set_weights([zeros, np.full(3, 100.0), 2 * np.eye(3), np.zeros(3)])
    np.testing.assert_allclose(layer(x), np.maximum(2 * x, 0), rtol=1e-6)


def test_the_carry_bias_to_begin_with():
    layer = Highway(initial_carry_bias=0.5)
    layer.build((2, 3))
    np.testing.assert_array_equal(layer.carry_bias, [0.5] * 3)
    again = Highway.from_config(layer.get_config())
    again.build((2, 3))
    np.testing.assert_array_equal(again.carry_bias, [0.5] * 3)
