import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum
from tests import layer_checks
from tests.reference import weighted_layer_sum as reference_lib

BATCH, TIME, LAYERS, DIM = 3, 4, 3, 6
MASK = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]], bool)
NORMS = [None, "bilm_tf", "allennlp"]


def activations(seed=0):
    values = np.random.default_rng(seed).normal(size=(BATCH, TIME, LAYERS, DIM))
    # Layers differ in mean and in size, as those of a biLM.
    values = values * [[1.0], [3.0], [0.2]] + [[0.0], [2.0], [-1.0]]
    return values.astype(np.float32)


def reference_of(layer_norm=None, only_layer=None, **_):
    def reference(weights, layers, mask=None):
        return reference_lib.weighted_layer_sum(
            layers,
            weights.get("layer_weights"),
            weights.get("gamma", 1.0),
            mask,
            layer_norm,
            only_layer,
        )

    return reference


class TestLayer:
    @pytest.mark.parametrize("layer_norm", NORMS)
    @pytest.mark.parametrize("mask", [None, MASK], ids=["full", "mask"])
    def test_layer(self, layer_norm, mask, tmp_path):
        kwargs = dict(layer_norm=layer_norm)
        inputs = {"layers": activations()}
        if mask is not None:
            inputs["mask"] = mask
        layer_checks.check_layer(
            WeightedLayerSum,
            kwargs,
            inputs,
            {"layer_weights": (LAYERS,), "gamma": ()},
            (BATCH, TIME, DIM),
            reference=reference_of(**kwargs),
            folder=tmp_path,
        )

    @pytest.mark.parametrize("layer_norm", NORMS)
    @pytest.mark.parametrize("only_layer", [-1, 0, 1])
    def test_one_layer_only(self, layer_norm, only_layer, tmp_path):
        kwargs = dict(layer_norm=layer_norm, only_layer=only_layer, l2=0.1)
        layer_checks.check_layer(
            WeightedLayerSum,
            kwargs,
            {"layers": activations(), "mask": MASK},
            {"gamma": ()},
            (BATCH, TIME, DIM),
            reference=reference_of(**kwargs),
            folder=tmp_path,
        )

    @pytest.mark.parametrize("only_layer", [None, -1])
    def test_without_gamma(self, only_layer, tmp_path):
        kwargs = dict(only_layer=only_layer, use_gamma=False)
        layer_checks.check_layer(
            WeightedLayerSum,
            kwargs,
            {"layers": activations(), "mask": MASK},
            {} if only_layer else {"layer_weights": (LAYERS,)},
            (BATCH, TIME, DIM),
            reference=reference_of(**kwargs),
            folder=tmp_path,
        )

    def test_all_arguments_are_saved(self, tmp_path):
        layer_checks.check_layer(
            WeightedLayerSum,
            dict(layer_norm="allennlp", dropout=0.0, l2=0.5, seed=3),
            {"layers": activations()},
            {"layer_weights": (LAYERS,), "gamma": ()},
            (BATCH, TIME, DIM),
            folder=tmp_path,
        )
        layer_checks.check_config(
            WeightedLayerSum, dict(dropout=0.5, seed=3, use_gamma=False)
        )


class TestEquation1:
    def test_starts_as_the_mean_of_the_layers(self):
        layer = WeightedLayerSum()
        outputs = layer(activations())
        np.testing.assert_allclose(
            outputs, activations().mean(axis=2), atol=1e-6
        )
        np.testing.assert_array_equal(layer.layer_weights, np.zeros(LAYERS))
        np.testing.assert_array_equal(layer.gamma, 1.0)

    @pytest.mark.parametrize("layer_norm", NORMS)
    def test_values_of_the_tests_of_bilm_tf(self, layer_norm):
        layer = WeightedLayerSum(layer_norm=layer_norm)
        layer.build((None, None, LAYERS, DIM))
        layer.layer_weights.assign([0.1, 0.3, 0.5])
        layer.gamma.assign(1.1)
        s = np.exp([0.1 + 1 / 3, 0.3 + 1 / 3, 0.5 + 1 / 3])
        s /= s.sum()
        values = np.float64(activations())
        if layer_norm:
            for j in range(LAYERS):
                real = values[:, :, j][MASK]
                values[:, :, j] -= real.mean()
                values[:, :, j] /= real.std() + 1e-12
        expected = 1.1 * np.einsum("btld,l->btd", values, s)
        outputs = layer(activations(), mask=MASK)
        np.testing.assert_allclose(
            outputs.numpy()[MASK], expected[MASK], atol=1e-5
        )

    def test_normalized_weights(self):
        layer = WeightedLayerSum()
        layer.build((None, None, LAYERS, DIM))
        layer.layer_weights.assign([1.0, 2.0, 3.0])
        weights = layer.normalized_weights()
        np.testing.assert_allclose(
            weights, np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum(), rtol=1e-6
        )

    def test_any_number_of_layers(self):
        for n_layers in (1, 2, 5):
            values = np.ones((2, 3, n_layers, 4), np.float32)
            np.testing.assert_allclose(
                WeightedLayerSum()(values), np.ones((2, 3, 4)), rtol=1e-6
            )


