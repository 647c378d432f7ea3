import json

import h5py
import numpy as np
import pytest

from elmo_tf import weights
from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from tests import layer_checks
from tests.reference import bilm as reference
from tests.reference import options as options_lib

N_WORDS = 9
SHAPES = {
    "base": {},
    "1 layer": dict(n_layers=1),
    "3 layers": dict(n_layers=3),
    "no highway": dict(n_highway=0),
    "3 highways": dict(n_highway=3),
    "no CNN projection": dict(filters=[[1, 2], [3, 2]]),
    "no LSTM projection": dict(dim=4),
    "one direction": dict(bidirectional=False),
    "one direction, 1 layer": dict(bidirectional=False, n_layers=1),
    "word input": dict(word_input=True),
    "word input, one direction": dict(word_input=True, bidirectional=False),
}


@pytest.fixture
def files(tmp_path):
    """A function that writes a pair of official files."""

    def write(name="base", change=None):
        options = options_lib.make_options(**SHAPES[name])
        values = options_lib.random_weights(options, seed=3, n_words=N_WORDS)
        if change:
            change(values)
        options_file = tmp_path / "options.json"
        options_file.write_text(json.dumps(options))
        weights_file = tmp_path / "weights.hdf5"
        options_lib.save_weights(weights_file, values)
        return options_file, weights_file, options, values

    return write


def built(options):
    layer = BiLM({"n_tokens_vocab": N_WORDS, **options})
    layer.build()
    return layer


def ids_of(options):
    if "char_cnn" in options:
        return reference.sentences_character_ids(
            [["The", "naïve", "—"], ["Yes"]]
        )
    return np.array([[1, 5, 9, 2], [3, 4, 0, 0]], np.int32)


@pytest.mark.parametrize("name", SHAPES)
class TestRoundTrip:
    def test_file_to_bilm(self, name, files):
        options_file, weights_file, options, values = files(name)
        layer = weights.load_bilm(options_file, weights_file)
        layer_checks.assert_close(
            layer(ids_of(options)),
            reference.bilm(ids_of(options), options, values),
            1e-5,
        )

    def test_file_to_bilm_to_file_is_bit_equal(self, name, files, tmp_path):
        options_file, weights_file, options, values = files(name)
        layer = weights.load_bilm(options_file, weights_file)
        path = tmp_path / "again.hdf5"
        weights.write_weights(path, layer)
        again = options_lib.load_weights(path)
        if options["lstm"]["dim"] == options["lstm"]["projection_dim"]:
            # AllenNLP cannot load a file without projections.
            for dataset in list(again):
                if dataset.endswith("W_P_0"):
                    np.testing.assert_array_equal(again.pop(dataset), np.eye(4))
        assert again.keys() == values.keys()
        for dataset, value in again.items():
            assert value.dtype == np.float32
            np.testing.assert_array_equal(value, values[dataset])

    def test_bilm_to_file_to_bilm_is_bit_equal(self, name, files, tmp_path):
        _, _, options, _ = files(name)
        layer = built(options)
        options_file, path = tmp_path / "o.json", tmp_path / "w.hdf5"
        layer.config.to_json_file(options_file)
        weights.write_weights(path, layer)
        again = weights.load_bilm(options_file, path)
        for left, right in zip(again.weights, layer.weights, strict=True):
            np.testing.assert_array_equal(left, right)
        layer_checks.assert_equal(
            again(ids_of(options)), layer(ids_of(options))
        )


