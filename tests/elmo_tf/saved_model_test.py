"""SavedModels, opened by everything that opens SavedModels."""

import json
import os
import shutil
import stat
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_hub

from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.saved_model import export_saved_model
from elmo_tf.saved_model import load_saved_model
from elmo_tf.text.characters import character_ids
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import load_bilm

SENTENCES = [
    ["word1", "naïve", "Ω" * 30, "a", ".", "unknown"],
    [],
    ["", "word7", "<S>"],
    ["word3"],
]
STRINGS = ["word1 naïve a", "", " word3\tword4 "]

# Nothing but TensorFlow, as whoever gets a SavedModel has it.
SCRIPT = """
import json, sys
import tensorflow as tf
import numpy as np

path, inputs, output = sys.argv[1:]
with open(inputs, encoding="utf-8") as file:
    inputs = json.load(file)
loaded = tf.saved_model.load(path)
signatures = loaded.signatures
results = {"names": np.array(sorted(signatures))}

def keep(name, outputs):
    for key, value in outputs.items():
        is_text = value.dtype == tf.string
        results[f"{name}/{key}"] = (
            value.numpy().astype("S") if is_text else value.numpy())

def run(name, sentences):
    longest = max(map(len, sentences))
    tokens = tf.constant(
        [row + ["padding"] * (longest - len(row)) for row in sentences],
        tf.string, [len(sentences), longest])
    lengths = tf.constant([len(row) for row in sentences], tf.int32)
    keep(f"tokens/{name}",
         signatures["tokens"](tokens=tokens, sequence_len=lengths))
    keep(f"score/{name}",
         signatures["score"](tokens=tokens, sequence_len=lengths))
    # Once with new words, once with words that it remembers.
    for time in ("first", "again"):
        keep(f"flat/{name}/{time}",
             loaded.flat(tokens=tokens, sequence_len=lengths))

run("batch", inputs["sentences"])
for i, sentence in enumerate(inputs["sentences"]):
    run(str(i), [sentence])
keep("default", signatures["default"](tf.constant(inputs["strings"])))
keep("character_ids",
     signatures["character_ids"](
         tf.constant(inputs["character_ids"], tf.int32)))
keep("substitutes", signatures["substitutes"](
    tokens=tf.constant([["word1", "a"]]), sequence_len=tf.constant([2]),
    position=tf.constant([1]), n=tf.constant([3])))
results["modules"] = np.array(
    [name for name in sys.modules if name.startswith(
        ("elmo_tf", "tensorflow_text"))])
np.savez(output, **results)
"""


