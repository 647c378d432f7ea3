"""The references themselves, against the originals' files and TensorFlow."""

import json

import h5py
import numpy as np
import pytest

from tests.reference import adagrad
from tests.reference import bilm
from tests.reference import options as options_lib
from tests.reference import sampled_softmax
from tests.reference import weighted_layer_sum


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.fixture(scope="module")
def model(bilm_tf_golden):
    folder = bilm_tf_golden / "model"
    options = json.loads((folder / "options.json").read_text())
    return options, options_lib.load_weights(folder / "lm_weights.hdf5")


class TestGoldenFilesOfBilmTf:
    def test_names_and_shapes(self, model):
        options, weights = model
        shapes = {name: value.shape for name, value in weights.items()}
        assert options_lib.weight_shapes(options) == shapes

    def test_top_layer_with_carried_state(self, bilm_tf_golden, model):
        options, weights = model
        folder = bilm_tf_golden / "model"
        lists = json.loads(
            (folder / "lm_embeddings_sentences.json").read_text()
        )
        expected = []
        for k in range(3):
            with h5py.File(folder / f"lm_embeddings_{k}.hdf5") as file:
                expected.append([file[str(i)][...] for i in range(10)])
        state = None
        for i in range(10):
            sentences = [lists[k][i].split() for k in range(3)]
            ids = bilm.sentences_character_ids(sentences)
            result = bilm.bilm(ids, options, weights, state)
            state = result["final_state"]
            tokens = bilm.remove_sentence_boundaries(
                result["layers"], result["mask"]
            )
            for k in range(3):
                assert len(tokens[k]) == len(sentences[k])
                np.testing.assert_allclose(
                    tokens[k][:, 2],
                    np.concatenate(list(expected[k][i]), axis=-1),
                    atol=1e-6,
                    rtol=1e-5,
                )


class TestCharacterIds:
    def test_word(self):
        ids = bilm.word_character_ids("th", 6)
        assert ids == [259, 117, 105, 260, 261, 261]

    def test_boundaries(self):
        assert bilm.word_character_ids("<S>", 4) == [259, 257, 260, 261]
        assert bilm.word_character_ids("</S>", 4) == [259, 258, 260, 261]

    def test_long_word_is_cut_inside_a_character(self):
        ids = bilm.word_character_ids("x" + "é" * 24)
        assert len(ids) == 50
        assert ids[-3:] == [0xA9 + 1, 0xC3 + 1, 260]

    def test_sentences(self):
        ids = bilm.sentences_character_ids([["a", ""], []], 4)
        assert ids.tolist() == [
            [
                [259, 257, 260, 261],
                [259, 98, 260, 261],
                [259, 260, 261, 261],
                [259, 258, 260, 261],
            ],
            [
                [259, 257, 260, 261],
                [259, 258, 260, 261],
                [0, 0, 0, 0],
                [0, 0, 0, 0],
            ],
        ]


