import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from tasks.layers.crf import LinearChainCRF
from tests import layer_checks
from tests.reference import crf as reference_lib

N_TAGS = 3
LENGTHS = (4, 0, 1, 3, 2)
TIME = 5
MASK = np.arange(TIME) < np.array(LENGTHS)[:, None]
# The tags I, O, B of one kind of entity. The first is one that no sequence may
# start with, as it is what an undecided maximum gives.
BIO = dict(
    transition_mask=[
        [True, True, True],
        [False, True, True],
        [True, True, True],
    ],
    start_mask=[False, True, True],
    end_mask=None,
)
# The tags I, O, B, L, U.
BIOUL = dict(
    transition_mask=[
        [True, False, False, True, False],
        [False, True, True, False, True],
        [True, False, False, True, False],
        [False, True, True, False, True],
        [False, True, True, False, True],
    ],
    start_mask=[False, True, True, False, True],
    end_mask=[False, True, False, True, True],
)
CONSTRAINTS = {
    "none": dict(n_tags=N_TAGS),
    "BIO": dict(n_tags=N_TAGS, **BIO),
    "BIOUL": dict(n_tags=5, **BIOUL),
}
CRF = pytest.mark.parametrize(
    "arguments", CONSTRAINTS.values(), ids=CONSTRAINTS.keys()
)


def normal(*shape, seed=0, scale=1.0):
    values = scale * np.random.default_rng(seed).normal(size=shape)
    return values.astype(np.float32)


def scores_for(arguments, seed=0):
    return normal(len(LENGTHS), TIME, arguments["n_tags"], seed=seed)


def make_layer(arguments, seed=0):
    inputs = {"scores": scores_for(arguments), "mask": MASK}
    return layer_checks.make_layer(LinearChainCRF, arguments, inputs, seed)


def masks_of(arguments):
    return {
        name: value for name, value in arguments.items() if name != "n_tags"
    }


def sentences(scores, mask=MASK):
    """The rows of a batch without their padding."""
    for row, present in zip(scores, mask, strict=True):
        yield row[: present.sum()]


def expected_outputs(weights, scores, mask, **masks):
    """What a call of the layer gives, by enumeration."""
    outputs = {
        "tags": np.zeros(mask.shape, np.int32),
        "log_probability": np.zeros(len(mask)),
        "marginals": np.zeros(scores.shape),
    }
    for index, sentence in enumerate(sentences(scores, mask)):
        tags = reference_lib.viterbi(sentence, weights, **masks)
        outputs["tags"][index, : len(tags)] = tags
        outputs["log_probability"][index] = reference_lib.log_likelihood(
            sentence, tags, weights
        )
        outputs["marginals"][index, : len(tags)] = reference_lib.marginals(
            sentence, weights
        )
    return outputs


def random_tags(arguments, seed=0):
    return np.random.default_rng(seed).integers(
        0, arguments["n_tags"], MASK.shape
    )


def likelihood_and_gradients(layer, scores, tags, mask):
    """Log-likelihoods, and gradients of their sum by scores and weights."""
    scores = tf.convert_to_tensor(scores)
    with tf.GradientTape() as tape:
        tape.watch(scores)
        result = layer.log_likelihood(scores, tags, mask)
        total = tf.reduce_sum(result)
    weights = [weight.value for weight in layer.weights]
    return result, tape.gradient(total, [scores, *weights])


@pytest.mark.parametrize("constraints", ["none", "BIOUL"])
def test_layer(constraints, tmp_path):
    arguments = CONSTRAINTS[constraints]
    n_tags = arguments["n_tags"]
    layer_checks.check_layer(
        LinearChainCRF,
        arguments,
        {"scores": scores_for(arguments), "mask": MASK},
        weight_shapes={
            "transitions": (n_tags, n_tags),
            "start_scores": (n_tags,),
            "end_scores": (n_tags,),
        },
        output_shape={
            "tags": (len(LENGTHS), TIME),
            "log_probability": (len(LENGTHS),),
            "marginals": (len(LENGTHS), TIME, n_tags),
        },
        reference=lambda weights, scores, mask: expected_outputs(
            weights, scores, mask, **masks_of(arguments)
        ),
        bfloat16_tolerance=1e-5,
        bfloat16_output=False,
        folder=tmp_path,
    )


