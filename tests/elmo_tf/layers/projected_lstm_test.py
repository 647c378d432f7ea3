import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.projected_lstm import ProjectedLSTM
from tests import layer_checks
from tests.reference import bilm

BATCH, TIME, FEATURES, UNITS, PROJECTION = 3, 6, 5, 4, 3

PLAIN = dict(units=UNITS)
PROJECTED = dict(units=UNITS, projection_dim=PROJECTION)
# So tight that both clips act in many places.
CLIPPED = dict(
    units=UNITS, projection_dim=PROJECTION, cell_clip=0.5, projection_clip=0.3
)
CELL_CLIPPED = dict(units=UNITS, cell_clip=0.4)

RIGHT_PADDED = np.array(
    [[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], bool
)
WITH_HOLES = np.array(
    [[0, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0]], bool
)


def normal(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype(np.float32)


def state(kwargs):
    # Inside the clips, as a carried state is.
    return [
        0.3 * normal(BATCH, UNITS, seed=5),
        0.2 * normal(BATCH, kwargs.get("projection_dim", UNITS), seed=6),
    ]


def reference_of(units, projection_dim=None, cell_clip=None, **kwargs):
    def reference(weights, inputs, initial_state=None, mask=None):
        return bilm.projected_lstm(
            inputs,
            np.concatenate([weights["kernel"], weights["recurrent_kernel"]]),
            weights["bias"],
            weights.get("projection_kernel"),
            cell_clip,
            kwargs.get("projection_clip"),
            initial_state,
            mask,
        )

    return reference


def weight_shapes(projected):
    shapes = {
        "kernel": (FEATURES, 4 * UNITS),
        "recurrent_kernel": (PROJECTION if projected else UNITS, 4 * UNITS),
        "bias": (4 * UNITS,),
    }
    if projected:
        shapes["projection_kernel"] = (UNITS, PROJECTION)
    return shapes


class TestLayer:
    @pytest.mark.parametrize(
        "kwargs",
        [PLAIN, PROJECTED, CLIPPED, CELL_CLIPPED],
        ids=["plain", "projected", "clipped", "cell clipped"],
    )
    def test_layer(self, kwargs, tmp_path):
        width = kwargs.get("projection_dim", UNITS)
        layer_checks.check_layer(
            ProjectedLSTM,
            kwargs,
            {
                "inputs": normal(BATCH, TIME, FEATURES),
                "initial_state": state(kwargs),
                "mask": RIGHT_PADDED,
            },
            weight_shapes("projection_dim" in kwargs),
            ((BATCH, TIME, width), [(BATCH, UNITS), (BATCH, width)]),
            reference=reference_of(**kwargs),
            folder=tmp_path,
        )

    def test_without_state_and_mask(self, tmp_path):
        layer_checks.check_layer(
            ProjectedLSTM,
            CLIPPED,
            {"inputs": normal(BATCH, TIME, FEATURES)},
            weight_shapes(projected=True),
            (
                (BATCH, TIME, PROJECTION),
                [(BATCH, UNITS), (BATCH, PROJECTION)],
            ),
            reference=reference_of(**CLIPPED),
            folder=tmp_path,
        )

    def test_projection_to_the_same_width_is_no_projection(self):
        layer = layer_checks.make_layer(
            ProjectedLSTM,
            dict(units=UNITS, projection_dim=UNITS, projection_clip=0.01),
            {"inputs": normal(BATCH, TIME, FEATURES)},
        )
        layer_checks.check_weights(layer, weight_shapes(projected=False))
        outputs, _ = layer(normal(BATCH, TIME, FEATURES))
        expected, _ = reference_of(UNITS)(
            layer_checks.weight_values(layer), normal(BATCH, TIME, FEATURES)
        )
        np.testing.assert_allclose(outputs, expected, atol=1e-5)

    def test_clips_are_active(self):
        inputs = {"inputs": normal(BATCH, TIME, FEATURES)}
        layer = layer_checks.make_layer(ProjectedLSTM, CLIPPED, inputs)
        outputs, (cell, _) = layer(inputs["inputs"])
        for value, clip in ((outputs, 0.3), (cell, 0.5)):
            clipped = np.mean(np.abs(value) == np.float32(clip))
            assert 0.1 < clipped < 0.9

    def test_initial_values(self):
        layer = ProjectedLSTM(units=50, projection_dim=20)
        layer.build((None, None, 30))
        weights = layer_checks.weight_values(layer)
        # Glorot's bound for the one matrix of the official files.
        limit = (6 / (30 + 20 + 200)) ** 0.5
        for name in ("kernel", "recurrent_kernel"):
            assert 0.98 * limit < np.abs(weights[name]).max() <= limit
        np.testing.assert_array_equal(weights["bias"], 0.0)

    def test_official_gate_order(self):
        # Each gate's bias alone decides what the gate does.
        layer = ProjectedLSTM(units=1)
        layer.build((None, None, 1))
        zeros = np.zeros((1, 4))
        x = np.zeros((1, 1, 1), np.float32)
        start = [np.full((1, 1), 0.5), np.zeros((1, 1))]
        big = 100.0
        # Columns: input, new content, forget, output.
        for bias, expected_cell, expected_hidden in [
            ([-big, big, -big, big], 0.0, 0.0),
            ([big, big, -big, big], 1.0, np.tanh(1.0)),
            ([-big, big, big, big], 0.5, np.tanh(0.5)),
            ([-big, big, big, -big], 0.5, 0.0),
        ]:
            layer.set_weights([zeros, zeros, np.array(bias)])
            _, (cell, hidden) = layer(x, initial_state=start)
            np.testing.assert_allclose(cell, [[expected_cell]], atol=1e-6)
            np.testing.assert_allclose(hidden, [[expected_hidden]], atol=1e-6)

    def test_forget_bias_of_one_is_not_in_the_bias(self):
        layer = ProjectedLSTM(units=1)
        layer.build((None, None, 1))
        layer.set_weights([np.zeros((1, 4)), np.zeros((1, 4)), np.zeros(4)])
        _, (cell, _) = layer(
            np.zeros((1, 1, 1), np.float32),
            initial_state=[np.ones((1, 1)), np.zeros((1, 1))],
        )
        np.testing.assert_allclose(cell, [[1 / (1 + np.exp(-1))]], rtol=1e-6)


def unrolled(inputs, weights, initial_state, mask, kwargs):
    """The same LSTM step by step in plain TensorFlow operations."""
    cell, hidden = initial_state
    outputs = []
    for t in range(TIME):
        z = (
            inputs[:, t] @ weights["kernel"]
            + hidden @ weights["recurrent_kernel"]
            + weights["bias"]
        )
        i, j, f, o = tf.split(z, 4, axis=1)
        new_cell = tf.sigmoid(f + 1) * cell + tf.sigmoid(i) * tf.tanh(j)
        if kwargs.get("cell_clip"):
            clip = kwargs["cell_clip"]
            new_cell = tf.clip_by_value(new_cell, -clip, clip)
        new_hidden = tf.sigmoid(o) * tf.tanh(new_cell)
        if "projection_kernel" in weights:
            new_hidden = new_hidden @ weights["projection_kernel"]
            if kwargs.get("projection_clip"):
                clip = kwargs["projection_clip"]
                new_hidden = tf.clip_by_value(new_hidden, -clip, clip)
        present = mask[:, t, None]
        outputs.append(tf.where(present, new_hidden, 0))
        cell = tf.where(present, new_cell, cell)
        hidden = tf.where(present, new_hidden, hidden)
    return tf.stack(outputs, axis=1), [cell, hidden]


def loss_of(outputs, final_state, which):
    """A function of some of the results, each place with its own factor."""
    results = {
        "outputs": [outputs],
        "state": final_state,
        "last output": [outputs[:, -1]],
        "all": [outputs, *final_state],
    }[which]
    return tf.add_n(
        [
            tf.reduce_sum(value**2 * normal(*value.shape, seed=seed))
            for seed, value in enumerate(results)
        ]
    )


class TestGradients:
    """The layer's own gradient against automatic differentiation."""

    def check(self, kwargs, mask, with_state, which="all", run=None, **call):
        inputs = 2 * normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, kwargs, {"inputs": inputs}
        )
        start = state(kwargs)
        if not with_state:
            start = [np.zeros_like(part) for part in start]

        def layer_gradients(inputs, start):
            with tf.GradientTape() as tape:
                tape.watch([inputs, start])
                outputs, final_state = layer(
                    inputs,
                    initial_state=start if with_state else None,
                    mask=mask,
                    **call,
                )
                loss = loss_of(outputs, final_state, which)
            variables = [weight.value for weight in layer.weights]
            sources = [inputs, variables] + ([start] if with_state else [])
            return outputs, tape.gradient(loss, sources)

        outputs, actual = (run or (lambda function: function))(layer_gradients)(
            tf.constant(inputs), [tf.constant(part) for part in start]
        )

        # The other side in double precision.
        weights = {
            name: tf.constant(value, tf.float64)
            for name, value in layer_checks.weight_values(layer).items()
        }
        inputs = tf.constant(inputs, tf.float64)
        start = [tf.constant(part, tf.float64) for part in start]
        full_mask = np.ones((BATCH, TIME), bool) if mask is None else mask
        with tf.GradientTape() as tape:
            tape.watch([inputs, weights, start])
            expected_outputs, final_state = unrolled(
                inputs, weights, start, full_mask, kwargs
            )
            loss = loss_of(expected_outputs, final_state, which)
        sources = [inputs, list(weights.values())]
        sources += [start] if with_state else []
        expected = tape.gradient(loss, sources, unconnected_gradients="zero")
        np.testing.assert_allclose(outputs, expected_outputs, atol=1e-5)
        for left, right in zip(
            tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True
        ):
            scale = max(1.0, np.abs(right).max())
            np.testing.assert_allclose(left, right, atol=1e-5 * scale)
        # Nothing flows into a step that does not exist.
        np.testing.assert_array_equal(actual[0][~full_mask], 0.0)

    @pytest.mark.parametrize("training", [True, False])
    @pytest.mark.parametrize(
        ("mask", "with_state"),
        [(None, False), (RIGHT_PADDED, True), (WITH_HOLES, True)],
        ids=["full", "right", "holes"],
    )
    @pytest.mark.parametrize(
        "kwargs",
        [PLAIN, PROJECTED, CLIPPED, CELL_CLIPPED],
        ids=["plain", "projected", "clipped", "cell clipped"],
    )
    def test_all_results(self, kwargs, mask, with_state, training):
        self.check(kwargs, mask, with_state, training=training)

    @pytest.mark.parametrize("which", ["outputs", "state", "last output"])
    @pytest.mark.parametrize("kwargs", [PLAIN, CLIPPED])
    def test_some_results(self, kwargs, which):
        self.check(kwargs, RIGHT_PADDED, True, which, training=True)

    @pytest.mark.parametrize("training", [True, False])
    @pytest.mark.parametrize("mask", [None, WITH_HOLES], ids=["full", "holes"])
    def test_compiled(self, mask, training):
        def run(function):
            return tf.function(function, jit_compile=True)

        self.check(CLIPPED, mask, True, run=run, training=training)

    @pytest.mark.parametrize("training", [True, False])
    def test_graph_with_unknown_batch_and_time(self, training):
        def run(function):
            signature = [
                tf.TensorSpec([None, None, FEATURES]),
                [
                    tf.TensorSpec([None, UNITS]),
                    tf.TensorSpec([None, PROJECTION]),
                ],
            ]
            return tf.function(function, input_signature=signature)

        # A gradient with factors needs the static shape: a plain sum here.
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )

        def gradients(inputs, start):
            with tf.GradientTape() as tape:
                outputs, (cell, hidden) = layer(
                    inputs,
                    initial_state=start,
                    mask=RIGHT_PADDED,
                    training=training,
                )
                loss = tf.add_n(
                    [tf.reduce_sum(x**2) for x in (outputs, cell, hidden)]
                )
            return tape.gradient(loss, [w.value for w in layer.weights])

        start = [tf.constant(part) for part in state(CLIPPED)]
        layer_checks.assert_close(
            run(gradients)(tf.constant(inputs), start),
            gradients(tf.constant(inputs), start),
            1e-5,
        )

    def test_only_some_sources(self):
        # Frozen kernels: the gradient of the inputs alone.
        inputs = tf.constant(normal(BATCH, TIME, FEATURES))
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        layer.trainable = False
        gradients = []
        for training in (True, False):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                outputs, _ = layer(inputs, training=training)
                loss = tf.reduce_sum(outputs**2)
            gradients.append(tape.gradient(loss, inputs))
        np.testing.assert_allclose(*gradients, atol=1e-5)


