"""The layer in Keras models of every kind."""

import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.frozen_bilm import FrozenBiLM
from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum
from tests.replicas import two_replica_strategy

TOKENS = [
    ["word1", "naïve", "a", "."],
    ["word3", "", "", ""],
    ["", "", "", ""],
    ["word2", "word7", "unknown", ""],
]
LENGTHS = [4, 1, 0, 3]


@pytest.fixture(scope="module")
def layer(saved_model):
    return FrozenBiLM(saved_model)


@pytest.fixture(scope="module")
def expected(elmo):
    """`[batch, time, layers, dim]`."""
    vectors = np.zeros((4, 4, 3, 8), np.float32)
    for row, n in enumerate(LENGTHS):
        (layers,) = elmo.embed([TOKENS[row][:n]])
        vectors[row, :n] = np.swapaxes(layers, 0, 1)
    return vectors


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=tolerance)


def tagger(path, dtype=None, dictionary=False):
    """A model that has everything a task model has."""
    inputs = keras.Input((None,), dtype="string", name="tokens")
    if dictionary:
        lengths = keras.Input((), dtype="int32", name="sequence_len")
        inputs = {"tokens": inputs, "sequence_len": lengths}
    x = FrozenBiLM(path, dtype=dtype, name="bilm")(inputs)
    x = WeightedLayerSum(dtype=dtype, name="mix")(x)
    x = keras.layers.LSTM(3, dtype=dtype, name="lstm")(x)
    x = keras.layers.Dense(1, dtype="float32", name="score")(x)
    return keras.Model(inputs, x)


@pytest.fixture(scope="module")
def model(saved_model):
    return tagger(saved_model)


class TestOutput:
    def test_tokens(self, layer, expected):
        close(layer(tf.constant(TOKENS)), expected)
        # As NumPy arrays too.
        close(layer(np.array(TOKENS)), expected)
        close(layer(np.array(TOKENS, object)), expected)

    def test_dictionary(self, layer, elmo):
        outputs = layer(
            {
                "tokens": tf.constant([["", "a", "", "x"]]),
                "sequence_len": tf.constant([3], tf.int64),
            }
        )
        (layers,) = elmo.embed([["", "a", ""]])
        close(outputs[0, :3], np.swapaxes(layers, 0, 1))
        assert not np.any(outputs[0, 3])

    def test_no_time_and_no_batch(self, layer):
        assert layer(tf.zeros([2, 0], tf.string)).shape == (2, 0, 3, 8)
        assert layer(tf.zeros([0, 3], tf.string)).shape == (0, 3, 3, 8)

    @pytest.mark.parametrize(
        "output, shape, dtype",
        [
            ("lstm_outputs2", (None, None, 8), "float32"),
            ("default", (None, 8), "float32"),
            ("sequence_len", (None,), "int32"),
        ],
    )
    def test_other_outputs(self, saved_model, expected, output, shape, dtype):
        layer = FrozenBiLM(saved_model, output=output)
        symbolic = layer(keras.Input((None,), dtype="string"))
        assert symbolic.shape == shape
        assert symbolic.dtype == dtype
        actual = layer(tf.constant(TOKENS))
        assert actual.dtype.name == dtype
        assert layer.compute_output_shape((4, 4)) == tuple(
            4 if size is None else size for size in shape
        )
        if output == "lstm_outputs2":
            close(actual, expected[:, :, 2])
        if output == "sequence_len":
            assert actual.numpy().tolist() == LENGTHS

    def test_raw_sentences(self, saved_model, elmo):
        layer = FrozenBiLM(saved_model, signature="default", output="default")
        strings = keras.Input((), dtype="string")
        model = keras.Model(strings, layer(strings))
        assert model.output_shape == (None, 8)
        sentences = ["word1 naïve", "", "a"]
        close(model(tf.constant(sentences)), elmo.average(sentences))