class TestAgainstEnumeration:
    @CRF
    @pytest.mark.parametrize("seed", range(5))
    def test_outputs(self, arguments, seed):
        layer = make_layer(arguments, seed)
        scores = scores_for(arguments, seed)
        layer_checks.assert_close(
            layer(scores, mask=MASK),
            expected_outputs(
                layer_checks.weight_values(layer),
                scores,
                MASK,
                **masks_of(arguments),
            ),
            1e-5,
        )

    @CRF
    @pytest.mark.parametrize("seed", range(5))
    def test_log_likelihood(self, arguments, seed):
        layer = make_layer(arguments, seed)
        scores = scores_for(arguments, seed)
        tags = random_tags(arguments, seed)
        weights = layer_checks.weight_values(layer)
        np.testing.assert_allclose(
            layer.log_likelihood(scores, tags, MASK),
            [
                reference_lib.log_likelihood(
                    sentence, labels[: len(sentence)], weights
                )
                for sentence, labels in zip(
                    sentences(scores), tags, strict=True
                )
            ],
            atol=1e-5,
        )

    def test_without_a_mask(self):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)
        scores = scores_for(arguments)
        everything = np.ones_like(MASK)
        layer_checks.assert_close(
            layer(scores),
            expected_outputs(
                layer_checks.weight_values(layer), scores, everything, **BIO
            ),
            1e-5,
        )
        tags = random_tags(arguments)
        np.testing.assert_array_equal(
            layer.log_likelihood(scores, tags),
            layer.log_likelihood(scores, tags, everything),
        )


def test_by_hand():
    # With the scores as factors, the sequences weigh 00: 2·1·5·3·1 = 30,
    # 01: 2·1·7·1·4 = 56, 10: 1·2·1·3·1 = 6 and 11: 1·2·1·1·4 = 8.
    layer = LinearChainCRF(2)
    layer.build((None, None, 2))
    layer.set_weights(
        [np.log([[5.0, 7.0], [1.0, 1.0]]), np.log([2.0, 1.0]), np.log([1, 4.0])]
    )
    scores = np.log([[[1.0, 2.0], [3.0, 1.0]]])
    np.testing.assert_allclose(
        [
            float(layer.log_likelihood(scores, [tags])[0])
            for tags in itertools.product(range(2), repeat=2)
        ],
        np.log(np.array([30, 56, 6, 8]) / 100),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        layer.marginals(scores), [[[0.86, 0.14], [0.36, 0.64]]], atol=1e-6
    )
    tags, log_probability = layer.viterbi(scores)
    np.testing.assert_array_equal(tags, [[0, 1]])
    np.testing.assert_allclose(log_probability, np.log([0.56]), atol=1e-6)


def test_starts_as_a_softmax_for_each_word():
    layer = LinearChainCRF(N_TAGS)
    scores = normal(2, TIME, N_TAGS)
    outputs = layer(scores)
    for weight in layer.weights:
        np.testing.assert_array_equal(weight, np.zeros(weight.shape))
    np.testing.assert_allclose(
        outputs["marginals"], tf.nn.softmax(scores), atol=1e-6
    )
    np.testing.assert_array_equal(outputs["tags"], scores.argmax(axis=-1))