class TestLstm:
    def test_against_the_keras_lstm(self):
        keras = pytest.importorskip("keras")
        units, n_in = 5, 3
        w, b = normal(n_in + units, 4 * units), normal(4 * units, seed=1)
        x = normal(2, 7, n_in, seed=2).astype(np.float32)
        layer = keras.layers.LSTM(units, return_sequences=True)
        layer.build(x.shape)
        # Keras' gates are in the order i, f, c, o.
        i, j, f, o = np.split(w, 4, axis=1)
        ours = np.concatenate([i, f, j, o], axis=1)
        i, j, f, o = np.split(b, 4)
        layer.set_weights(
            [ours[:n_in], ours[n_in:], np.concatenate([i, f + 1, j, o])]
        )
        outputs, _ = bilm.projected_lstm(x, w, b)
        np.testing.assert_allclose(layer(x), outputs, atol=1e-5)

    def test_backward_is_forward_over_reversed_sentences(self):
        w, b, p = normal(5, 16), normal(16, seed=1), normal(4, 2, seed=2)
        x = normal(1, 6, 3, seed=3)
        mask = np.array([[True] * 4 + [False] * 2])
        backward, state = bilm.projected_lstm(
            x, w, b, p, mask=mask, backward=True
        )
        forward, forward_state = bilm.projected_lstm(x[:, 3::-1], w, b, p)
        np.testing.assert_array_equal(backward[:, :4], forward[:, ::-1])
        np.testing.assert_array_equal(backward[:, 4:], 0.0)
        np.testing.assert_array_equal(state[0], forward_state[0])

    def test_two_halves_with_carried_state_are_one_whole(self):
        w, b, p = normal(5, 16), normal(16, seed=1), normal(4, 2, seed=2)
        x = normal(2, 6, 3, seed=3)
        whole, whole_state = bilm.projected_lstm(x, w, b, p, 0.5, 0.3)
        first, state = bilm.projected_lstm(x[:, :2], w, b, p, 0.5, 0.3)
        second, state = bilm.projected_lstm(
            x[:, 2:], w, b, p, 0.5, 0.3, initial_state=state
        )
        np.testing.assert_array_equal(
            np.concatenate([first, second], axis=1), whole
        )
        np.testing.assert_array_equal(state[0], whole_state[0])
        assert np.abs(whole).max() == 0.3
        assert np.abs(whole_state[0]).max() == 0.5


class TestBilm:
    def test_residual_keeps_the_recurrent_state(self):
        options = options_lib.make_options()
        weights = options_lib.random_weights(options)
        ids = bilm.sentences_character_ids([["a", "b"], ["c"]])
        result = bilm.bilm(ids, options, weights)
        layers, mask = result["layers"], result["mask"]
        # The last real step of the forward direction, first sentence.
        hidden = result["final_state"][0][1][1][0]
        np.testing.assert_allclose(
            layers[0, 3, 2, :4], hidden + layers[0, 3, 1, :4]
        )
        np.testing.assert_array_equal(layers[~mask], 0.0)

    @pytest.mark.parametrize("n_layers", [1, 2, 3])
    @pytest.mark.parametrize("bidirectional", [True, False])
    def test_word_input_shapes(self, n_layers, bidirectional):
        options = options_lib.make_options(
            n_layers=n_layers, bidirectional=bidirectional, word_input=True
        )
        weights = options_lib.random_weights(options, n_words=9)
        ids = np.array([[1, 9, 0], [2, 3, 4]])
        result = bilm.bilm(ids, options, weights)
        width = 4 * (1 + bidirectional)
        assert result["layers"].shape == (2, 3, n_layers + 1, width)
        np.testing.assert_array_equal(
            result["layers"][0, 1, 0, :4], weights["embedding"][8]
        )


class TestWeightedLayerSum:
    def test_equal_weights_are_the_mean(self):
        layers = normal(2, 3, 4, 5)
        np.testing.assert_allclose(
            weighted_layer_sum.weighted_layer_sum(layers, np.zeros(4), 2.0),
            2 * layers.mean(axis=2),
        )

    def test_layer_norm(self):
        layers = normal(2, 3, 1, 5) * 3 + 1
        mask = np.array([[True, True, False], [True, False, False]])
        result = weighted_layer_sum.weighted_layer_sum(
            layers, np.zeros(1), 1.0, mask, norm="bilm_tf"
        )
        assert abs(result[mask].mean()) < 1e-12
        assert abs(result[mask].std() - 1) < 1e-9
        np.testing.assert_array_equal(result[~mask], 0.0)

    @pytest.mark.parametrize("layer, place", [(-1, 3), (0, 0), (2, 2)])
    def test_only_layer(self, layer, place):
        layers = normal(2, 3, 4, 5)
        np.testing.assert_allclose(
            weighted_layer_sum.weighted_layer_sum(
                layers, None, 0.5, norm="bilm_tf", only_layer=layer
            ),
            0.5 * layers[:, :, place],
        )

    def test_l2_penalty(self):
        assert weighted_layer_sum.l2_penalty([1.0, -2.0], 0.5) == 2.5