class TestMask:
    def masks_of(self, model_inputs, layer, values):
        """The masks that the next layer gets: of a call, of `predict`."""
        masks = []

        class Next(keras.layers.Layer):
            supports_masking = True

            def call(self, inputs, mask=None):
                # 2 where there is no mask.
                if mask is None:
                    return tf.fill(tf.shape(inputs)[:2], 2.0)
                return tf.cast(mask, tf.float32)

            def compute_output_shape(self, input_shape):
                return input_shape[:2]

        model = keras.Model(model_inputs, Next()(layer(model_inputs)))
        masks.append(model(values).numpy())
        masks.append(model.predict(values, verbose=0))
        return masks

    def test_tokens(self, layer):
        inputs = keras.Input((None,), dtype="string")
        expected = np.arange(4) < np.array(LENGTHS)[:, np.newaxis]
        for mask in self.masks_of(inputs, layer, tf.constant(TOKENS)):
            np.testing.assert_array_equal(mask, expected)

    def test_dictionary(self, layer):
        inputs = {
            "tokens": keras.Input((None,), dtype="string", name="tokens"),
            "sequence_len": keras.Input((), dtype="int32", name="sequence_len"),
        }
        values = {
            "tokens": tf.constant([["", "a", ""]] * 2),
            "sequence_len": tf.constant([3, 1]),
        }
        for mask in self.masks_of(inputs, layer, values):
            np.testing.assert_array_equal(mask, [[1, 1, 1], [1, 0, 0]])

    def test_padding_does_not_count(self, model):
        tokens = tf.constant([["word1", "a"]])
        padded = tf.constant([["word1", "a", "", ""]])
        close(model(tokens), model(padded), 1e-6)

    def test_no_mask_without_time(self, saved_model):
        layer = FrozenBiLM(saved_model, output="default")
        assert layer.compute_mask(tf.constant(TOKENS)) is None


class TestFrozen:
    def test_no_weights(self, layer, model):
        assert layer.weights == []
        assert not layer.trainable
        model.trainable = True
        assert {weight.path.split("/")[0] for weight in model.weights} == {
            *("mix", "lstm", "score")
        }

    def test_training_leaves_it_alone(self, saved_model):
        model = tagger(saved_model)
        frozen = model.get_layer("bilm")
        before = frozen(tf.constant(TOKENS)).numpy()
        mixed_before = model.get_weights()
        model.compile(keras.optimizers.Adam(0.1), "mse", run_eagerly=True)
        model.fit(tf.constant(TOKENS), np.ones((4, 1)), verbose=0)
        np.testing.assert_array_equal(frozen(tf.constant(TOKENS)), before)
        assert any(
            np.any(left != right)
            for left, right in zip(
                mixed_before, model.get_weights(), strict=True
            )
        )


class TestSaving:
    @pytest.mark.parametrize("dictionary", [False, True])
    def test_keras_file_in_safe_mode(self, saved_model, tmp_path, dictionary):
        model = tagger(saved_model, dictionary=dictionary)
        inputs = tf.constant(TOKENS)
        if dictionary:
            inputs = {"tokens": inputs, "sequence_len": tf.constant(LENGTHS)}
        before = model(inputs)
        model.save(tmp_path / "model.keras")
        # The biLM is not in it.
        assert (tmp_path / "model.keras").stat().st_size < 100_000
        loaded = keras.saving.load_model(
            tmp_path / "model.keras", safe_mode=True
        )
        np.testing.assert_array_equal(loaded(inputs), before)

    def test_config(self, saved_model):
        layer = FrozenBiLM(
            saved_model, signature="default", output="elmo", name="embedding"
        )
        config = layer.get_config()
        assert config["saved_model"] == str(saved_model)
        again = FrozenBiLM.from_config(config)
        assert again.get_config() == config
        assert again.name == "embedding"
        assert again.output_name == "elmo"

    def test_a_keras_file_whose_saved_model_is_gone(
        self, saved_model, tmp_path
    ):
        shutil.copytree(saved_model, tmp_path / "copy")
        model = tagger(tmp_path / "copy")
        model.save(tmp_path / "model.keras")
        shutil.rmtree(tmp_path / "copy")
        # Keras puts its own words around.
        with pytest.raises(TypeError, match="copy: no such folder"):
            keras.saving.load_model(tmp_path / "model.keras")

    def test_export_archive(self, saved_model, tmp_path):
        """One SavedModel of the whole, without the first one."""
        shutil.copytree(saved_model, tmp_path / "copy")
        model = tagger(tmp_path / "copy")
        tokens = tf.constant(TOKENS)
        before = model(tokens).numpy()
        archive = keras.export.ExportArchive()
        archive.track(model)
        archive.add_endpoint(
            "serve",
            lambda tokens: {"score": model(tokens)},
            input_signature=[
                tf.TensorSpec([None, None], tf.string, name="tokens")
            ],
        )
        archive.write_out(tmp_path / "exported", verbose=False)
        shutil.rmtree(tmp_path / "copy")
        loaded = tf.saved_model.load(tmp_path / "exported")
        outputs = loaded.signatures["serve"](tokens=tokens)
        close(outputs["score"], before, 1e-6)