class TestGradients:
    @CRF
    def test_one_hot_minus_marginals(self, arguments):
        layer = make_layer(arguments)
        scores = scores_for(arguments)
        tags = random_tags(arguments)
        _, (gradient, *_) = likelihood_and_gradients(layer, scores, tags, MASK)
        one_hot = np.eye(arguments["n_tags"])[tags] * MASK[:, :, None]
        np.testing.assert_allclose(
            gradient, one_hot - layer.marginals(scores, MASK), atol=1e-5
        )

    def test_of_the_weights(self):
        layer = make_layer(CONSTRAINTS["none"])
        scores = scores_for(CONSTRAINTS["none"])
        tags = random_tags(CONSTRAINTS["none"])
        _, (_, *gradients) = likelihood_and_gradients(layer, scores, tags, MASK)

        def total(*weights):
            weights = dict(
                zip(
                    ("transitions", "start_scores", "end_scores"),
                    weights,
                    strict=True,
                )
            )
            return sum(
                reference_lib.log_likelihood(
                    sentence, labels[: len(sentence)], weights
                )
                for sentence, labels in zip(
                    sentences(scores), tags, strict=True
                )
            )

        weights = [weight.astype(np.float64) for weight in layer.get_weights()]
        for index, gradient in enumerate(gradients):
            for place in np.ndindex(*gradient.shape):
                values = []
                for difference in (1e-4, -1e-4):
                    moved = [weight.copy() for weight in weights]
                    moved[index][place] += difference
                    values.append(total(*moved))
                np.testing.assert_allclose(
                    gradient[place], (values[0] - values[1]) / 2e-4, atol=1e-4
                )

    @pytest.mark.parametrize("time", [None, TIME])
    @pytest.mark.parametrize("jit_compile", [False, True])
    def test_in_a_graph(self, time, jit_compile):
        arguments = CONSTRAINTS["BIOUL"]
        layer = make_layer(arguments)
        inputs = (scores_for(arguments), random_tags(arguments), MASK)
        run = tf.function(
            lambda *tensors: likelihood_and_gradients(layer, *tensors),
            jit_compile=jit_compile,
            input_signature=[
                tf.TensorSpec([None, time, 5], tf.float32),
                tf.TensorSpec([None, time], tf.int64),
                tf.TensorSpec([None, time], tf.bool),
            ],
            autograph=False,
        )
        layer_checks.assert_close(
            run(*inputs), likelihood_and_gradients(layer, *inputs), 1e-5
        )

    def test_finite_for_extreme_scores(self):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)
        scores = np.random.default_rng(0).choice(
            np.float32([-1e30, 0, 1e30]), size=(len(LENGTHS), TIME, N_TAGS)
        )
        result, gradients = likelihood_and_gradients(
            layer, scores, random_tags(arguments), MASK
        )
        for tensor in (result, *gradients):
            assert np.isfinite(tensor).all()

    def test_training_learns_the_tags(self):
        # Which tag is right depends on the one before only.
        tags = np.tile([0, 1, 2, 2], (2, 3))
        scores = np.zeros((*tags.shape, N_TAGS), np.float32)
        layer = LinearChainCRF(N_TAGS)
        layer.build(scores.shape)
        optimizer = keras.optimizers.Adam(0.3)
        optimizer.build(layer.weights)

        @tf.function
        def train_step():
            result, (_, *gradients) = likelihood_and_gradients(
                layer, scores, tags, np.ones(tags.shape, bool)
            )
            optimizer.apply([-gradient for gradient in gradients])
            return -tf.reduce_mean(result)

        for _ in range(60):
            loss = train_step()
        # All is certain but what follows 2, in five places.
        assert float(loss) < 6 * np.log(2)
        assert np.argmax(layer.transitions[0]) == 1
        assert np.argmax(layer.transitions[1]) == 2


def random_constraints(generator, n_tags):
    """Masks that allow a sequence of every length, and forbid most."""
    while True:
        masks = dict(
            transition_mask=generator.random((n_tags, n_tags)) < 0.4,
            start_mask=generator.random(n_tags) < 0.5,
            end_mask=generator.random(n_tags) < 0.5,
        )
        try:
            LinearChainCRF(n_tags, **masks)
        except ValueError:
            continue
        return masks


