"""Exports both ways, and what cannot be exported."""

import json
import os
import shutil

import h5py
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.exporting import export
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.text.shards import read_sentences
from elmo_tf.warm_state import warm_state
from elmo_tf.weights import load_bilm
from elmo_tf.weights import read_softmax
from tests.elmo_tf.conftest import WORDS
from tests.reference import bilm as reference

SENTENCES = [["word1", "naïve", "a"], [], ["unknown", "word2"]]


def close(actual, expected, tolerance=1e-6):
    for left, right in zip(actual, expected, strict=True):
        np.testing.assert_allclose(left, right, atol=tolerance, rtol=1e-5)


@pytest.fixture
def no_saved_model(monkeypatch):
    """Takes what would be in a SavedModel instead of writing it."""
    taken = []

    def export_saved_model(*args):
        taken.append(args)

    monkeypatch.setattr(
        "elmo_tf.exporting.export_saved_model", export_saved_model
    )
    return taken


class TestOfficialFiles:
    def test_files(self, exported_files, model_dir):
        assert sorted(os.listdir(exported_files.folder)) == [
            "SHA256SUMS",
            *("options.json", "softmax.h5", "vocab.txt", "weights.hdf5"),
        ]
        assert exported_files.options["char_cnn"]["n_characters"] == 262
        assert (
            exported_files.vocab_file.read_bytes()
            == (model_dir / "vocab.txt").read_bytes()
        )

    def test_imported_again_the_weights_are_bit_equal(
        self, exported_files, model_dir
    ):
        model, _ = load_language_model(str(model_dir))
        bilm = load_bilm(*exported_files.paths)
        for left, right in zip(bilm.weights, model.bilm.weights, strict=True):
            np.testing.assert_array_equal(left, right)
        softmax = type(model.softmax)(model.softmax.vocabulary_size)
        softmax.build((None, 4))
        read_softmax(exported_files.folder / "softmax.h5", softmax)
        for left, right in zip(
            softmax.weights, model.softmax.weights, strict=True
        ):
            np.testing.assert_array_equal(left, right)

    @pytest.mark.parametrize("kind", ["official_files", "word_files"])
    def test_from_official_files(self, request, kind, tmp_path):
        files = request.getfixturevalue(kind)
        vocab_file = str(files.vocab_file) if kind == "word_files" else None
        result = export(
            str(tmp_path / "new" / "output"),
            "hdf5",
            options_file=str(files.options_file),
            weights_file=str(files.weights_file),
            vocab_file=vocab_file,
        )
        assert result == {
            "output": f"{tmp_path}/new/output",
            "format": "hdf5",
            "n_layers": 3,
            "output_dim": 8,
            "softmax": False,
            "initial_state": "zero",
        }
        with h5py.File(tmp_path / "new/output/weights.hdf5") as file:
            for name, value in files.weights.items():
                np.testing.assert_array_equal(file[name][()], value)
        names = ["SHA256SUMS", "options.json", "weights.hdf5"]
        if vocab_file:
            names.insert(2, "vocab.txt")
        assert sorted(os.listdir(tmp_path / "new/output")) == names

    def test_without_softmax(self, model_dir, tmp_path):
        result = export(
            str(tmp_path / "output"),
            "hdf5",
            model_dir=str(model_dir),
            with_softmax=False,
        )
        assert result["softmax"] is False
        assert not (tmp_path / "output" / "softmax.h5").exists()