def test_mixed_precision(saved_model, model, expected):
    low = FrozenBiLM(saved_model, dtype="mixed_bfloat16")
    outputs = low(tf.constant(TOKENS))
    assert outputs.dtype == tf.bfloat16
    close(tf.cast(outputs, tf.float32), expected, 1e-2)
    symbolic = low(keras.Input((None,), dtype="string"))
    assert symbolic.dtype == "bfloat16"
    low_model = tagger(saved_model, "mixed_bfloat16")
    low_model.set_weights(model.get_weights())
    close(low_model(tf.constant(TOKENS)), model(tf.constant(TOKENS)), 2e-2)


@pytest.mark.slow
def test_mirrored_strategy(saved_model):
    """A step of two replicas is a step of one with the whole batch."""
    tokens = tf.constant(TOKENS)
    targets = tf.constant([[1.0], [0.0], [1.0], [-1.0]])
    strategy = two_replica_strategy()
    single = tagger(saved_model)
    with strategy.scope():
        mirrored = tagger(saved_model)
        mirrored.set_weights(single.get_weights())
        optimizer = keras.optimizers.SGD(0.1)
        optimizer.build(mirrored.trainable_variables)

    def gradients_of(model, tokens, targets):
        with tf.GradientTape() as tape:
            errors = model(tokens, training=True) - targets
            loss = tf.reduce_sum(errors**2) / 4
        return tape.gradient(
            loss, [weight.value for weight in model.trainable_variables]
        )

    @tf.function
    def step(batch):
        def replica_step(batch):
            gradients = gradients_of(mirrored, *batch)
            optimizer.apply_gradients(
                zip(gradients, mirrored.trainable_variables, strict=True)
            )

        strategy.run(replica_step, args=(batch,))

    data = tf.data.Dataset.from_tensor_slices((tokens, targets)).batch(4)
    step(next(iter(strategy.experimental_distribute_dataset(data))))
    gradients = gradients_of(single, tokens, targets)
    for before, gradient, after in zip(
        single.trainable_variables,
        gradients,
        mirrored.trainable_variables,
        strict=True,
    ):
        close(after.numpy(), before.numpy() - 0.1 * gradient.numpy(), 1e-6)


class TestMistakes:
    def test_no_saved_model(self, tmp_path):
        with pytest.raises(InputError, match="none: no such folder"):
            FrozenBiLM(tmp_path / "none")

    def test_no_such_signature(self, saved_model):
        with pytest.raises(ValueError) as error:
            FrozenBiLM(saved_model, signature="character_ids")
        assert str(error.value) == (
            "`signature` should be 'tokens' or 'default'. Received: "
            "signature='character_ids'"
        )

    def test_no_such_output(self, saved_model):
        with pytest.raises(ValueError) as error:
            FrozenBiLM(saved_model, output="lstm_outputs3")
        assert str(error.value) == (
            "`output` should be one of ['default', 'elmo', 'layers', "
            "'lstm_outputs1', 'lstm_outputs2', 'sequence_len', 'word_emb']. "
            "Received: output='lstm_outputs3'"
        )

    def test_lengths_beyond_the_tokens(self, layer):
        inputs = {
            "tokens": tf.constant([["a"]]),
            "sequence_len": tf.constant([2]),
        }
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="should not exceed"
        ):
            layer(inputs)