class TestConstraints:
    def check(self, viterbi, scores, mask, **masks):
        tags = viterbi(scores, mask)[0].numpy()
        np.testing.assert_array_equal(tags[~mask], 0)
        for row, present in zip(tags, mask, strict=True):
            row = row[: present.sum()]
            assert reference_lib.is_allowed(row, **masks), row

    @pytest.mark.parametrize("scale", [1.0, 1e4, 1e30])
    def test_10_000_random_scores(self, scale):
        generator = np.random.default_rng(0)
        n_forbidden = 0
        for seed in range(20):
            n_tags = int(generator.integers(2, 8))
            masks = random_constraints(generator, n_tags)
            layer = LinearChainCRF(n_tags, **masks)
            layer.build((None, None, n_tags))
            layer.set_weights(
                [
                    normal(*weight.shape, seed=seed, scale=scale)
                    for weight in layer.weights
                ]
            )
            scores = normal(500, 9, n_tags, seed=seed, scale=scale)
            mask = np.arange(9) < generator.integers(0, 10, (500, 1))
            self.check(layer.viterbi, scores, mask, **masks)
            n_forbidden += sum(
                not reference_lib.is_allowed(row[: present.sum()], **masks)
                for row, present in zip(
                    scores.argmax(axis=-1), mask, strict=True
                )
            )
        # The constraints are needed.
        assert n_forbidden > 5000

    @pytest.mark.parametrize("compiled", [False, True])
    @pytest.mark.parametrize(
        "values",
        [
            (-1e30, 1e30),
            (-3e38, 0.0, 3e38),
            (-np.inf, np.inf),
            (-np.inf, -np.inf),
            (np.nan, -1e30, 1e30),
            (np.nan, np.nan),
        ],
    )
    def test_extreme_scores(self, values, compiled):
        generator = np.random.default_rng(0)
        for arguments in (CONSTRAINTS["BIO"], CONSTRAINTS["BIOUL"]):
            n_tags = arguments["n_tags"]
            layer = make_layer(arguments)
            viterbi = layer.viterbi
            if compiled:
                viterbi = tf.function(viterbi, jit_compile=True)
            scores = generator.choice(np.float32(values), (200, 12, n_tags))
            mask = np.arange(12) < generator.integers(0, 13, (200, 1))
            self.check(viterbi, scores, mask, **masks_of(arguments))

    @pytest.mark.parametrize("where", [False, True])
    @pytest.mark.parametrize("value", [-1e30, 1e30, np.nan, np.inf, -np.inf])
    def test_extreme_weights(self, value, where):
        arguments = CONSTRAINTS["BIOUL"]
        layer = make_layer(arguments)
        for allowed, weight in zip(
            masks_of(arguments).values(), layer.weights, strict=True
        ):
            weight.assign(np.where(np.array(allowed) == where, value, 0))
        scores = normal(100, 12, 5, scale=1e30)
        mask = np.ones((100, 12), bool)
        self.check(layer.viterbi, scores, mask, **masks_of(arguments))

    def test_the_best_allowed_sequence_is_not_the_best_one_mended(self):
        # O I I is best; to mend its I, which may not follow O, costs more than
        # to start with B.
        scores = np.float32([[[0, 2, 1.9], [3, 0, 0], [3, 0, 0]]])
        layer = LinearChainCRF(N_TAGS, **BIO)
        np.testing.assert_array_equal(layer(scores)["tags"], [[2, 0, 0]])

    def test_one_allowed_sequence_has_its_small_probability(self):
        # Only 0 1 0 1 … is allowed, but 1 is always the likely tag.
        layer = LinearChainCRF(
            2,
            transition_mask=[[False, True], [True, False]],
            start_mask=[True, False],
        )
        outputs = layer(np.tile(np.float32([0, 3]), (1, 4, 1)))
        np.testing.assert_array_equal(outputs["tags"], [[0, 1, 0, 1]])
        np.testing.assert_allclose(
            outputs["log_probability"],
            [
                2 * np.log(1 / (1 + np.exp(3)))
                + 2 * np.log(1 / (1 + np.exp(-3)))
            ],
            rtol=1e-5,
        )
        # The constraints are no part of the distribution.
        np.testing.assert_allclose(
            outputs["marginals"][0, :, 1], np.full(4, 0.952574), atol=1e-5
        )