class TestSampledSoftmax:
    def test_against_tensorflow(self):
        tf = pytest.importorskip("tensorflow")
        kernel, bias = normal(20, 4), normal(20, seed=1)
        inputs, labels = normal(5, 4, seed=2), np.array([0, 3, 19, 3, 7])
        candidates = np.array([3, 0, 12, 5, 1, 9])
        label_counts = normal(5, seed=3) ** 2 + 0.1
        candidate_counts = normal(6, seed=4) ** 2 + 0.1
        expected = tf.nn.sampled_softmax_loss(
            kernel,
            bias,
            labels[:, None],
            inputs,
            num_sampled=6,
            num_classes=20,
            sampled_values=(
                candidates,
                label_counts[:, None],
                candidate_counts,
            ),
        )
        np.testing.assert_allclose(
            sampled_softmax.sampled_softmax_loss(
                inputs,
                labels,
                kernel,
                bias,
                candidates,
                label_counts,
                candidate_counts,
            ),
            expected,
            rtol=1e-6,
        )

    def test_log_uniform_probabilities_sum_to_one(self):
        total = sampled_softmax.log_uniform_probability(
            np.arange(1000), 1000
        ).sum()
        assert abs(total - 1.0) < 1e-12

    def test_expected_count_against_tensorflow(self):
        tf = pytest.importorskip("tensorflow")
        _, label_counts, counts = tf.random.log_uniform_candidate_sampler(
            np.arange(10, dtype=np.int64)[:, None], 1, 9, True, 10, seed=1
        )
        label_counts = label_counts.numpy()[:, 0].astype(np.float64)
        # The number of draws is hidden: found again from word 0.
        p = sampled_softmax.log_uniform_probability(np.arange(10), 10)
        n_draws = int(np.round(np.log1p(-label_counts[9]) / np.log1p(-p[9])))
        assert n_draws > 9
        np.testing.assert_allclose(
            sampled_softmax.expected_count(np.arange(10), 10, n_draws),
            label_counts,
            rtol=1e-5,
        )

    def test_full_softmax_sums_to_one(self):
        kernel, bias = normal(7, 3), normal(7, seed=1)
        inputs = np.repeat(normal(1, 3, seed=2), 7, axis=0)
        total = np.exp(
            sampled_softmax.full_log_probabilities(
                inputs, np.arange(7), kernel, bias
            )
        ).sum()
        assert abs(total - 1.0) < 1e-12


class TestAdagrad:
    def test_against_tensorflow_1(self):
        tf = pytest.importorskip("tensorflow")
        start, values = normal(5, 3), normal(4, 3, seed=1)
        rows = np.array([1, 4, 1, 0])
        variable = tf.Variable(start)
        optimizer = tf.compat.v1.train.AdagradOptimizer(
            0.2, initial_accumulator_value=1.0
        )
        expected, accumulator = start, np.ones_like(start)
        for _ in range(3):
            gradient = tf.IndexedSlices(values, rows, dense_shape=(5, 3))
            optimizer.apply_gradients([(gradient, variable)])
            expected, accumulator = adagrad.sparse_update(
                expected, accumulator, rows, values, 0.2
            )
        np.testing.assert_allclose(variable, expected, rtol=1e-6)

    def test_clip_by_global_norm(self):
        clipped = adagrad.clip_by_global_norm([[3.0], [4.0]], 1.0)
        np.testing.assert_allclose(clipped, [[0.6], [0.8]])
        kept = adagrad.clip_by_global_norm([[3.0], [4.0]], 6.0)
        np.testing.assert_allclose(kept, [[3.0], [4.0]])


def test_weights_file_round_trip(tmp_path):
    options = options_lib.make_options(dim=4, projection_dim=4, n_highway=0)
    weights = options_lib.random_weights(options)
    options_lib.save_weights(tmp_path / "weights.hdf5", weights)
    loaded = options_lib.load_weights(tmp_path / "weights.hdf5")
    assert loaded.keys() == weights.keys()
    for name, value in weights.items():
        np.testing.assert_array_equal(loaded[name], value)