class TestSavedModel:
    def test_from_either_source_the_same(self, elmo, exported_files, tmp_path):
        result = export(
            str(tmp_path / "output"),
            options_file=str(exported_files.options_file),
            weights_file=str(exported_files.weights_file),
        )
        assert result["softmax"] is False
        again = Elmo(tmp_path / "output")
        close(again.embed(SENTENCES), elmo.embed(SENTENCES))
        assert "score" not in again._functions
        # No vocabulary is needed, and none is in it.
        assert os.listdir(tmp_path / "output" / "assets") == []

    def test_warm(self, model_dir, exported_files, tmp_path):
        """Of a pre-training, with the states that it carried."""
        export(
            str(tmp_path / "output"),
            model_dir=str(model_dir),
            initial_state="warm",
            tokenizer="penn_treebank",
            with_softmax=False,
        )
        elmo = Elmo(tmp_path / "output")
        assert elmo.tokenize(["isn't"]) == [["is", "n't"]]
        model, _ = load_language_model(str(model_dir))
        state = load_typical_state(str(model_dir), model)
        together = elmo.embed(SENTENCES)
        for sentence, array in zip(SENTENCES, together, strict=True):
            outputs = reference.bilm(
                reference.sentences_character_ids([sentence], 10),
                exported_files.options,
                exported_files.weights,
                state,
            )
            expected = np.swapaxes(outputs["layers"][0, 1:-1], 0, 1)
            close([array], [expected], 1e-5)
            close([array], elmo.embed([sentence]))

    def test_states(self, model_dir, exported_files, no_saved_model, corpus):
        """What is given to `export_saved_model`."""
        model, _ = load_language_model(str(model_dir))
        export("output", model_dir=str(model_dir), initial_state="warm")
        expected = load_typical_state(str(model_dir), model)
        close(tf.nest.flatten(no_saved_model[-1][4]), tf.nest.flatten(expected))
        export(
            "output",
            model_dir=str(model_dir),
            initial_state="warm",
            warm_text=corpus.valid,
        )
        expected = warm_state(model.bilm, read_sentences(corpus.valid))
        close(tf.nest.flatten(no_saved_model[-1][4]), tf.nest.flatten(expected))
        export("output", model_dir=str(model_dir))
        assert no_saved_model[-1][4] is None

    def test_warm_word_input(self, word_files, no_saved_model, tmp_path):
        text = tmp_path / "text.txt"
        text.write_text("the river\nthe bank\n")
        export(
            "output",
            options_file=str(word_files.options_file),
            weights_file=str(word_files.weights_file),
            vocab_file=str(word_files.vocab_file),
            initial_state="warm",
            warm_text=str(text),
        )
        _, _, softmax, vocabulary, state, *_ = no_saved_model[0]
        assert softmax is None and vocabulary.tokens == WORDS
        assert all(np.any(part) for part in tf.nest.flatten(state))


class TestVersions:
    @pytest.fixture
    def export_version(self, official_files, tmp_path, monkeypatch):
        monkeypatch.setattr(
            "elmo_tf.exporting.export_saved_model",
            lambda folder, *_: os.makedirs(folder),
        )

        def export_version(version, **options):
            return export(
                f"{tmp_path}/models/elmo",
                options_file=official_files.options_file,
                weights_file=official_files.weights_file,
                version=version,
                **options,
            )

        return export_version

    def test_each_is_a_folder(self, export_version, tmp_path):
        base = tmp_path / "models" / "elmo"
        result = export_version(2, serving_path="/srv/elmo")
        assert result["output"] == f"{base}/2"
        assert 'base_path: "/srv/elmo"' in (base / "models.config").read_text()
        export_version(10)
        assert sorted(os.listdir(base)) == [
            *("10", "2", "batching_parameters.txt", "models.config")
        ]
        with pytest.raises(InputError) as error:
            export_version(2)
        assert str(error.value) == f"--version=2: {base}/2 exists already"

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"version": 0}, "--version=0: expected 1 or more"),
            (
                {"version": 1, "output_format": "hdf5"},
                "--version is for --format=saved_model",
            ),
            (
                {"version": None, "serving_path": "/models/elmo"},
                "--serving_path is for --version",
            ),
        ],
    )
    def test_mistakes(self, export_version, tmp_path, options, message):
        with pytest.raises(InputError) as error:
            export_version(**options)
        assert str(error.value) == message
        assert os.listdir(tmp_path) == []