class TestLayerNorm:
    @pytest.mark.parametrize("layer_norm", ["bilm_tf", "allennlp"])
    def test_mean_0_and_variance_1_over_the_batch(self, layer_norm):
        layer = WeightedLayerSum(layer_norm=layer_norm)
        for index in range(LAYERS):
            outputs = layer(activations()[:, :, index : index + 1], mask=MASK)
            real = outputs.numpy()[MASK]
            assert abs(real.mean()) < 1e-6
            assert abs(real.std() - 1) < 1e-5
            layer = WeightedLayerSum(layer_norm=layer_norm)

    def test_variance_floors_of_the_two_conventions(self):
        # So small that only the floor counts.
        values = 1e-9 * activations()[:, :, :1]
        factors = {}
        for layer_norm in ("bilm_tf", "allennlp"):
            outputs = WeightedLayerSum(layer_norm=layer_norm)(values)
            expected = reference_lib.weighted_layer_sum(
                values, np.zeros(1), 1.0, None, layer_norm
            )
            np.testing.assert_allclose(outputs, expected, rtol=1e-4)
            factors[layer_norm] = np.abs(outputs).max()
        np.testing.assert_allclose(
            factors["allennlp"] / factors["bilm_tf"], 10**0.5, rtol=1e-3
        )

    def test_equal_activations_stay_finite(self):
        layer = WeightedLayerSum(layer_norm="bilm_tf")
        outputs = layer(np.full((2, 3, 2, 4), 5.0, np.float32))
        np.testing.assert_allclose(outputs, np.zeros((2, 3, 4)), atol=1e-6)

    def test_no_real_token(self):
        layer = WeightedLayerSum(layer_norm="bilm_tf")
        outputs = layer(activations(), mask=np.zeros((BATCH, TIME), bool))
        np.testing.assert_array_equal(outputs, np.zeros((BATCH, TIME, DIM)))


class TestMask:
    @pytest.mark.parametrize("kwargs", [dict(layer_norm=n) for n in NORMS])
    def test_padding_never_matters(self, kwargs):
        layer = layer_checks.make_layer(
            WeightedLayerSum, kwargs, {"layers": activations()}
        )
        expected = layer(activations(), mask=MASK)
        np.testing.assert_array_equal(expected.numpy()[~MASK], 0.0)
        garbage = np.where(
            MASK[..., None, None], activations(), np.float32(1e6)
        )
        np.testing.assert_allclose(
            layer(garbage, mask=MASK), expected, atol=1e-6
        )
        longer = np.pad(activations(), [[0, 0], [0, 2], [0, 0], [0, 0]])
        np.testing.assert_allclose(
            layer(longer, mask=np.pad(MASK, [[0, 0], [0, 2]]))[:, :TIME],
            expected,
            atol=1e-6,
        )
        order = [2, 0, 1]
        np.testing.assert_allclose(
            layer(activations()[order], mask=MASK[order]),
            expected.numpy()[order],
            atol=1e-6,
        )

    def test_mask_of_integers(self):
        layer = WeightedLayerSum()
        np.testing.assert_array_equal(
            layer(activations(), mask=MASK.astype(np.int32)),
            layer(activations(), mask=MASK),
        )