class TestPadding:
    @pytest.mark.parametrize("filling", [7.0, -1e30, np.nan, np.inf])
    def test_what_stands_there_changes_nothing(self, filling):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)
        scores = scores_for(arguments)
        tags = random_tags(arguments)
        expected = layer(scores, mask=MASK)
        filled = np.where(MASK[:, :, None], scores, np.float32(filling))
        layer_checks.assert_equal(layer(filled, mask=MASK), expected)
        outputs, gradients = likelihood_and_gradients(
            layer, filled, np.where(MASK, tags, -1), MASK
        )
        expected_outputs, expected_gradients = likelihood_and_gradients(
            layer, scores, tags, MASK
        )
        layer_checks.assert_equal(outputs, expected_outputs)
        layer_checks.assert_equal(gradients, expected_gradients)
        np.testing.assert_array_equal(gradients[0].numpy()[~MASK], 0)

    def test_its_length_changes_nothing(self):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)
        scores = scores_for(arguments)
        tags = random_tags(arguments)
        outputs = layer(scores, mask=MASK)
        likelihood = layer.log_likelihood(scores, tags, MASK)
        for index, length in enumerate(LENGTHS):
            part = (slice(index, index + 1), slice(length))
            alone = layer(scores[part])
            np.testing.assert_array_equal(alone["tags"], outputs["tags"][part])
            np.testing.assert_allclose(
                alone["marginals"], outputs["marginals"][part], atol=1e-6
            )
            np.testing.assert_allclose(
                [
                    alone["log_probability"][0],
                    layer.log_likelihood(scores[part], tags[part])[0],
                ],
                [outputs["log_probability"][index], likelihood[index]],
                atol=1e-6,
            )

    def test_zero_there(self):
        arguments = CONSTRAINTS["BIO"]
        outputs = make_layer(arguments)(scores_for(arguments), mask=MASK)
        for name in ("tags", "marginals"):
            np.testing.assert_array_equal(outputs[name].numpy()[~MASK], 0)

    @pytest.mark.parametrize("mode", ["eager", "graph", "compiled"])
    @pytest.mark.parametrize("time", [0, 1])
    @pytest.mark.parametrize("batch", [0, 2])
    def test_small_batches(self, batch, time, mode):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)

        def run(scores, tags, mask):
            return (
                likelihood_and_gradients(layer, scores, tags, mask),
                layer(scores, mask=mask),
            )

        if mode != "eager":
            run = tf.function(
                run,
                jit_compile=mode == "compiled",
                input_signature=[
                    tf.TensorSpec([None, None, N_TAGS], tf.float32),
                    tf.TensorSpec([None, None], tf.int32),
                    tf.TensorSpec([None, None], tf.bool),
                ],
            )
        scores = normal(batch, time, N_TAGS)
        mask = np.ones((batch, time), bool)
        tags = np.ones((batch, time), np.int32)
        (likelihood, gradients), outputs = run(scores, tags, mask)
        weights = layer_checks.weight_values(layer)
        layer_checks.assert_close(
            outputs, expected_outputs(weights, scores, mask, **BIO), 1e-5
        )
        np.testing.assert_allclose(
            likelihood,
            [
                reference_lib.log_likelihood(sentence, labels, weights)
                for sentence, labels in zip(scores, tags, strict=True)
            ],
            atol=1e-5,
        )
        assert gradients[0].shape == scores.shape


class TestPrecision:
    def test_bfloat16_scores_are_computed_in_float32(self):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer({**arguments, "dtype": "mixed_bfloat16"})
        scores = tf.cast(scores_for(arguments), tf.bfloat16)
        tags = random_tags(arguments)
        exact = make_layer(arguments)
        layer_checks.assert_equal(
            layer(scores, mask=MASK),
            exact(tf.cast(scores, tf.float32), mask=MASK),
        )
        np.testing.assert_array_equal(
            layer.log_likelihood(scores, tags, MASK),
            exact.log_likelihood(tf.cast(scores, tf.float32), tags, MASK),
        )

    def test_inside_a_layer_that_computes_in_bfloat16(self):
        class Tagger(keras.layers.Layer):
            def __init__(self, crf, **kwargs):
                super().__init__(**kwargs)
                self.crf = crf

            def build(self, input_shape):
                pass

            def call(self, scores):
                return self.crf.marginals(scores)

        arguments = CONSTRAINTS["BIO"]
        crf = make_layer(arguments)
        # Exact in bfloat16, as the weights are not.
        scores = np.round(scores_for(arguments))
        np.testing.assert_array_equal(
            Tagger(crf, dtype="mixed_bfloat16")(scores), crf.marginals(scores)
        )

    def test_long_sentences(self):
        # Large scores that are the same for all tags say nothing.
        layer = LinearChainCRF(2)
        scores = np.tile(np.float32([1000.0, 1000.0]), (1, 2000, 1))
        layer.build(scores.shape)
        layer.set_weights(
            [np.log([[3.0, 1], [1, 3]]), np.zeros(2), np.zeros(2)]
        )
        outputs = tf.function(layer)(scores)
        np.testing.assert_array_equal(outputs["tags"], np.zeros((1, 2000)))
        np.testing.assert_allclose(
            outputs["log_probability"],
            [np.log(0.5) + 1999 * np.log(0.75)],
            rtol=1e-5,
        )
        np.testing.assert_allclose(
            outputs["marginals"], np.full((1, 2000, 2), 0.5), atol=1e-4
        )

    def test_no_probability_above_one(self):
        layer = make_layer(CONSTRAINTS["none"])
        scores = normal(1000, 20, N_TAGS, scale=1000)
        outputs = layer(scores)
        # Rounding puts some of them above.
        assert np.max(layer.log_likelihood(scores, outputs["tags"])) > 0
        assert np.max(outputs["log_probability"]) == 0
        np.testing.assert_allclose(
            tf.reduce_sum(outputs["marginals"], axis=-1),
            np.ones((1000, 20)),
            atol=1e-5,
        )