class TestMask:
    @pytest.mark.parametrize("training", [True, False])
    @pytest.mark.parametrize(
        "mask", [RIGHT_PADDED, WITH_HOLES], ids=["right", "holes"]
    )
    def test_padding_never_changes_a_real_step(self, mask, training):
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        expected = layer(inputs, mask=mask, training=training)
        other = np.where(mask[..., None], inputs, np.float32(1e6))
        actual = layer(other, mask=mask, training=training)
        layer_checks.assert_equal(actual, expected)
        np.testing.assert_array_equal(actual[0][~mask], 0.0)

    def test_more_padding_changes_nothing(self):
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        outputs, final_state = layer(inputs, mask=RIGHT_PADDED)
        longer = np.pad(inputs, [[0, 0], [0, 3], [0, 0]])
        longer_mask = np.pad(RIGHT_PADDED, [[0, 0], [0, 3]])
        longer_outputs, longer_state = layer(longer, mask=longer_mask)
        np.testing.assert_allclose(longer_outputs[:, :TIME], outputs, atol=1e-6)
        layer_checks.assert_close(longer_state, final_state, 1e-6)

    def test_a_row_does_not_depend_on_the_others(self):
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        outputs, (cell, _) = layer(inputs, mask=RIGHT_PADDED)
        for order in itertools.permutations(range(BATCH)):
            order = list(order)
            permuted, (permuted_cell, _) = layer(
                inputs[order], mask=RIGHT_PADDED[order]
            )
            np.testing.assert_allclose(
                permuted, outputs.numpy()[order], atol=1e-6
            )
            np.testing.assert_allclose(
                permuted_cell, cell.numpy()[order], atol=1e-6
            )
        for row, length in enumerate(RIGHT_PADDED.sum(axis=1)):
            alone, _ = layer(inputs[row : row + 1, :length])
            np.testing.assert_allclose(
                alone[0], outputs[row, :length], atol=1e-6
            )

    def test_mask_from_a_layer_before(self):
        inputs = normal(BATCH, TIME, FEATURES)
        inputs[~RIGHT_PADDED] = 0
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        symbolic = keras.Input((None, FEATURES))
        outputs, _ = layer(keras.layers.Masking()(symbolic))
        model = keras.Model(symbolic, outputs)
        expected, _ = layer(inputs, mask=RIGHT_PADDED)
        np.testing.assert_allclose(model(inputs), expected, atol=1e-6)


