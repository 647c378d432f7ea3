import numpy as np
import pytest

from tasks.coref.layers.antecedent_scorer import AntecedentScorer
from tests import layer_checks
from tests.reference import coreference_model as reference_lib

OPTIONS = dict(
    max_antecedents=3, n_genres=3, n_layers=2, units=4, feature_dim=2
)
N_SPANS = 5
MASK = np.arange(N_SPANS) < np.array([5, 3, 0])[:, None]
LEAST = np.finfo(np.float32).min


def make_inputs(n_spans=N_SPANS, mask=MASK):
    generator = np.random.default_rng(0)
    shape = len(mask), n_spans
    return {
        "spans": generator.normal(size=(*shape, 6)).astype(np.float32),
        "scores": generator.normal(size=shape).astype(np.float32),
        "speakers": generator.integers(2, size=shape).astype(np.int32),
        "genre": np.arange(len(mask), dtype=np.int32) % 3,
        "mask": mask,
    }


def reference(max_antecedents):
    def compute(weights, spans, scores, speakers, genre, mask):
        n_before = min(max_antecedents, spans.shape[1])
        outputs = np.full([*mask.shape, 1 + n_before], LEAST, np.float32)
        outputs[:, :, 0] = 0
        for row, i in np.argwhere(mask):
            for distance in range(1, n_before + 1):
                if i - distance >= 0:
                    outputs[row, i, distance] = reference_lib.pair_score(
                        *(i, i - distance, spans[row], scores[row]),
                        *(speakers[row], genre[row], weights),
                    )
        return outputs

    return compute


def make_layer(inputs, **options):
    return layer_checks.make_layer(
        AntecedentScorer, {**OPTIONS, **options}, inputs
    )


@pytest.mark.parametrize("max_antecedents", [3, 9])
@pytest.mark.parametrize("n_layers", [1, 2])
def test_equals_the_reference(max_antecedents, n_layers):
    inputs = make_inputs()
    layer = make_layer(
        inputs, max_antecedents=max_antecedents, n_layers=n_layers
    )
    np.testing.assert_allclose(
        layer_checks.call(layer, inputs),
        reference(max_antecedents)(layer_checks.weight_values(layer), **inputs),
        atol=1e-5,
    )


def test_far_antecedents():
    """The buckets of distances up to more than 64."""
    mask = np.ones((1, 70), bool)
    inputs = make_inputs(70, mask)
    layer = make_layer(inputs, max_antecedents=100)
    found = layer_checks.call(layer, inputs)[0, 69].numpy()
    expected = reference(100)(layer_checks.weight_values(layer), **inputs)
    np.testing.assert_allclose(found, expected[0, 69], atol=1e-5)
    assert [reference_lib.distance_bucket(n) for n in (1, 4, 5, 7, 8)] == [
        *(0, 3, 4, 4, 5)
    ]
    assert [reference_lib.distance_bucket(n) for n in (31, 32, 63, 64)] == [
        *(6, 7, 7, 8)
    ]


def test_as_a_layer(tmp_path):
    """All that is checked of a layer, on a document without padding."""
    mask = np.ones((2, 9), bool)
    inputs = make_inputs(9, mask)
    layer = make_layer(inputs, max_antecedents=9)
    expected = {
        "speaker_embedding": (2, 2),
        "genre_embedding": (3, 2),
        "distance_embedding": (9, 2),
        "span_kernel": (6, 4),
        "antecedent_kernel": (6, 4),
        "product_kernel": (6, 4),
        "feature_kernel": (6, 4),
        "bias": (4,),
        "upper_layers/hidden_0_kernel": (4, 4),
        "upper_layers/hidden_0_bias": (4,),
        "upper_layers/kernel": (4, 1),
        "upper_layers/bias": (1,),
    }
    layer_checks.check_config(AntecedentScorer, OPTIONS)
    layer_checks.check_weights(layer, expected)
    layer_checks.check_symbolic_output(layer, inputs)
    layer_checks.check_saved_model(layer, inputs, True, tmp_path)
    layer_checks.check_computed_shape(layer, inputs)
    assert not layer.losses


def test_gradients():
    inputs = make_inputs()
    layer = make_layer(inputs)
    _, gradients = layer_checks.forward_and_gradients(layer, inputs, False)
    for weight, gradient in zip(
        layer.trainable_weights, gradients, strict=True
    ):
        assert np.abs(gradient).max() > 0, weight.path


def test_jit_compile():
    inputs = make_inputs()
    layer_checks.check_jit_compile(make_layer(inputs), inputs)


def test_mixed_precision():
    inputs = make_inputs()
    layer = make_layer(inputs)
    low = make_layer(inputs, dtype="mixed_bfloat16")
    low.set_weights(layer.get_weights())
    expected = layer_checks.call(layer, inputs).numpy()
    found = layer_checks.call(low, inputs)
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, expected, atol=0.1)
    # The spans' own scores are not rounded.
    inputs["spans"] = np.zeros_like(inputs["spans"])
    low.set_weights([np.zeros_like(value) for value in layer.get_weights()])
    scores = inputs["scores"]
    np.testing.assert_allclose(
        layer_checks.call(low, inputs)[0, 1, 1],
        scores[0, 0] + scores[0, 1],
        rtol=1e-6,
    )


@pytest.mark.parametrize("value", [1e30, np.nan])
def test_padding_makes_no_difference(value):
    inputs = make_inputs()
    layer = make_layer(inputs)
    expected = layer_checks.call(layer, inputs).numpy()
    inputs["spans"] = np.where(MASK[..., None], inputs["spans"], value)
    inputs["scores"] = np.where(MASK, inputs["scores"], value)
    for name in ("spans", "scores"):
        inputs[name] = inputs[name].astype(np.float32)
    np.testing.assert_array_equal(layer_checks.call(layer, inputs), expected)


def test_dropout():
    inputs = make_inputs()
    layer = make_layer(inputs, dropout=0.5, seed=3)
    first = layer_checks.call(layer, inputs, training=True).numpy()
    second = layer_checks.call(layer, inputs, training=True).numpy()
    assert np.abs(first - second)[0, 1, 1] > 0
    np.testing.assert_array_equal(first == LEAST, second == LEAST)
    np.testing.assert_array_equal(first[:, :, 0], np.zeros((3, N_SPANS)))


@pytest.mark.parametrize("name", [*OPTIONS, "dropout"])
def test_errors(name):
    value = 1.0 if name == "dropout" else 0
    with pytest.raises(ValueError, match=f"`{name}` should be"):
        AntecedentScorer(**{**OPTIONS, name: value})