class TestMistakes:
    """Each is one line, and nothing is written."""

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({}, "give either --model_dir, or --options_file and "),
            ({"options_file": "o"}, "give either --model_dir, or "),
            ({"weights_file": "w"}, "give either --model_dir, or "),
            (
                {"model_dir": "m", "options_file": "o", "weights_file": "w"},
                "give either --model_dir, or ",
            ),
            ({"model_dir": "m", "weights_file": "w"}, "give either "),
            (
                {"model_dir": "m", "vocab_file": "v"},
                "--vocab_file=v: is for --weights_file; a --model_dir has its "
                "own",
            ),
            (
                {"model_dir": "m", "output_format": "x"},
                "--format=x: expected one of saved_model, hdf5",
            ),
            (
                {"model_dir": "m", "initial_state": "x"},
                "--initial_state=x: expected one of zero, warm",
            ),
            (
                {"model_dir": "m", "tokenizer": "x"},
                "--tokenizer=x: expected one of whitespace, penn_treebank",
            ),
            (
                {
                    "model_dir": "m",
                    "output_format": "hdf5",
                    "initial_state": "warm",
                },
                "--initial_state, --tokenizer and --dtype are for "
                "--format=saved_model",
            ),
            (
                {
                    "model_dir": "m",
                    "output_format": "hdf5",
                    "dtype": "bfloat16",
                },
                "--initial_state, --tokenizer and --dtype are for "
                "--format=saved_model",
            ),
            (
                {"model_dir": "m", "dtype": "x"},
                "--dtype=x: expected one of float32, bfloat16",
            ),
            (
                {"model_dir": "m", "warm_text": "t"},
                "--warm_text is for --initial_state=warm",
            ),
            (
                {
                    "options_file": "o",
                    "weights_file": "w",
                    "initial_state": "warm",
                },
                "--initial_state=warm of a weights file needs --warm_text",
            ),
            (
                {
                    "model_dir": "m",
                    "initial_state": "warm",
                    "warm_text": "none",
                },
                "none: no such file",
            ),
            ({"model_dir": "none"}, "none: no such folder"),
            (
                {"options_file": "none", "weights_file": "none"},
                "none: No such file or directory",
            ),
        ],
    )
    def test_arguments(self, tmp_path, monkeypatch, arguments, message):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError) as error:
            export("output", **arguments)
        assert str(error.value).startswith(message)
        assert "\n" not in str(error.value)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("kind", ["file", "folder", "link"])
    def test_output_exists(self, model_dir, tmp_path, kind):
        output = tmp_path / "output"
        if kind == "file":
            output.write_text("precious")
        elif kind == "folder":
            output.mkdir()
        else:
            output.symlink_to("nowhere")
        for output_format in ("saved_model", "hdf5"):
            with pytest.raises(InputError) as error:
                export(str(output), output_format, model_dir=str(model_dir))
            assert str(error.value) == f"--output={output}: exists already"
        assert os.listdir(tmp_path) == ["output"]

    def test_output_without_a_name(self, model_dir, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError) as error:
            export("", "hdf5", model_dir=str(model_dir))
        assert str(error.value) == "--output=: expected the name of a folder"
        assert os.listdir(tmp_path) == []

    def test_vocabulary_of_no_use(self, official_files, tmp_path):
        with pytest.raises(InputError, match="the biLM reads characters"):
            export(
                str(tmp_path / "output"),
                options_file=str(official_files.options_file),
                weights_file=str(official_files.weights_file),
                vocab_file=str(tmp_path),
            )
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("vocabulary", [None, WORDS[:5]])
    def test_vocabulary_of_word_input(self, word_files, tmp_path, vocabulary):
        vocab_file, message = None, "vocab_file: a biLM that reads words"
        if vocabulary:
            vocab_file = str(tmp_path / "vocab.txt")
            (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
            message = "has 5 words, but there are 9 token vectors"
        with pytest.raises(InputError, match=message):
            export(
                str(tmp_path / "output"),
                options_file=str(word_files.options_file),
                weights_file=str(word_files.weights_file),
                vocab_file=vocab_file,
            )
        assert not (tmp_path / "output").exists()

    def test_weights_of_another_shape(self, official_files, tmp_path):
        options = json.loads(official_files.options_file.read_text())
        options["lstm"]["dim"] = 13
        (tmp_path / "options.json").write_text(json.dumps(options))
        with pytest.raises(InputError, match="has the shape .* expected"):
            export(
                str(tmp_path / "output"),
                options_file=str(tmp_path / "options.json"),
                weights_file=str(official_files.weights_file),
            )
        assert os.listdir(tmp_path) == ["options.json"]

    @pytest.mark.parametrize(
        "name, content, message",
        [
            ("vocab.txt", None, "vocab.txt: cannot be read"),
            ("vocab.txt", "", "vocab.txt: empty file"),
            ("vocab.txt", "<S>\n</S>\na\n", "no <UNK> among 3 tokens"),
            (
                "vocab.txt",
                "<S>\n</S>\n<UNK>\na\na\n",
                "vocab.txt:5: token 'a' is already at",
            ),
            (
                "vocab.txt",
                "<S>\n</S>\n<UNK>\n",
                "has 3 words, but options.json",
            ),
            ("options.json", None, "options.json: No such file"),
            ("options.json", "{", "expected the options of a biLM"),
            ("checkpoint", None, "holds no checkpoint"),
        ],
    )
    def test_damaged_model_dir(
        self, model_dir, tmp_path, name, content, message
    ):
        copy = tmp_path / "copy"
        shutil.copytree(model_dir, copy)
        (copy / name).unlink()
        if content is not None:
            (copy / name).write_text(content)
        with pytest.raises(InputError) as error:
            export(str(tmp_path / "output"), model_dir=str(copy))
        assert message in str(error.value)
        assert "\n" not in str(error.value)
        assert os.listdir(tmp_path) == ["copy"]