class TestModels:
    def model(self, arguments):
        scores = keras.Input((None, arguments["n_tags"]), name="scores")
        mask = keras.Input((None,), dtype="bool", name="mask")
        layer = LinearChainCRF(**arguments, name="crf")
        model = keras.Model(
            {"scores": scores, "mask": mask}, layer(scores, mask=mask)
        )
        layer.set_weights(make_layer(arguments).get_weights())
        return model

    @CRF
    def test_exported(self, arguments, tmp_path):
        model = self.model(arguments)
        model.export(tmp_path, verbose=False)
        inputs = {"scores": scores_for(arguments), "mask": MASK}
        loaded = tf.saved_model.load(tmp_path)
        layer_checks.assert_equal(
            loaded.serve(tf.nest.map_structure(tf.constant, inputs)),
            model(inputs),
        )

    def test_masks_as_arrays_are_saved(self, tmp_path):
        arguments = {
            name: None if value is None else np.array(value)
            for name, value in BIO.items()
        }
        model = self.model(dict(n_tags=N_TAGS, **arguments))
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        config = loaded.get_layer("crf").get_config()
        assert {name: config[name] for name in BIO} == BIO
        inputs = {
            "scores": normal(len(LENGTHS), TIME, N_TAGS, scale=9.0),
            "mask": MASK,
        }
        layer_checks.assert_equal(loaded(inputs), model(inputs))

    def test_keras_mask(self):
        arguments = CONSTRAINTS["BIO"]
        layer = make_layer(arguments)
        scores = scores_for(arguments) * MASK[:, :, None]
        masked = keras.layers.Masking()(scores)
        outputs = layer(masked)
        layer_checks.assert_equal(outputs, layer(scores, mask=MASK))
        for name in ("tags", "marginals"):
            np.testing.assert_array_equal(outputs[name]._keras_mask, MASK)
        assert not hasattr(outputs["log_probability"], "_keras_mask")


class TestErrors:
    @pytest.mark.parametrize("n_tags", [0, -2])
    def test_n_tags(self, n_tags):
        with pytest.raises(
            ValueError,
            match=f"^`n_tags` should be positive. Received: n_tags={n_tags}$",
        ):
            LinearChainCRF(n_tags)

    @pytest.mark.parametrize(
        "name, mask, expected, received",
        [
            (
                "transition_mask",
                [[True, True]],
                r"\(2, 2\)",
                r"bool of shape \(1, 2\)",
            ),
            ("start_mask", [True], r"\(2,\)", r"bool of shape \(1,\)"),
            ("end_mask", [0, 1], r"\(2,\)", r"int64 of shape \(2,\)"),
        ],
    )
    def test_masks(self, name, mask, expected, received):
        with pytest.raises(
            ValueError,
            match=rf"^`{name}` should be bools of shape {expected}. Received: "
            f"{received}$",
        ):
            LinearChainCRF(2, **{name: mask})

    @pytest.mark.parametrize(
        "masks, length",
        [
            (dict(start_mask=[False, False]), 1),
            (dict(end_mask=[False, False]), 1),
            (dict(transition_mask=[[False, False], [False, False]]), 2),
            (
                dict(
                    transition_mask=[[False, True], [True, False]],
                    start_mask=[True, False],
                    end_mask=[True, False],
                ),
                2,
            ),
        ],
    )
    def test_no_sequence_of_some_length(self, masks, length):
        with pytest.raises(
            ValueError,
            match="^`transition_mask`, `start_mask` and `end_mask` should "
            "allow a sequence of every length. Received: masks that forbid "
            f"all of length {length}$",
        ):
            LinearChainCRF(2, **masks)

    def test_number_of_scores(self):
        with pytest.raises(
            ValueError,
            match=r"^crf: `scores` should have 3 tags in the last axis. "
            r"Received: shape=\(2, 5, 4\)$",
        ):
            LinearChainCRF(3, name="crf")(normal(2, 5, 4))