class TestOfficialFiles:
    def test_golden_file_of_bilm_tf(self, bilm_tf_golden, tmp_path):
        folder = bilm_tf_golden / "model"
        layer = weights.load_bilm(
            folder / "options.json", folder / "lm_weights.hdf5"
        )
        weights.write_weights(tmp_path / "again.hdf5", layer)
        expected = options_lib.load_weights(folder / "lm_weights.hdf5")
        actual = options_lib.load_weights(tmp_path / "again.hdf5")
        assert actual.keys() == expected.keys()
        for dataset, value in expected.items():
            np.testing.assert_array_equal(actual[dataset], value)

    def test_tiny_bilm(self, tiny_bilm_golden):
        layer = weights.load_bilm(
            tiny_bilm_golden / "options.json",
            tiny_bilm_golden / "weights.hdf5",
        )
        with np.load(tiny_bilm_golden / "expected.npz") as expected:
            np.testing.assert_allclose(
                layer(expected["character_ids_0"])["layers"],
                expected["layers_0"],
                atol=1e-5,
            )

    def test_double_precision_is_read(self, files):
        options_file, weights_file, _, values = files()
        options_lib.save_weights(
            weights_file, {k: v.astype(np.float64) for k, v in values.items()}
        )
        layer = weights.load_bilm(options_file, weights_file)
        np.testing.assert_array_equal(
            layer.token_encoder.character_embedding, values["char_embed"]
        )

    def test_identity_projections_are_read(self, files, tmp_path):
        _, _, options, _ = files("no LSTM projection")
        layer = built(options)
        path = tmp_path / "w.hdf5"
        weights.write_weights(path, layer)
        again = built(options)
        weights.read_weights(path, again)
        for left, right in zip(again.weights, layer.weights, strict=True):
            np.testing.assert_array_equal(left, right)

    def test_size_of_a_word_embedding_comes_from_the_file(self, files):
        options_file, weights_file, _, _ = files("word input")
        layer = weights.load_bilm(options_file, weights_file)
        assert layer.config.n_tokens_vocab == N_WORDS

    def test_nothing_is_left_beside_the_file(self, files, tmp_path):
        _, _, options, _ = files()
        folder = tmp_path / "out"
        folder.mkdir()
        weights.write_weights(folder / "w.hdf5", built(options))
        assert [path.name for path in folder.iterdir()] == ["w.hdf5"]

    def test_a_failed_write_keeps_the_old_file(self, tmp_path, monkeypatch):
        path = tmp_path / "w.hdf5"
        path.write_bytes(b"old")
        layer = built(options_lib.make_options())
        broken = layer.stacks[1].lstms[1]
        monkeypatch.setattr(broken, "kernel", broken.bias)
        with pytest.raises(Exception):  # noqa: B017
            weights.write_weights(path, layer)
        assert path.read_bytes() == b"old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["w.hdf5"]


class TestSoftmax:
    def test_round_trip(self, tmp_path):
        layer = layer_checks.make_layer(
            SampledSoftmax,
            dict(vocabulary_size=7),
            {
                "inputs": np.zeros((2, 3), np.float32),
                "labels": np.zeros(2, np.int32),
            },
        )
        path = tmp_path / "softmax.hdf5"
        weights.write_softmax(path, layer)
        with h5py.File(path) as file:
            assert file["softmax/W"].shape == (7, 3)
            assert file["softmax/b"].shape == (7,)
        again = SampledSoftmax(7)
        again.build((None, 3))
        weights.read_softmax(path, again)
        layer_checks.assert_equal(again.weights, layer.weights)

    def test_other_vocabulary(self, tmp_path):
        layer, other = SampledSoftmax(7), SampledSoftmax(8)
        layer.build((None, 3))
        other.build((None, 3))
        path = tmp_path / "softmax.hdf5"
        weights.write_softmax(path, layer)
        with pytest.raises(InputError) as error:
            weights.read_softmax(path, other)
        assert str(error.value).startswith(
            f"{path}: the dataset softmax/W has the shape (7, 3), expected "
            "(8, 3)"
        )


