import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers import sampled_softmax as module
from elmo_tf.layers.log_uniform import log_uniform_candidates
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.layers.word_embedding import WordEmbedding
from tests import layer_checks
from tests.reference import sampled_softmax as reference_lib

N, DIM, WORDS = 7, 4, 12
LABELS = np.array([0, 3, 11, 3, 7, 1, 0], np.int32)
# Labels 3 and 1 are among them.
CANDIDATES = np.array([3, 9, 1, 5], np.int32)
N_DRAWS = np.float32(6.0)


def normal(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype(np.float32)


def make_layer(inputs=None, **kwargs):
    inputs = normal(N, DIM) if inputs is None else inputs
    return layer_checks.make_layer(
        SampledSoftmax,
        dict(vocabulary_size=WORDS, **kwargs),
        {"inputs": inputs, "labels": LABELS[: len(inputs)]},
    )


def full_loss(weights, inputs, labels):
    return -reference_lib.full_log_probabilities(
        inputs, labels, weights["kernel"], weights["bias"]
    )


def sampled_loss(weights, inputs, labels, candidates, n_draws):
    return reference_lib.sampled_softmax_loss(
        inputs,
        labels,
        weights["kernel"],
        weights["bias"],
        candidates,
        reference_lib.expected_count(labels, WORDS, n_draws),
        reference_lib.expected_count(candidates, WORDS, n_draws),
    )


class TestExact:
    @pytest.mark.parametrize("n_negative_samples", [None, 5])
    def test_layer(self, n_negative_samples, tmp_path):
        layer_checks.check_layer(
            SampledSoftmax,
            dict(vocabulary_size=WORDS, n_negative_samples=n_negative_samples),
            {"inputs": normal(N, DIM), "labels": LABELS},
            {"kernel": (WORDS, DIM), "bias": (WORDS,)},
            (N,),
            reference=full_loss,
            dynamic_time=False,
            training=False,
            bfloat16_output=False,
            # Forward only (below): the chunks' number is not static.
            jit_compile=False,
            folder=tmp_path,
        )

    def test_compiled(self):
        layer = make_layer()
        np.testing.assert_allclose(
            tf.function(layer, jit_compile=True)(normal(N, DIM), LABELS),
            layer(normal(N, DIM), LABELS),
            atol=1e-5,
        )

    def test_training_without_negatives_is_exact(self):
        layer = make_layer()
        np.testing.assert_array_equal(
            layer(normal(N, DIM), LABELS, training=True),
            layer(normal(N, DIM), LABELS),
        )

    def test_log_probability(self):
        layer = make_layer()
        np.testing.assert_allclose(
            layer.log_probability(normal(N, DIM), LABELS),
            -full_loss(
                layer_checks.weight_values(layer), normal(N, DIM), LABELS
            ),
            atol=1e-5,
        )

    def test_logits(self):
        layer = make_layer()
        weights = layer_checks.weight_values(layer)
        np.testing.assert_allclose(
            layer.logits(normal(N, DIM)),
            normal(N, DIM) @ weights["kernel"].T + weights["bias"],
            atol=1e-5,
        )

    @pytest.mark.parametrize("in_graph", [False, True])
    @pytest.mark.parametrize("rows", [1, 2, 3, 6, 7, 8])
    def test_chunks_change_nothing(self, rows, in_graph, monkeypatch):
        layer = make_layer()

        def run(inputs):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                losses = layer(inputs, LABELS)
                total = tf.reduce_sum(losses * normal(N, seed=1))
            return losses, tape.gradient(
                total, [inputs, layer.kernel.value, layer.bias.value]
            )

        inputs = tf.constant(normal(N, DIM))
        expected = run(inputs)
        # A few positions at a time, so that the last chunk is not full.
        monkeypatch.setattr(module, "_MAX_LOGITS", rows * WORDS + 1)
        actual = (tf.function(run) if in_graph else run)(inputs)
        layer_checks.assert_close(actual, expected, 1e-5)

    def test_a_vocabulary_larger_than_a_chunk(self, monkeypatch):
        layer = make_layer()
        expected = layer(normal(N, DIM), LABELS)
        monkeypatch.setattr(module, "_MAX_LOGITS", 1)
        np.testing.assert_allclose(
            layer(normal(N, DIM), LABELS), expected, atol=1e-6
        )

    def test_no_positions(self):
        layer = make_layer()
        empty = np.zeros((0, DIM), np.float32)
        assert layer(empty, LABELS[:0]).shape == (0,)
        assert tf.function(layer)(empty, LABELS[:0]).shape == (0,)

    def test_large_logits_stay_finite(self):
        layer = make_layer()
        losses = layer(1e4 * normal(N, DIM), LABELS)
        assert np.isfinite(losses).all()


class TestSampled:
    CALL = dict(training=True, candidates=(CANDIDATES, N_DRAWS))

    def test_against_the_reference(self):
        layer = make_layer(n_negative_samples=4)
        np.testing.assert_allclose(
            layer(normal(N, DIM), LABELS, **self.CALL),
            sampled_loss(
                layer_checks.weight_values(layer),
                normal(N, DIM),
                LABELS,
                CANDIDATES,
                float(N_DRAWS),
            ),
            atol=1e-5,
        )

    @pytest.mark.parametrize("jit_compile", [None, False, True])
    def test_gradients_against_tensorflow(self, jit_compile):
        layer = make_layer(n_negative_samples=4)
        inputs = tf.constant(normal(N, DIM))
        factors = normal(N, seed=3)

        def run(inputs):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                losses = layer(inputs, LABELS, **self.CALL)
                total = tf.reduce_sum(losses * factors)
            gradients = tape.gradient(
                total, [inputs, layer.kernel.value, layer.bias.value]
            )
            return [tf.convert_to_tensor(value) for value in gradients]

        if jit_compile is not None:
            run = tf.function(run, jit_compile=jit_compile)
        actual = run(inputs)

        kernel, bias = (
            tf.constant(layer_checks.weight_values(layer)[name])
            for name in ("kernel", "bias")
        )
        with tf.GradientTape() as tape:
            tape.watch([inputs, kernel, bias])
            losses = tf.nn.sampled_softmax_loss(
                kernel,
                bias,
                LABELS[:, None],
                inputs,
                num_sampled=4,
                num_classes=WORDS,
                sampled_values=(
                    CANDIDATES,
                    reference_lib.expected_count(LABELS, WORDS, 6.0)[
                        :, None
                    ].astype(np.float32),
                    reference_lib.expected_count(CANDIDATES, WORDS, 6.0).astype(
                        np.float32
                    ),
                ),
            )
            total = tf.reduce_sum(losses * factors)
        expected = tape.gradient(total, [inputs, kernel, bias])
        layer_checks.assert_close(
            actual, [tf.convert_to_tensor(value) for value in expected], 1e-5
        )

    def test_gradients_hold_only_the_rows_in_question(self):
        layer = make_layer(n_negative_samples=4)
        with tf.GradientTape() as tape:
            losses = layer(normal(N, DIM), LABELS, **self.CALL)
        for gradient in tape.gradient(
            losses, [layer.kernel.value, layer.bias.value]
        ):
            assert isinstance(gradient, tf.IndexedSlices)
            assert gradient.indices.numpy().tolist() == [*LABELS, *CANDIDATES]

    def test_all_words_as_candidates_are_the_full_softmax(self):
        # After so many draws every word is expected exactly once.
        layer = make_layer(n_negative_samples=WORDS)
        everything = np.random.default_rng(0).permutation(WORDS)
        np.testing.assert_allclose(
            layer(
                normal(N, DIM),
                LABELS,
                training=True,
                candidates=(everything.astype(np.int32), np.float32(1e6)),
            ),
            layer(normal(N, DIM), LABELS),
            atol=1e-5,
        )

    def test_seed(self):
        layer = make_layer(n_negative_samples=4)

        def run(seed):
            return layer(
                normal(N, DIM), LABELS, training=True, sample_seed=seed
            )

        losses = run((1, 2))
        np.testing.assert_array_equal(run((1, 2)), losses)
        np.testing.assert_allclose(
            tf.function(run)(tf.constant([1, 2])), losses, atol=1e-6
        )
        np.testing.assert_array_equal(
            layer(
                normal(N, DIM),
                LABELS,
                training=True,
                candidates=log_uniform_candidates(4, WORDS, (1, 2)),
            ),
            losses,
        )
        assert not np.array_equal(run((1, 3)), losses)

    def test_outside_training_is_exact(self):
        layer = make_layer(n_negative_samples=4)
        np.testing.assert_allclose(
            layer(normal(N, DIM), LABELS, sample_seed=(1, 2)),
            full_loss(
                layer_checks.weight_values(layer), normal(N, DIM), LABELS
            ),
            atol=1e-5,
        )

    def test_in_a_replica(self):
        strategy = layer_checks.two_replica_strategy()
        with strategy.scope():
            mirrored = make_layer(n_negative_samples=4)
        expected = make_layer(n_negative_samples=4)(
            normal(N, DIM), LABELS, **self.CALL
        )

        @tf.function
        def run():
            return strategy.run(
                lambda: mirrored(normal(N, DIM), LABELS, **self.CALL)
            )

        for losses in strategy.experimental_local_results(run()):
            np.testing.assert_allclose(losses, expected, atol=1e-5)

    def test_bfloat16_does_not_round_the_number_of_draws(self):
        # With a kernel of zeros only the corrections are left.
        call = dict(training=True, candidates=(CANDIDATES, np.float32(1003.0)))
        losses = []
        for dtype in ("float32", "mixed_bfloat16"):
            layer = SampledSoftmax(20_000, n_negative_samples=4, dtype=dtype)
            layer.build((None, DIM))
            layer.kernel.assign(np.zeros((20_000, DIM)))
            losses.append(layer(normal(N, DIM), 1000 + LABELS, **call))
        np.testing.assert_allclose(losses[1], losses[0], rtol=1e-6)

    def test_no_positions(self):
        layer = make_layer(n_negative_samples=4)
        empty = np.zeros((0, DIM), np.float32)
        assert layer(empty, LABELS[:0], **self.CALL).shape == (0,)


class TestTiedKernel:
    def test_one_variable_with_the_sum_of_both_gradients(self):
        embedding = WordEmbedding(WORDS, DIM)
        embedding.build()
        softmax = SampledSoftmax(WORDS)
        softmax.tie_kernel(embedding.embeddings)
        ids = np.array([1, 4, 4, 12], np.int32)
        labels = np.array([2, 3, 2, 0], np.int32)
        with tf.GradientTape(persistent=True) as tape:
            vectors = embedding(ids)
            losses = softmax(vectors, labels)
        assert softmax.kernel is embedding.embeddings
        table = embedding.embeddings.value
        through_inputs = tape.gradient(
            vectors, table, tape.gradient(losses, vectors)
        )
        both = tf.convert_to_tensor(tape.gradient(losses, table))
        alone = both - tf.convert_to_tensor(through_inputs)
        weights = {
            "kernel": table.numpy(),
            "bias": np.zeros(WORDS),
        }
        np.testing.assert_allclose(
            losses, full_loss(weights, vectors.numpy(), labels), atol=1e-5
        )
        # softmax(logits) − one-hot, times the inputs.
        probabilities = tf.nn.softmax(softmax.logits(vectors)).numpy()
        probabilities[np.arange(4), labels] -= 1
        np.testing.assert_allclose(
            alone, probabilities.T @ vectors.numpy(), atol=1e-5
        )


def test_initial_values():
    layer = SampledSoftmax(vocabulary_size=1000)
    layer.build((None, 25))
    np.testing.assert_allclose(layer.kernel.numpy().std(), 25**-0.5, rtol=0.05)
    np.testing.assert_array_equal(layer.bias, np.zeros(1000))


class TestErrors:
    @pytest.mark.parametrize("n_negative_samples", [0, -1, 13])
    def test_number_of_negatives(self, n_negative_samples):
        with pytest.raises(
            ValueError,
            match="`n_negative_samples` should be positive and at most the "
            "vocabulary's size, 12. Received: "
            f"n_negative_samples={n_negative_samples}",
        ):
            SampledSoftmax(WORDS, n_negative_samples)

    def test_no_seed(self):
        layer = make_layer(n_negative_samples=4)
        with pytest.raises(
            ValueError,
            match="sampling needs `sample_seed` or `candidates`. Received: "
            "neither",
        ):
            layer(normal(N, DIM), LABELS, training=True)


def test_shape_of_a_functional_model_with_open_batch():
    inputs = keras.Input((DIM,))
    labels = keras.Input((), dtype="int32")
    outputs = SampledSoftmax(WORDS)(inputs, labels)
    assert outputs.shape == (None,)