class TestState:
    @pytest.mark.parametrize("training", [True, False])
    def test_two_halves_are_one_whole(self, training):
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, CLIPPED, {"inputs": inputs}
        )
        whole, whole_state = layer(inputs, training=training)
        first, middle = layer(inputs[:, :2], training=training)
        second, final_state = layer(
            inputs[:, 2:], initial_state=middle, training=training
        )
        np.testing.assert_allclose(
            np.concatenate([first, second], axis=1), whole, atol=1e-6
        )
        layer_checks.assert_close(final_state, whole_state, 1e-6)

    def test_zero_state_is_the_default(self):
        inputs = normal(BATCH, TIME, FEATURES)
        layer = layer_checks.make_layer(
            ProjectedLSTM, PROJECTED, {"inputs": inputs}
        )
        zero_state = layer.zero_state(BATCH)
        assert [part.shape for part in zero_state] == [
            (BATCH, UNITS),
            (BATCH, PROJECTION),
        ]
        layer_checks.assert_equal(
            layer(inputs, initial_state=zero_state), layer(inputs)
        )

    def test_bfloat16_keeps_the_state_in_float32(self):
        layer = ProjectedLSTM(**PROJECTED, dtype="mixed_bfloat16")
        outputs, final_state = layer(normal(BATCH, TIME, FEATURES))
        assert outputs.dtype == tf.bfloat16
        assert [part.dtype for part in final_state] == [tf.float32] * 2
        # The next call takes it without rounding it.
        _, kept = layer(
            normal(BATCH, TIME, FEATURES),
            initial_state=final_state,
            mask=np.zeros((BATCH, TIME), bool),
        )
        layer_checks.assert_equal(kept, final_state)

    def test_no_sentences(self):
        layer = ProjectedLSTM(**PROJECTED)
        outputs, final_state = layer(np.zeros((0, TIME, FEATURES), np.float32))
        assert outputs.shape == (0, TIME, PROJECTION)
        assert [part.shape for part in final_state] == [
            (0, UNITS),
            (0, PROJECTION),
        ]


class TestErrors:
    @pytest.mark.parametrize(
        "name", ["units", "projection_dim", "cell_clip", "projection_clip"]
    )
    @pytest.mark.parametrize("value", [0, -1])
    def test_not_positive(self, name, value):
        with pytest.raises(
            ValueError,
            match=f"`{name}` should be positive. Received: {name}={value}",
        ):
            ProjectedLSTM(**{"units": 4, name: value})