class TestRegularization:
    def test_l2_on_the_raw_weights(self):
        layer = WeightedLayerSum(l2=0.1)
        layer.build((None, None, LAYERS, DIM))
        layer.layer_weights.assign([1.0, -2.0, 0.5])
        layer.gamma.assign(7.0)
        layer(activations())
        assert len(layer.losses) == 1
        np.testing.assert_allclose(
            layer.losses[0],
            reference_lib.l2_penalty([1.0, -2.0, 0.5], 0.1),
            rtol=1e-6,
        )

    @pytest.mark.parametrize(
        "kwargs", [dict(l2=0.0), dict(l2=0.1, only_layer=0)]
    )
    def test_none(self, kwargs):
        layer = WeightedLayerSum(**kwargs)
        layer(activations())
        assert layer.losses == []

    def test_in_the_loss_of_a_model(self):
        inputs = keras.Input((None, LAYERS, DIM))
        model = keras.Model(inputs, WeightedLayerSum(l2=0.1)(inputs))
        model.layers[-1].layer_weights.assign([1.0, 2.0, 3.0])
        model.compile(loss="mse")
        expected = model.predict(activations(), verbose=0)
        loss = model.evaluate(activations(), expected, verbose=0)
        np.testing.assert_allclose(loss, 1.4, rtol=1e-4)


class TestDropout:
    def test_on_the_output_in_training(self):
        layer = WeightedLayerSum(dropout=0.25, seed=1)
        values = np.ones((20, 20, LAYERS, DIM), np.float32)
        outputs = layer(values, training=True).numpy()
        kept = outputs != 0
        np.testing.assert_allclose(outputs[kept], 1 / 0.75, rtol=1e-5)
        assert abs(kept.mean() - 0.75) < 0.05
        np.testing.assert_allclose(layer(values), outputs * 0 + 1, rtol=1e-6)

    def test_seed(self):
        def two():
            layer = WeightedLayerSum(dropout=0.5, seed=1)
            return [
                layer(activations(), training=True).numpy() for _ in range(2)
            ]

        first, second = two()
        assert not np.array_equal(first, second)
        layer_checks.assert_equal(two(), [first, second])

    def test_padding_stays_zero(self):
        outputs = WeightedLayerSum(dropout=0.5)(
            activations(), mask=MASK, training=True
        )
        np.testing.assert_array_equal(outputs.numpy()[~MASK], 0.0)


def test_bfloat16_sums_in_float32():
    # 256 + 1 is 256 in bfloat16: a sum in it would lose every second layer.
    values = np.zeros((1, 1, 2, 1), np.float32)
    values[0, 0, :, 0] = 512.0, 6.0
    layer = WeightedLayerSum(dtype="mixed_bfloat16")
    assert layer(values).dtype == tf.bfloat16
    assert float(layer(values)[0, 0, 0]) == 260.0


class TestErrors:
    def test_layer_norm(self):
        with pytest.raises(
            ValueError,
            match="`layer_norm` should be None, 'bilm_tf' or 'allennlp'. "
            "Received: layer_norm='batch'",
        ):
            WeightedLayerSum(layer_norm="batch")

    def test_l2(self):
        with pytest.raises(
            ValueError, match="`l2` should not be negative. Received: l2=-0.1"
        ):
            WeightedLayerSum(l2=-0.1)

    @pytest.mark.parametrize("dropout", [-0.1, 1.0])
    def test_dropout(self, dropout):
        with pytest.raises(
            ValueError,
            match=r"`dropout` should be in \[0, 1\). Received: "
            f"dropout={dropout}",
        ):
            WeightedLayerSum(dropout=dropout)

    def test_one_layer_has_no_weights(self):
        layer = WeightedLayerSum(only_layer=0)
        layer(activations())
        with pytest.raises(
            ValueError,
            match="a WeightedLayerSum of one layer has no layer weights",
        ):
            layer.normalized_weights()

    @pytest.mark.parametrize("only_layer", [LAYERS, -LAYERS - 1])
    def test_no_such_layer(self, only_layer):
        with pytest.raises(
            ValueError,
            match="`only_layer` should be one of 3 layers. Received: "
            f"only_layer={only_layer}",
        ):
            WeightedLayerSum(only_layer=only_layer)(activations())
