"""The biLM that comes with the package, and its name."""

import os
import pathlib
import re

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf

import elmo_tf
from elmo_tf import pretrained
from elmo_tf.initial_state_file import read_initial_state
from elmo_tf.token_batch import call_bilm
from elmo_tf.token_batch import pad_tokens
from tests import binaries
from tests.replicas import two_replica_strategy

SENTENCES = [["The", "bank", "."], ["We", "sat", "on", "the", "bank", "."]]

# What may be shipped.
MAX_BYTES = 16_000_000


@pytest.fixture(scope="module")
def mini():
    return elmo_tf.Elmo("mini")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An empty working directory."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_names():
    assert pretrained.names() == ["mini"]


@pytest.mark.parametrize("name", pretrained.names())
def test_files(name):
    folder = pretrained.folder(name)
    assert sorted(path.name for path in folder.iterdir()) == [
        "MODEL_CARD.md",
        "SHA256SUMS",
        "initial_state.h5",
        "metadata.json",
        "options.json",
        "vocab.txt",
        "weights.hdf5",
    ]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size <= MAX_BYTES
    vocabulary = elmo_tf.Vocabulary.load(folder / "vocab.txt")
    config = elmo_tf.BiLMConfig.from_json_file(folder / "options.json")
    assert config.n_tokens_vocab == len(vocabulary)
    with h5py.File(folder / "weights.hdf5") as file:
        file.visititems(
            lambda _, item: (
                None
                if isinstance(item, h5py.Group)
                else assert_finite_float32(item[()])
            )
        )


def assert_finite_float32(array):
    assert array.dtype == np.float32 and np.isfinite(array).all()


def test_unknown_folder():
    with pytest.raises(elmo_tf.InputError) as info:
        pretrained.folder("maxi")
    assert str(info.value) == "maxi: no pre-trained biLM; there is mini"


def test_vectors(mini):
    """Those of the official files, from the state beside them."""
    folder = pretrained.folder("mini")
    bilm = elmo_tf.load_bilm(folder / "options.json", folder / "weights.hdf5")
    state = read_initial_state(folder / "initial_state.h5", bilm)
    assert mini.n_layers == 3 and mini.output_dim == 256
    vectors = mini.embed(SENTENCES)
    assert [array.shape for array in vectors] == [(3, 3, 256), (3, 6, 256)]
    for tokens, array in zip(SENTENCES, vectors, strict=True):
        expected = call_bilm(bilm, **pad_tokens([tokens]), initial_state=state)
        np.testing.assert_allclose(
            array,
            np.swapaxes(expected["layers"][0, 1:-1], 0, 1),
            atol=2e-5,
        )
    # Not from zeros.
    zero = elmo_tf.Elmo.from_weights(
        folder / "options.json", folder / "weights.hdf5"
    ).embed(SENTENCES[:1])[0]
    assert np.abs(zero - vectors[0]).max() > 1e-2


def test_raw_sentences(mini):
    assert mini.tokenize(["He didn't go."]) == [["He", "did", "n't", "go", "."]]


def test_without_a_softmax(mini):
    with pytest.raises(elmo_tf.InputError, match="mini: holds no softmax"):
        mini.score(["a"])


def test_word_cache_size(mini):
    cached = elmo_tf.Elmo("mini", word_cache_size=0)
    np.testing.assert_allclose(
        cached.embed(SENTENCES)[1], mini.embed(SENTENCES)[1], atol=1e-5
    )


def tagger():
    inputs = keras.Input([None], dtype="string")
    layers = elmo_tf.FrozenBiLM("mini", name="bilm")(inputs)
    vectors = elmo_tf.WeightedLayerSum()(layers)
    return keras.Model(inputs, keras.layers.Dense(2)(vectors))


def tokens():
    return tf.constant([["the", "bank", ""], ["naïve", "a", "b"]])


def test_frozen_bilm(mini):
    layers = elmo_tf.FrozenBiLM("mini")(tokens())
    # [n_layers, time, output_dim] → [time, n_layers, output_dim]
    expected = np.swapaxes(mini.embed([["the", "bank"]])[0], 0, 1)
    np.testing.assert_allclose(layers[0, :2], expected, atol=1e-5)
    np.testing.assert_array_equal(layers[0, 2], 0)


def test_keras_file_holds_the_name(elsewhere):
    model = tagger()
    expected = model.predict(tokens(), verbose=0)
    model.save("tagger.keras")
    assert os.path.getsize("tagger.keras") < 100_000
    loaded = keras.models.load_model("tagger.keras")
    assert loaded.get_layer("bilm").get_config()["saved_model"] == "mini"
    np.testing.assert_allclose(
        loaded.predict(tokens(), verbose=0), expected, atol=1e-6
    )


def test_keras_export(elsewhere):
    """For TensorFlow Serving; it holds the weights."""
    model = tagger()
    expected = model.predict(tokens(), verbose=0)
    model.export("served", verbose=False)
    served = tf.saved_model.load("served")
    np.testing.assert_allclose(served.serve(tokens()), expected, atol=1e-6)


def test_training_on_two_replicas():
    expected = elmo_tf.FrozenBiLM("mini")(tokens())
    strategy = two_replica_strategy()
    with strategy.scope():
        layer = elmo_tf.FrozenBiLM("mini")
    data = tf.data.Dataset.from_tensor_slices(tokens()).batch(2)
    batch = next(iter(strategy.experimental_distribute_dataset(data)))

    @tf.function
    def run(batch):
        return strategy.run(layer, args=(batch,))

    actual = strategy.gather(run(batch), axis=0)
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_binary(elsewhere, mini):
    pathlib.Path("text.txt").write_text("The bank .\n")
    result = binaries.run(
        "elmo_tf.embed",
        "--saved_model=mini",
        "--input=text.txt",
        "--output=text.hdf5",
    )
    assert result.returncode == 0, result.stderr
    with h5py.File("text.hdf5") as file:
        np.testing.assert_allclose(
            file["0"], mini.embed(SENTENCES[:1])[0], atol=1e-5
        )
    assert sorted(os.listdir()) == ["text.hdf5", "text.txt"]


def test_a_saved_model_of_that_name_comes_first(elsewhere, saved_model):
    os.symlink(saved_model, "mini")
    assert elmo_tf.Elmo("mini").output_dim == 8
    assert elmo_tf.Elmo("./mini").output_dim == 8


def test_another_folder_of_that_name(elsewhere):
    os.mkdir("mini")
    with pytest.raises(elmo_tf.InputError) as info:
        elmo_tf.Elmo("mini")
    assert str(info.value) == (
        "mini: not a SavedModel (no saved_model.pb in it); it hides the "
        "pre-trained biLM mini: rename it, or work in another folder"
    )


def test_unknown_name(elsewhere):
    with pytest.raises(elmo_tf.InputError) as info:
        elmo_tf.FrozenBiLM("maxi")
    assert str(info.value) == (
        "maxi: no such folder, nor a pre-trained biLM (mini)"
    )
    with pytest.raises(elmo_tf.InputError) as info:
        elmo_tf.Elmo("folder/maxi")
    assert str(info.value) == "folder/maxi: no such folder"


def test_model_card():
    card = (pretrained.folder("mini") / "MODEL_CARD.md").read_text("utf-8")
    assert not re.search(r"\$\w", card)
