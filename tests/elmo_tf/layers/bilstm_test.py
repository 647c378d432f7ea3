import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers import bilstm as bilstm_module
from elmo_tf.layers.bilstm import BiLSTM
from tests import layer_checks
from tests.reference.bilstm import bilstm

BATCH, TIME, FEATURES, UNITS = 3, 6, 5, 4
L2 = keras.regularizers.serialize(keras.regularizers.L2(0.5))

RIGHT_PADDED = np.array(
    [[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], bool
)
WITH_HOLES = np.array(
    [[0, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0]], bool
)
MASKS = pytest.mark.parametrize(
    "mask", [RIGHT_PADDED, WITH_HOLES], ids=["right", "holes"]
)


def inputs():
    values = np.random.default_rng(0).normal(size=[BATCH, TIME, FEATURES])
    return values.astype(np.float32)


def make_layer(**kwargs):
    return layer_checks.make_layer(
        BiLSTM, dict(units=UNITS, **kwargs), {"inputs": inputs()}
    )


def directions(weights):
    return [
        [
            weights[f"{direction}_{name}"]
            for name in ("kernel", "bias", "recurrent_kernel")
        ]
        for direction in ("forward", "backward")
    ]


def reference(weights, inputs, mask=None, **kwargs):
    return bilstm(inputs, directions(weights), mask, **kwargs)


def weight_shapes():
    return {
        f"{direction}_{name}": shape
        for direction in ("forward", "backward")
        for name, shape in (
            ("kernel", (FEATURES, 4 * UNITS)),
            ("bias", (4 * UNITS,)),
            ("recurrent_kernel", (UNITS, 4 * UNITS)),
        )
    }


class TestLayer:
    @MASKS
    def test_layer(self, mask, tmp_path):
        layer_checks.check_layer(
            BiLSTM,
            dict(units=UNITS),
            {"inputs": inputs(), "mask": mask},
            weight_shapes(),
            (BATCH, TIME, 2 * UNITS),
            reference=reference,
            folder=tmp_path,
        )

    def test_without_mask_and_with_all_arguments(self, tmp_path):
        # Outside training nothing is dropped.
        layer_checks.check_layer(
            BiLSTM,
            dict(
                units=UNITS,
                dropout=0.4,
                recurrent_dropout=0.4,
                kernel_regularizer=L2,
                recurrent_regularizer=L2,
                seed=3,
            ),
            {"inputs": inputs()},
            weight_shapes(),
            (BATCH, TIME, 2 * UNITS),
            reference=reference,
            training=False,
            folder=tmp_path,
        )

    @pytest.mark.parametrize("graph", [False, True])
    @MASKS
    def test_training_computes_the_same(self, mask, graph):
        layer = make_layer()
        run = tf.function(layer) if graph else layer
        np.testing.assert_allclose(
            run(inputs(), mask=mask, training=True),
            layer(inputs(), mask=mask),
            atol=1e-6,
        )

    def test_initial_values(self):
        layer = BiLSTM(units=20)
        layer.build((None, None, 30))
        weights = layer_checks.weight_values(layer)
        limit = (6 / (30 + 80)) ** 0.5
        for kernel, bias, recurrent_kernel in directions(weights):
            assert 0.98 * limit < np.abs(kernel).max() <= limit
            np.testing.assert_array_equal(bias, 0.0)
            np.testing.assert_allclose(
                recurrent_kernel @ recurrent_kernel.T, np.eye(20), atol=1e-5
            )
        forward, backward = directions(weights)
        assert not np.allclose(forward[0], backward[0])

    def test_regularizers(self):
        layer = make_layer(
            kernel_regularizer=keras.regularizers.L2(0.1),
            recurrent_regularizer="l2",
        )
        expected = 0.0
        for kernel, _, recurrent_kernel in directions(
            layer_checks.weight_values(layer)
        ):
            expected += 0.1 * (kernel**2).sum()
            expected += 0.01 * (recurrent_kernel**2).sum()
        assert len(layer.losses) == 4
        np.testing.assert_allclose(sum(layer.losses), expected, rtol=1e-5)
        assert make_layer().losses == []

    def test_no_sequences_and_no_steps(self):
        layer = make_layer()
        for training in (False, True):
            assert layer(inputs()[:0], training=training).shape == (
                0,
                TIME,
                2 * UNITS,
            )
            assert layer(inputs()[:, :0], training=training).shape == (
                BATCH,
                0,
                2 * UNITS,
            )


class TestMask:
    @pytest.mark.parametrize("training", [True, False])
    @MASKS
    def test_padding_never_changes_a_real_step(self, mask, training):
        layer = make_layer()
        expected = layer(inputs(), mask=mask, training=training)
        other = np.where(mask[..., None], inputs(), np.float32(1e6))
        actual = layer(other, mask=mask, training=training)
        layer_checks.assert_equal(actual, expected)
        np.testing.assert_array_equal(actual.numpy()[~mask], 0.0)

    @MASKS
    def test_padding_has_no_gradient(self, mask):
        layer = make_layer()
        x = tf.constant(inputs())
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(layer(x, mask=mask, training=True) ** 2)
        gradient = tape.gradient(total, x).numpy()
        np.testing.assert_array_equal(gradient[~mask], 0.0)
        assert (np.abs(gradient[mask]).max(axis=-1) > 0).all()

    def test_more_padding_changes_nothing(self):
        layer = make_layer()
        outputs = layer(inputs(), mask=RIGHT_PADDED)
        longer = layer(
            np.pad(inputs(), [[0, 0], [0, 3], [0, 0]]),
            mask=np.pad(RIGHT_PADDED, [[0, 0], [0, 3]]),
        )
        np.testing.assert_allclose(longer[:, :TIME], outputs, atol=1e-6)

    def test_a_row_does_not_depend_on_the_others(self):
        layer = make_layer()
        outputs = layer(inputs(), mask=RIGHT_PADDED).numpy()
        for order in itertools.permutations(range(BATCH)):
            order = list(order)
            permuted = layer(inputs()[order], mask=RIGHT_PADDED[order])
            np.testing.assert_allclose(permuted, outputs[order], atol=1e-6)
        for row, length in enumerate(RIGHT_PADDED.sum(axis=1)):
            alone = layer(inputs()[row : row + 1, :length])
            np.testing.assert_allclose(
                alone[0], outputs[row, :length], atol=1e-6
            )

    def test_directions_are_mirror_images(self):
        """The backward one reads from the sequence's own end."""
        layer = make_layer()
        forward, backward = directions(layer_checks.weight_values(layer))
        mirrored = BiLSTM(UNITS)
        mirrored.build((None, None, FEATURES))
        mirrored.set_weights(backward + forward)
        row = inputs()[1:2, :3]
        outputs = layer(
            np.pad(row, [[0, 0], [0, 3], [0, 0]]), mask=RIGHT_PADDED[1:2]
        )
        expected = mirrored(row[:, ::-1])[:, ::-1]
        np.testing.assert_allclose(
            outputs[:, :3],
            np.roll(expected, UNITS, axis=-1),
            atol=1e-6,
        )

    def test_mask_from_a_layer_before(self):
        layer = make_layer()
        x = inputs()
        x[~RIGHT_PADDED] = 0
        symbolic = keras.Input((None, FEATURES))
        model = keras.Model(symbolic, layer(keras.layers.Masking()(symbolic)))
        np.testing.assert_allclose(
            model(x), layer(x, mask=RIGHT_PADDED), atol=1e-6
        )


class TestDropout:
    @pytest.fixture
    def recorded(self, monkeypatch):
        """What the recurrent dropout multiplies with, call by call."""
        scales = []
        original = bilstm_module.stateless_dropout

        def recording(*args, **kwargs):
            scales.append(original(*args, **kwargs))
            return scales[-1]

        monkeypatch.setattr(bilstm_module, "stateless_dropout", recording)
        return scales

    @pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
    def test_recurrent_dropout(self, recorded, dtype):
        layer = make_layer(recurrent_dropout=0.4, seed=1, dtype=dtype)
        outputs = layer(inputs(), mask=RIGHT_PADDED, training=True)
        (scales,) = recorded
        assert scales.shape == (2, BATCH, UNITS)
        np.testing.assert_allclose(np.unique(scales), [0.0, 1 / 0.6], rtol=1e-6)
        expected = reference(
            layer_checks.weight_values(layer),
            inputs(),
            RIGHT_PADDED,
            hidden_scales=scales.numpy(),
        )
        np.testing.assert_allclose(
            tf.cast(outputs, tf.float32),
            expected,
            atol=1e-5 if dtype == "float32" else 0.03,
        )
        assert not np.allclose(
            expected, layer(inputs(), mask=RIGHT_PADDED), atol=0.03
        )

    def test_masks_of_recurrent_dropout(self, recorded):
        layer = make_layer(recurrent_dropout=0.25, seed=1)
        x = np.zeros([500, 1, FEATURES], np.float32)
        layer(x, training=True)
        layer(x, training=True)
        kept = np.array(recorded) > 0
        assert kept.shape == (2, 2, 500, UNITS)
        assert abs(kept.mean() - 0.75) < 0.03
        # A value of its own for each call, direction, sequence and unit.
        for axis in range(4):
            first, second = np.take(kept, [0, 1], axis=axis).swapaxes(0, axis)
            assert 0.3 < (first != second).mean() < 0.45

    def test_variational_dropout_of_the_input(self):
        layer = make_layer(dropout=0.4, seed=1)
        outputs = layer(inputs(), mask=RIGHT_PADDED, training=True)
        twin = make_layer(dropout=0.4, seed=1)
        scale = twin.input_dropout(np.ones_like(inputs()), training=True)
        scale = scale.numpy()[:, 0]
        assert 0 < (scale == 0).mean() < 1
        expected = reference(
            layer_checks.weight_values(layer),
            inputs(),
            RIGHT_PADDED,
            input_scale=scale,
        )
        np.testing.assert_allclose(outputs, expected, atol=1e-5)

    def test_the_same_seed_gives_other_masks_to_input_and_recurrence(
        self, recorded
    ):
        x = np.ones([200, 1, 2 * UNITS], np.float32)
        layer = BiLSTM(UNITS, dropout=0.5, recurrent_dropout=0.5, seed=1)
        layer(x, training=True)
        twin = BiLSTM(UNITS, dropout=0.5, recurrent_dropout=0.5, seed=1)
        of_inputs = twin.input_dropout(x, training=True).numpy() > 0
        of_hidden = recorded[-1].numpy() > 0
        same = of_inputs.ravel() == of_hidden.ravel()
        assert 0.45 < same.mean() < 0.55

    def test_own_sequence_of_masks(self):
        def two(seed, graph):
            layer = make_layer(dropout=0.4, recurrent_dropout=0.4, seed=seed)
            run = tf.function(layer) if graph else layer
            return [run(inputs(), training=True).numpy() for _ in range(2)]

        for graph in (False, True):
            first, second = two(5, graph)
            assert not np.array_equal(first, second)
            layer_checks.assert_equal(two(5, graph), [first, second])
            assert not np.array_equal(two(6, graph)[0], first)

    @pytest.mark.parametrize("jit_compile", [False, True])
    def test_a_function_of_the_generators_states(self, jit_compile):
        """As a trainer sets them, from the seed, the step and the replica."""
        layer = make_layer(dropout=0.4, recurrent_dropout=0.4)
        generators = [layer.input_dropout.seed_generator, layer.seed_generator]
        variables = [weight.value for weight in layer.trainable_weights]
        x = tf.constant(inputs())

        @tf.function(jit_compile=jit_compile)
        def run(state):
            mapping = [
                (
                    generator.state,
                    tf.cast(tf.random.fold_in(state, index), tf.uint32),
                )
                for index, generator in enumerate(generators)
            ]
            with (
                keras.StatelessScope(state_mapping=mapping),
                tf.GradientTape() as tape,
            ):
                outputs = layer(x, training=True)
                loss = tf.reduce_sum(outputs**2)
            return outputs, tape.gradient(loss, variables)

        before = [generator.state.numpy() for generator in generators]
        state = tf.constant([1, 2])
        first = run(state)
        layer_checks.assert_equal(run(state), first)
        other, _ = run(tf.constant([1, 3]))
        assert not np.array_equal(other, first[0])
        # The layer's own generators have not moved.
        after = [generator.state.numpy() for generator in generators]
        np.testing.assert_array_equal(after, before)

    @pytest.mark.parametrize("mask", [None, RIGHT_PADDED, WITH_HOLES])
    def test_gradients_with_dropout(self, recorded, mask):
        """Our own gradient against TensorFlow's of the same, unrolled."""
        layer = make_layer(recurrent_dropout=0.4, seed=1)
        x = tf.constant(inputs())
        variables = [weight.value for weight in layer.trainable_weights]
        factors = np.random.default_rng(1).normal(size=[BATCH, TIME, 8])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            outputs = layer(x, mask=mask, training=True)
            expected = unrolled(x, variables, mask, recorded[0])
            totals = [
                tf.reduce_sum(values * factors)
                for values in (outputs, expected)
            ]
        np.testing.assert_allclose(outputs, expected, atol=1e-5)
        layer_checks.assert_close(
            *[tape.gradient(total, [x, *variables]) for total in totals], 1e-5
        )


def unrolled(x, variables, mask, scales):
    """The layer step by step in plain TensorFlow operations."""
    if mask is None:
        mask = np.ones([BATCH, TIME], bool)
    outputs = []
    for direction in (0, 1):
        kernel, bias, recurrent_kernel = variables[3 * direction :][:3]
        cell = hidden = tf.zeros([BATCH, UNITS])
        steps = {}
        for t in reversed(range(TIME)) if direction else range(TIME):
            z = (
                x[:, t] @ kernel
                + (hidden * scales[direction]) @ recurrent_kernel
                + bias
            )
            i, j, f, o = tf.split(z, 4, axis=1)
            new_cell = tf.sigmoid(f + 1) * cell + tf.sigmoid(i) * tf.tanh(j)
            new_hidden = tf.sigmoid(o) * tf.tanh(new_cell)
            present = mask[:, t, None]
            steps[t] = tf.where(present, new_hidden, 0)
            cell = tf.where(present, new_cell, cell)
            hidden = tf.where(present, new_hidden, hidden)
        outputs.append(tf.stack([steps[t] for t in range(TIME)], axis=1))
    return tf.concat(outputs, axis=-1)


class TestErrors:
    @pytest.mark.parametrize("units", [0, -1])
    def test_units(self, units):
        with pytest.raises(
            ValueError,
            match=f"`units` should be positive. Received: units={units}",
        ):
            BiLSTM(units)

    @pytest.mark.parametrize("name", ["dropout", "recurrent_dropout"])
    @pytest.mark.parametrize("rate", [-0.1, 1.0])
    def test_rates(self, name, rate):
        with pytest.raises(
            ValueError,
            match=rf"`{name}` should be in \[0, 1\). Received: {name}={rate}",
        ):
            BiLSTM(4, **{name: rate})
