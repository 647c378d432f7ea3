import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.lstm_stack import LSTMStack
from tests import layer_checks
from tests.reference import bilm

BATCH, TIME, WIDTH, UNITS = 3, 5, 4, 6
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 1, 0]], bool)
SEED = (3, 4)


def normal(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype(np.float32)


def init_kwargs(n_layers=2, projected=True, **kwargs):
    if projected:
        kwargs.update(projection_dim=WIDTH, projection_clip=0.3)
    return dict(
        n_layers=n_layers,
        units=UNITS if projected else WIDTH,
        cell_clip=0.5,
        use_skip_connections=True,
        **kwargs,
    )


def state_of(kwargs):
    return [
        [
            0.3 * normal(BATCH, kwargs["units"], seed=10 + layer),
            0.2 * normal(BATCH, WIDTH, seed=20 + layer),
        ]
        for layer in range(kwargs["n_layers"])
    ]


def reference_of(
    n_layers, cell_clip=None, use_skip_connections=False, **kwargs
):
    options = {
        "lstm": {
            "n_layers": n_layers,
            "cell_clip": cell_clip,
            "proj_clip": kwargs.get("projection_clip"),
            "use_skip_connections": use_skip_connections,
        }
    }

    def reference(weights, inputs, initial_state=None, mask=None):
        official = {}
        for layer in range(n_layers):
            ours = f"lstm_{layer}"
            cell = f"RNN_0/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            official[f"{cell}/W_0"] = np.concatenate(
                [weights[f"{ours}/kernel"], weights[f"{ours}/recurrent_kernel"]]
            )
            official[f"{cell}/B"] = weights[f"{ours}/bias"]
            if f"{ours}/projection_kernel" in weights:
                official[f"{cell}/W_P_0"] = weights[f"{ours}/projection_kernel"]
        return bilm.lstm_stack(
            inputs, options, official, 0, initial_state, mask
        )

    return reference


def weight_shapes(n_layers, units, projection_dim=None, **kwargs):
    shapes = {}
    for layer in range(n_layers):
        shapes[f"lstm_{layer}/kernel"] = (WIDTH, 4 * units)
        shapes[f"lstm_{layer}/recurrent_kernel"] = (WIDTH, 4 * units)
        shapes[f"lstm_{layer}/bias"] = (4 * units,)
        if projection_dim:
            shapes[f"lstm_{layer}/projection_kernel"] = (units, projection_dim)
    return shapes


def check(kwargs, inputs, folder):
    layer_checks.check_layer(
        LSTMStack,
        kwargs,
        inputs,
        weight_shapes(**kwargs),
        (
            [(BATCH, TIME, WIDTH)] * kwargs["n_layers"],
            [[(BATCH, kwargs["units"]), (BATCH, WIDTH)]] * kwargs["n_layers"],
        ),
        reference=reference_of(**kwargs),
        folder=folder,
    )


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_layer(n_layers, tmp_path):
    kwargs = init_kwargs(n_layers)
    check(
        kwargs,
        {
            "inputs": normal(BATCH, TIME, WIDTH),
            "initial_state": state_of(kwargs),
            "mask": MASK,
        },
        tmp_path,
    )


def test_without_projection_state_and_mask(tmp_path):
    check(
        init_kwargs(projected=False),
        {"inputs": normal(BATCH, TIME, WIDTH)},
        tmp_path,
    )


def test_without_skip_connections():
    kwargs = {**init_kwargs(3), "use_skip_connections": False}
    inputs = {"inputs": normal(BATCH, TIME, WIDTH), "mask": MASK}
    layer = layer_checks.make_layer(LSTMStack, kwargs, inputs)
    outputs = layer_checks.call(layer, inputs)
    layer_checks.assert_close(
        outputs,
        reference_of(**kwargs)(layer_checks.weight_values(layer), **inputs),
        1e-5,
    )


def test_first_layer_may_have_another_width():
    kwargs = init_kwargs(2)
    inputs = {"inputs": normal(BATCH, TIME, 7)}
    layer = layer_checks.make_layer(LSTMStack, kwargs, inputs)
    outputs = layer_checks.call(layer, inputs)
    layer_checks.assert_close(
        outputs,
        reference_of(**kwargs)(layer_checks.weight_values(layer), **inputs),
        1e-5,
    )


@pytest.mark.parametrize("training", [True, False])
def test_padding_never_matters(training):
    inputs = {"inputs": normal(BATCH, TIME, WIDTH), "mask": MASK}
    layer = layer_checks.make_layer(LSTMStack, init_kwargs(), inputs)
    outputs, final_state = layer_checks.call(layer, inputs, training=training)
    for output in outputs:
        np.testing.assert_array_equal(output[~MASK], 0.0)
    garbage = np.where(MASK[..., None], inputs["inputs"], np.float32(1e6))
    layer_checks.assert_equal(
        layer(garbage, mask=MASK, training=training), (outputs, final_state)
    )
    order = [2, 0, 1]
    permuted, _ = layer(
        inputs["inputs"][order], mask=MASK[order], training=training
    )
    for output, other in zip(outputs, permuted, strict=True):
        np.testing.assert_allclose(other, output.numpy()[order], atol=1e-6)


