import json

import h5py
import numpy as np
import pytest

from elmo_tf import dump
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from tests.elmo_tf.conftest import WORDS
from tests.reference import bilm as reference


@pytest.fixture
def vocab_file(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("the river bank\n\nnaïve\nthe river bank\n", "utf-8")
    return path


def read(path):
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


class TestBiLMEmbeddings:
    @pytest.mark.parametrize("kind", ["official_files", "word_files"])
    def test_as_bilm_tf(self, request, kind, vocab_file, text, tmp_path):
        files = request.getfixturevalue(kind)
        dump.dump_bilm_embeddings(
            vocab_file, text, *files.paths, tmp_path / "out.hdf5"
        )
        datasets = read(tmp_path / "out.hdf5")
        assert set(datasets) == {"0", "1", "2", "3"}
        elmo = Elmo.from_weights(
            *files.paths, vocab_file if kind == "word_files" else None
        )
        sentences = text.read_text("utf-8").splitlines()
        for number, array in enumerate(elmo.embed(sentences)):
            np.testing.assert_allclose(
                datasets[str(number)], array, atol=1e-6, rtol=1e-5
            )
        # No state is carried.
        np.testing.assert_allclose(datasets["0"], datasets["3"], atol=1e-6)

    def test_the_vocabulary_may_be_missing_for_characters(
        self, official_files, text, tmp_path
    ):
        dump.dump_bilm_embeddings(
            tmp_path / "none", text, *official_files.paths, tmp_path / "out"
        )
        assert read(tmp_path / "out")["0"].shape == (3, 3, 8)

    def test_mistakes(self, official_files, word_files, vocab_file, tmp_path):
        output = tmp_path / "out.hdf5"
        for arguments in (
            (vocab_file, tmp_path / "none", *official_files.paths),
            (vocab_file, vocab_file, tmp_path / "none", "none"),
            (tmp_path / "none", vocab_file, *word_files.paths),
        ):
            with pytest.raises(InputError, match="none: "):
                dump.dump_bilm_embeddings(*arguments, output)
            assert not output.exists()


class TestTokenEmbeddings:
    def test_reference(self, official_files, vocab_file, tmp_path, monkeypatch):
        # More words than go through at once.
        monkeypatch.setattr(dump, "_WORDS_AT_ONCE", 4)
        dump.dump_token_embeddings(
            vocab_file, *official_files.paths, tmp_path / "tokens.hdf5"
        )
        datasets = read(tmp_path / "tokens.hdf5")
        assert set(datasets) == {"embedding"}
        embedding = datasets["embedding"]
        assert embedding.shape == (len(WORDS), 4)
        assert embedding.dtype == np.float32
        ids = np.array([reference.word_character_ids(word) for word in WORDS])
        expected = reference.character_cnn(
            ids, official_files.options, official_files.weights
        )
        np.testing.assert_allclose(embedding, expected, atol=1e-6, rtol=1e-5)

    def test_word_input(self, word_files, vocab_file, tmp_path):
        with pytest.raises(InputError) as error:
            dump.dump_token_embeddings(
                vocab_file, *word_files.paths, tmp_path / "out.hdf5"
            )
        assert str(error.value) == (
            f"{word_files.options_file}: has no char_cnn; a word-input biLM's "
            "token vectors are in its weights file"
        )
        assert not (tmp_path / "out.hdf5").exists()

    def test_vocabulary_without_unknown(self, official_files, tmp_path):
        path = tmp_path / "vocab.txt"
        path.write_text("<S>\n</S>\nthe\n")
        with pytest.raises(InputError, match="no <UNK> among 3 tokens"):
            dump.dump_token_embeddings(
                path, *official_files.paths, tmp_path / "out.hdf5"
            )
        assert not (tmp_path / "out.hdf5").exists()


def test_golden_files_with_token_embeddings(bilm_tf_golden, tmp_path):
    """The published weights, characters read or looked up."""
    folder = bilm_tf_golden / "model"
    paths = folder / "options.json", folder / "lm_weights.hdf5"
    lists = json.loads((folder / "lm_embeddings_sentences.json").read_text())
    sentences = [line.split() for line in lists[0]]
    words = sorted({word for sentence in sentences for word in sentence})
    vocab_file = tmp_path / "vocab.txt"
    vocab_file.write_text(
        "\n".join(["<S>", "</S>", "<UNK>", *words]) + "\n", encoding="utf-8"
    )
    dump.dump_token_embeddings(vocab_file, *paths, tmp_path / "tokens.hdf5")
    cached = Elmo.from_weights(*paths, vocab_file, tmp_path / "tokens.hdf5")
    plain = Elmo.from_weights(*paths)
    for left, right in zip(
        cached.embed(sentences), plain.embed(sentences), strict=True
    ):
        np.testing.assert_allclose(left, right, atol=1e-6, rtol=1e-5)