@pytest.fixture(scope="module")
def bare(saved_model, tmp_path_factory):
    """What a bare TensorFlow process computes."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "script.py").write_text(SCRIPT)
    ids = character_ids(tf.constant([SENTENCES[0]]), 10).numpy().tolist()
    (folder / "inputs.json").write_text(
        json.dumps(
            {
                "sentences": SENTENCES,
                "strings": STRINGS,
                "character_ids": ids,
            }
        )
    )
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONPATH"
    }
    result = subprocess.run(
        [
            *(sys.executable, folder / "script.py", saved_model),
            *(folder / "inputs.json", folder / "results.npz"),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return dict(np.load(folder / "results.npz"))


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=tolerance)


class TestBareTensorFlow:
    def test_nothing_of_ours_is_needed(self, bare):
        assert bare["modules"].tolist() == []
        assert bare["names"].tolist() == [
            *("character_ids", "default", "score", "substitutes"),
            *("tokenize", "tokens"),
        ]

    def test_tokens(self, bare, elmo):
        expected = elmo.embed(SENTENCES)
        for i, layers in enumerate(expected):
            n = len(SENTENCES[i])
            for outputs in (
                bare[f"tokens/{i}/layers"][0],
                bare["tokens/batch/layers"][i],
            ):
                close(np.swapaxes(outputs[:n], 0, 1), layers)
                assert not np.any(outputs[n:])
            close(bare[f"tokens/{i}/elmo"][0], layers.mean(axis=0))

    def test_names_of_tensorflow_hub(self, bare, elmo):
        shapes = {
            key.removeprefix("tokens/batch/"): value.shape
            for key, value in bare.items()
            if key.startswith("tokens/batch/")
        }
        assert shapes == {
            "word_emb": (4, 6, 4),
            "lstm_outputs1": (4, 6, 8),
            "lstm_outputs2": (4, 6, 8),
            "elmo": (4, 6, 8),
            "default": (4, 8),
            "layers": (4, 6, 3, 8),
            "sequence_len": (4,),
        }
        close(bare["tokens/batch/default"], elmo.average(SENTENCES))

    def test_flat(self, bare, elmo):
        expected = np.concatenate(elmo.embed(SENTENCES), axis=1)
        for time in ("first", "again"):
            for depth, layer in enumerate(expected):
                close(bare[f"flat/batch/{time}/layer_{depth}"], layer)

    def test_raw_sentences(self, bare, elmo):
        for i, vectors in enumerate(elmo.embed(STRINGS, "average")):
            close(bare["default/elmo"][i, : len(vectors)], vectors)
        assert bare["default/sequence_len"].tolist() == [3, 0, 2]
        close(bare["default/default"], elmo.average(STRINGS))

    def test_character_ids(self, bare, elmo):
        (expected,) = elmo.embed(SENTENCES[:1])
        close(np.swapaxes(bare["character_ids/layers"][0], 0, 1), expected)

    def test_language_model(self, bare, elmo):
        for i, score in enumerate(elmo.score(SENTENCES)):
            n = len(score.tokens)
            for name in (f"score/{i}", "score/batch"):
                row = i if name.endswith("batch") else 0
                for direction in ("forward", "backward"):
                    close(
                        bare[f"{name}/{direction}_log_probability"][row, :n],
                        getattr(score, direction),
                    )
        (expected,) = [elmo.substitutes(["word1", "a"], 1, n=3)["combined"]]
        words = bare["substitutes/combined_words"][0]
        assert [word.decode() for word in words] == [
            substitute.word for substitute in expected
        ]


def test_tensorflow_hub(saved_model, elmo):
    module = tensorflow_hub.load(str(saved_model))
    outputs = module.signatures["default"](tf.constant(STRINGS))
    close(outputs["default"], elmo.average(STRINGS))
    outputs = module.signatures["tokens"](
        tokens=tf.constant([["word1", "a"]]), sequence_len=tf.constant([2])
    )
    close(outputs["elmo"][0], elmo.embed([["word1", "a"]], "average")[0])


def test_tfsm_layer(saved_model, elmo):
    layer = keras.layers.TFSMLayer(str(saved_model), call_endpoint="tokens")
    outputs = layer(
        tf.constant([["word1", "a"], ["a", ""]]),
        sequence_len=tf.constant([2, 1]),
    )
    expected = elmo.embed([["word1", "a"], ["a"]], "average")
    close(outputs["elmo"][0], expected[0])
    close(outputs["elmo"][1, :1], expected[1])
    strings = keras.Input((), dtype="string")
    layer = keras.layers.TFSMLayer(str(saved_model), call_endpoint="default")
    model = keras.Model(strings, layer(strings))
    outputs = model(tf.constant(STRINGS))
    close(outputs["default"], elmo.average(STRINGS))


def test_files(saved_model):
    config = BiLMConfig.from_json_file(
        saved_model / "assets.extra" / "options.json"
    )
    assert config.lstm.projection_dim == 4
    assert config.char_cnn.max_characters_per_token == 10
    vocabulary = Vocabulary.load(saved_model / "assets" / "vocab.txt")
    assert config.n_tokens_vocab == len(vocabulary)
    # As a new folder is, not closed as temporary ones are.
    other = saved_model.parent / "other"
    other.mkdir()
    assert stat.S_IMODE(saved_model.stat().st_mode) == stat.S_IMODE(
        other.stat().st_mode
    )
    assert {path.name for path in saved_model.iterdir()} == {
        *("SHA256SUMS", "assets", "assets.extra", "fingerprint.pb"),
        *("saved_model.pb", "variables"),
    }


class TestExportErrors:
    @pytest.mark.parametrize("kind", ["file", "folder", "link"])
    def test_output_exists(self, official_files, tmp_path, kind):
        output = tmp_path / "output"
        if kind == "file":
            output.write_text("precious")
        elif kind == "folder":
            output.mkdir()
        else:
            output.symlink_to("nowhere")
        with pytest.raises(InputError) as error:
            export_saved_model(output, load_bilm(*official_files.paths))
        assert str(error.value) == f"{output}: exists already; remove it first"
        assert os.listdir(tmp_path) == ["output"]

    def test_nothing_is_left_of_an_export_that_fails(
        self, official_files, tmp_path
    ):
        bilm = load_bilm(*official_files.paths)
        softmax = SampledSoftmax(7)
        vocabulary = Vocabulary(["<S>", "</S>", "<UNK>"])
        with pytest.raises(ValueError, match="has 3 words, but the model"):
            export_saved_model(tmp_path / "output", bilm, softmax, vocabulary)
        with pytest.raises(InputError, match="tokenizer: found 'x'"):
            export_saved_model(tmp_path / "output", bilm, tokenizer="x")
        assert os.listdir(tmp_path) == []


class TestLoadErrors:
    def message(self, path):
        with pytest.raises(InputError) as error:
            load_saved_model(path)
        assert "\n" not in str(error.value)
        return str(error.value)

    def test_nothing_there(self, tmp_path):
        path = tmp_path / "none"
        assert self.message(path) == f"{path}: no such folder"

    def test_no_saved_model(self, tmp_path):
        assert self.message(tmp_path) == (
            f"{tmp_path}: not a SavedModel (no saved_model.pb in it)"
        )

    @pytest.mark.parametrize(
        "name, damage",
        [
            ("saved_model.pb", "cut"),
            ("variables/variables.index", "missing"),
            ("variables/variables.data-00000-of-00001", "cut"),
            ("assets/vocab.txt", "missing"),
        ],
    )
    def test_damaged(self, saved_model, tmp_path, name, damage):
        path = tmp_path / "damaged"
        shutil.copytree(saved_model, path)
        if damage == "cut":
            content = (path / name).read_bytes()
            (path / name).write_bytes(content[: len(content) // 2])
        else:
            (path / name).unlink()
        assert self.message(path).startswith(
            f"{path}: the SavedModel is damaged: "
        )

    def test_a_name_that_tensorflow_takes_for_a_pattern(
        self, saved_model, tmp_path
    ):
        path = tmp_path / "model[1]"
        shutil.copytree(saved_model, path)
        assert self.message(path) == (
            f"{path}: cannot be loaded: TensorFlow takes [ and \\ in a path "
            "for patterns; rename the folder"
        )

    def test_of_something_else(self, tmp_path):
        class Doubled(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def __call__(self, x):
                return {"layers": 2 * x}

        doubled = Doubled()
        for name, message in (
            (
                "double",
                "expected a signature tokens with an output layers, found the "
                "signatures double",
            ),
            ("tokens", "expected a function flat, found none"),
        ):
            path = tmp_path / name
            tf.saved_model.save(
                doubled, path, signatures={name: doubled.__call__}
            )
            assert self.message(path) == (
                f"{path}: not a SavedModel of a biLM: {message}"
            )