class TestErrors:
    """Each is one line that names the file, what was found and expected."""

    def message(self, options_file, weights_file):
        with pytest.raises(InputError) as error:
            weights.load_bilm(options_file, weights_file)
        message = str(error.value)
        assert "\n" not in message
        return message

    def test_missing_weights(self, files, tmp_path):
        options_file, *_ = files()
        path = tmp_path / "none.hdf5"
        assert self.message(options_file, path) == f"{path}: no such file"

    def test_folder(self, files, tmp_path):
        options_file, *_ = files()
        assert self.message(options_file, tmp_path) == (
            f"{tmp_path}: is a folder, expected an HDF5 file"
        )

    def test_missing_options(self, files, tmp_path):
        _, weights_file, *_ = files()
        path = tmp_path / "none.json"
        message = self.message(path, weights_file)
        assert message == f"{path}: No such file or directory"

    @pytest.mark.parametrize("content", [b"", b"not HDF5" * 100])
    def test_no_hdf5(self, files, content):
        options_file, weights_file, *_ = files()
        weights_file.write_bytes(content)
        message = self.message(options_file, weights_file)
        assert message.startswith(f"{weights_file}: not an HDF5 file")

    def test_cut_file(self, files):
        options_file, weights_file, *_ = files()
        weights_file.write_bytes(weights_file.read_bytes()[:5000])
        assert self.message(options_file, weights_file).startswith(
            f"{weights_file}: "
        )

    @pytest.mark.parametrize(
        "dataset",
        [
            "char_embed",
            "CNN/W_cnn_1",
            "CNN_high_0/b_carry",
            "CNN_proj/W_proj",
            "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_P_0",
        ],
    )
    def test_missing_dataset(self, files, dataset):
        options_file, weights_file, _, values = files(
            change=lambda values: values.pop(dataset)
        )
        shape = options_lib.weight_shapes(options_lib.make_options())[dataset]
        assert self.message(options_file, weights_file) == (
            f"{weights_file}: has no dataset {dataset}, expected one of shape "
            f"{shape}"
        )

    def test_other_shape(self, files):
        def change(values):
            values["char_embed"] = values["char_embed"][:, :3]

        options_file, weights_file, *_ = files(change=change)
        assert self.message(options_file, weights_file) == (
            f"{weights_file}: the dataset char_embed has the shape (261, 3), "
            "expected (261, 4) by the options"
        )

    def test_a_group_in_place_of_a_dataset(self, files):
        def change(values):
            values["char_embed/table"] = values.pop("char_embed")

        options_file, weights_file, *_ = files(change=change)
        message = self.message(options_file, weights_file)
        assert message.startswith(f"{weights_file}: ")
        assert "char_embed" in message

    def test_a_projection_where_the_options_have_none(self, files):
        name = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_P_0"

        def change(values):
            values[name] = np.ones((4, 4), np.float32)

        options_file, weights_file, *_ = files("no LSTM projection", change)
        assert self.message(options_file, weights_file) == (
            f"{weights_file}: has a projection {name} of shape (4, 4), but the "
            "options say that there is none (projection_dim equals dim)"
        )

    def test_word_input_without_an_embedding(self, files):
        options_file, weights_file, *_ = files(
            "word input", lambda values: values.pop("embedding")
        )
        assert self.message(options_file, weights_file) == (
            f"{weights_file}: has no dataset embedding, which a word-input "
            "biLM (options without char_cnn) needs"
        )

    def test_more_layers_in_the_file_than_in_the_options(self, files):
        options_file, weights_file, options, _ = files("3 layers")
        options["lstm"]["n_layers"] = 2
        options_file.write_text(json.dumps(options))
        message = self.message(options_file, weights_file)
        assert message.startswith(f"{weights_file}: ")
        assert "Cell2" in message

    def test_more_highways_in_the_file_than_in_the_options(self, files):
        options_file, weights_file, options, _ = files("3 highways")
        options["char_cnn"]["n_highway"] = 1
        options_file.write_text(json.dumps(options))
        message = self.message(options_file, weights_file)
        assert message.startswith(f"{weights_file}: ")
        assert "CNN_high_" in message

    def test_nothing_is_changed_by_a_bad_file(self, files):
        _, weights_file, options, _ = files(
            change=lambda values: values.pop(
                "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_P_0"
            )
        )
        layer = built(options)
        before = layer.get_weights()
        with pytest.raises(InputError):
            weights.read_weights(weights_file, layer)
        layer_checks.assert_equal(layer.get_weights(), before)


def test_config_written_for_official_tools(tmp_path):
    options = options_lib.make_options()
    BiLMConfig.from_dict(options).to_json_file(tmp_path / "options.json")
    written = json.loads((tmp_path / "options.json").read_text())
    for part in ("lstm", "char_cnn"):
        for key, value in options[part].items():
            assert written[part][key] == value, key
    assert written["bidirectional"] is True