def test_carried_state():
    inputs = normal(BATCH, TIME, WIDTH)
    layer = layer_checks.make_layer(
        LSTMStack, init_kwargs(), {"inputs": inputs}
    )
    whole, whole_state = layer(inputs)
    first, middle = layer(inputs[:, :2])
    second, final_state = layer(inputs[:, 2:], initial_state=middle)
    for index in range(2):
        np.testing.assert_allclose(
            np.concatenate([first[index], second[index]], axis=1),
            whole[index],
            atol=1e-6,
        )
    layer_checks.assert_close(final_state, whole_state, 1e-6)


def test_zero_state_is_the_default():
    inputs = normal(BATCH, TIME, WIDTH)
    layer = layer_checks.make_layer(
        LSTMStack, init_kwargs(), {"inputs": inputs}
    )
    layer_checks.assert_equal(
        layer(inputs, initial_state=layer.zero_state(BATCH)), layer(inputs)
    )


class TestDropout:
    RATE = 0.4

    @pytest.fixture
    def layer(self):
        layer = layer_checks.make_layer(
            LSTMStack,
            dict(
                n_layers=2,
                units=16,
                projection_dim=8,
                use_skip_connections=True,
                dropout=self.RATE,
            ),
            {"inputs": normal(4, 30, 8)},
        )
        # The second layer alone gives nothing: what comes out is what the skip
        # connection adds.
        for weight in layer.lstms[1].weights:
            weight.assign(tf.zeros_like(weight))
        return layer

    def test_the_dropped_input_is_added(self, layer):
        (first, second), _ = layer(
            normal(4, 30, 8), training=True, dropout_seed=SEED
        )
        kept = second.numpy() != 0
        np.testing.assert_allclose(
            second, np.where(kept, first / (1 - self.RATE), 0), rtol=1e-5
        )
        assert abs(kept.mean() - (1 - self.RATE)) < 0.05
        # A new mask at each time step, sentence and feature.
        assert kept.any(axis=1).all()
        assert not kept.all(axis=1).any()
        assert not np.array_equal(kept[0], kept[1])

    def test_the_input_of_the_first_layer_is_dropped(self, layer):
        plain, _ = layer(normal(4, 30, 8))
        dropped, _ = layer(normal(4, 30, 8), training=True, dropout_seed=SEED)
        assert not np.allclose(plain[0], dropped[0], atol=0.01)
        # No input is left where everything but one feature is zero and that
        # one is dropped: those steps see zeros.
        inputs = np.zeros((1, 1, 8), np.float32)
        inputs[..., 0] = 1.0
        seen = {
            tuple(
                np.round(
                    layer(inputs, training=True, dropout_seed=(seed, 0))[0][0][
                        0, 0
                    ].numpy(),
                    5,
                )
            )
            for seed in range(12)
        }
        without = layer(0 * inputs)[0][0][0, 0].numpy()
        scaled = layer(inputs / (1 - self.RATE))[0][0][0, 0].numpy()
        assert len(seen) == 2
        for expected in (without, scaled):
            assert any(
                np.allclose(expected, values, atol=2e-5) for values in seen
            )

    def test_masks_differ_between_layers(self):
        three = LSTMStack(
            3, 16, 8, use_skip_connections=True, dropout=self.RATE
        )
        three(normal(4, 30, 8))
        for lstm in three.lstms[1:]:
            for weight in lstm.weights:
                weight.assign(tf.zeros_like(weight))
        (_, second, third), _ = three(
            normal(4, 30, 8), training=True, dropout_seed=SEED
        )
        # Were both masks the same, the third layer would drop nothing more.
        second_kept = second.numpy() != 0
        third_kept = third.numpy()[second_kept] != 0
        assert abs(third_kept.mean() - (1 - self.RATE)) < 0.1

    def test_masks_depend_on_the_seed_alone(self, layer):
        def run(seed):
            return layer(normal(4, 30, 8), training=True, dropout_seed=seed)

        layer_checks.assert_equal(run(SEED), run(SEED))
        layer_checks.assert_equal(run(SEED), tf.function(run)(SEED))
        other = run((3, 5))
        assert not np.array_equal(run(SEED)[0][1], other[0][1])

    def test_nothing_is_dropped_outside_training(self, layer):
        (first, second), _ = layer(normal(4, 30, 8))
        np.testing.assert_array_equal(first, second)

    def test_training_needs_a_seed(self, layer):
        with pytest.raises(
            ValueError,
            match="training with dropout 0.4 needs `dropout_seed`. Received: "
            "dropout_seed=None",
        ):
            layer(normal(4, 30, 8), training=True)
