import numpy as np
import pytest

from tasks.coref.layers.span_representation import SpanRepresentation
from tests import layer_checks
from tests.reference import coreference_model as reference_lib

WIDTH = 3
# Two sentences, and one with padding behind it.
MASK = np.array(
    [
        [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 0]],
        [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]],
    ],
    bool,
)
OPTIONS = dict(max_width=WIDTH, feature_dim=2)


def make_inputs():
    generator = np.random.default_rng(0)
    return {
        "encoded": generator.normal(size=(2, 5, 4)).astype(np.float32),
        "tokens": generator.normal(size=(2, 5, 3)).astype(np.float32),
        "mask": MASK,
    }


def reference(weights, encoded, tokens, mask):
    outputs = np.zeros([*mask.shape, 4 + 4 + 3 + 2], np.float32)
    for row, first, width in np.argwhere(mask):
        outputs[row, first, width] = reference_lib.span_vector(
            (first, first + width),
            encoded[row],
            tokens[row],
            weights["head_kernel"],
            weights["width_embedding"],
        )
    return outputs


def test_layer(tmp_path):
    layer_checks.check_layer(
        SpanRepresentation,
        OPTIONS,
        make_inputs(),
        weight_shapes={"head_kernel": (4, 1), "width_embedding": (3, 2)},
        output_shape=(2, 5, 3, 13),
        reference=reference,
        folder=tmp_path,
    )


@pytest.mark.parametrize("value", [1e30, np.nan, np.inf])
def test_padding_makes_no_difference(value):
    inputs = make_inputs()
    layer = layer_checks.make_layer(SpanRepresentation, OPTIONS, inputs)
    expected = layer(**inputs).numpy()
    padded = {}
    for name in ("encoded", "tokens"):
        vectors = np.where(MASK[:, :, :1], inputs[name], np.float32(value))
        padded[name] = np.pad(
            vectors, [(0, 0), (0, 2), (0, 0)], constant_values=value
        )
    padded["mask"] = np.pad(MASK, [(0, 0), (0, 2), (0, 0)])
    found = layer(**padded).numpy()
    np.testing.assert_allclose(found[:, :5], expected, atol=1e-6)
    assert not found[:, 5:].any()


def test_large_scores():
    """The best head of a longer span does not drown those of a shorter."""
    layer = SpanRepresentation(2, 1)
    encoded = np.array([[[-1e4], [1e4]]], np.float32)
    tokens = np.array([[[3.0], [5.0]]], np.float32)
    mask = np.array([[[True, True], [True, False]]])
    layer.build((1, 2, 1), (1, 2, 1))
    layer.set_weights([np.ones((1, 1)), np.zeros((2, 1))])
    found = layer(encoded, tokens, mask=mask).numpy()
    np.testing.assert_array_equal(found[0, :, :, 2], [[3.0, 5.0], [5.0, 0.0]])


def test_dropout_is_on_the_embedding_alone():
    inputs = make_inputs()
    layer = layer_checks.make_layer(
        SpanRepresentation, dict(OPTIONS, dropout=0.5, seed=1), inputs
    )
    without = layer(**inputs).numpy()
    found = layer(**inputs, training=True).numpy()
    np.testing.assert_array_equal(found[..., :11], without[..., :11])
    features = found[..., 11:][MASK], without[..., 11:][MASK]
    is_dropped = features[0] == 0
    assert is_dropped.any() and not is_dropped.all()
    np.testing.assert_allclose(
        features[0], np.where(is_dropped, 0, 2 * features[1]), rtol=1e-6
    )


@pytest.mark.parametrize(
    "options", [dict(max_width=0), dict(feature_dim=0), dict(dropout=1.0)]
)
def test_errors(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"`{name}` should be"):
        SpanRepresentation(**{**OPTIONS, **options})
