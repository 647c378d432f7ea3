"""Loading, checking, saving and looking up a vocabulary."""

import gzip
import os

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.text.vocabulary import Vocabulary

SPECIAL = ["<S>", "</S>", "<UNK>"]


@pytest.fixture
def write(tmp_path):
    """A function that writes a vocabulary file and returns its path."""

    def write_file(content):
        path = tmp_path / "vocabulary.txt"
        path.write_bytes(content)
        return str(path)

    return write_file


class TestVocabulary:
    def test_ids_are_places(self):
        vocabulary = Vocabulary(["</S>", "the", "<UNK>", "<S>", "é"])
        assert len(vocabulary) == 5
        assert vocabulary.tokens == ["</S>", "the", "<UNK>", "<S>", "é"]
        assert vocabulary.bos_id == 3
        assert vocabulary.eos_id == 0
        assert vocabulary.unk_id == 2
        assert [vocabulary.id(t) for t in ("the", "é", "The")] == [1, 4, 2]
        assert "é" in vocabulary and "The" not in vocabulary

    @pytest.mark.parametrize(
        "tokens, message",
        [
            ([], "vocabulary: no <S> among 0 tokens, expected the special "),
            (["<S>", "</S>"], "vocabulary: no <UNK> among 2 tokens, expected"),
            (["<S>", ""], "vocabulary token 1: empty, expected a token"),
            (
                ["<S>", "a", "a"],
                "vocabulary token 2: token 'a' is already at vocabulary token "
                "1, expected distinct tokens",
            ),
            (
                ["a b"],
                "vocabulary token 0: found 'a b', expected one token without "
                "whitespace",
            ),
            (["a\n"], r"vocabulary token 0: found 'a\n', expected one token"),
            (["\xa0a"], r"vocabulary token 0: found '\xa0a', expected one tok"),
        ],
    )
    def test_bad_tokens(self, tokens, message):
        with pytest.raises(InputError) as info:
            Vocabulary(tokens)
        assert str(info.value).startswith(message)


class TestLoad:
    def test_saved_and_loaded(self, tmp_path):
        tokens = SPECIAL + ["the", "é", "😀", "a\u200bb", "<s>", "\ufeffx"]
        path = str(tmp_path / "vocabulary.txt")
        Vocabulary(tokens).save(path)
        with open(path, "rb") as file:
            assert file.read() == "".join(f"{t}\n" for t in tokens).encode()
        assert Vocabulary.load(path).tokens == tokens
        assert os.listdir(tmp_path) == ["vocabulary.txt"]

    @pytest.mark.parametrize(
        "content",
        [
            b"<S>\n</S>\n<UNK>\nthe",
            b"<S>\r\n</S>\r\n<UNK>\r\nthe\r\n",
            b"\xef\xbb\xbf<S>\n</S>\n<UNK>\nthe\n",
            b"<S>\n</S>\n<UNK> \n\tthe\n",
            b"<S>\n!!!MAXTERMID\n</S>\n<UNK>\nthe\n",
            gzip.compress(b"<S>\n</S>\n<UNK>\nthe\n", mtime=0),
        ],
    )
    def test_forms_of_the_file(self, write, content):
        vocabulary = Vocabulary.load(write(content))
        assert vocabulary.tokens == ["<S>", "</S>", "<UNK>", "the"]

    @pytest.mark.parametrize(
        "content, message",
        [
            (b"", ": empty file, expected one token a line"),
            (
                b"<S>\n</S>\nthe\n",
                ": no <UNK> among 3 tokens, expected the special tokens <S>, "
                "</S>, <UNK>",
            ),
            (
                b"</S>\n<UNK>\nthe\n",
                ": no <S> among 3 tokens, expected the special tokens <S>, "
                "</S>, <UNK>",
            ),
            (
                b"<S>\n<UNK>\nthe\n",
                ": no </S> among 3 tokens, expected the special tokens <S>, "
                "</S>, <UNK>",
            ),
            (b"<S>\n</S>\n\n<UNK>\n", ":3: empty, expected a token"),
            (b"<S>\n</S>\n<UNK>\n\n", ":4: empty, expected a token"),
            (b"<S>\n</S>\n<UNK>\n \xc2\xa0\n", ":4: empty, expected a token"),
            (
                b"<S>\n</S>\n<UNK>\nthe 123\n",
                ":4: found 'the 123', expected one token without whitespace",
            ),
            (
                b"<S>\n</S>\n<UNK>\nthe\t123\n",
                r":4: found 'the\t123', expected one token without whitespace",
            ),
            (
                b"<S>\n</S>\n\xe9t\xe9\n",
                ":3: byte 0xe9 at position 1 of the line is not UTF-8 (invalid "
                "continuation byte); expected UTF-8 text, plain or gzip",
            ),
        ],
    )
    def test_bad_files(self, write, content, message):
        path = write(content)
        with pytest.raises(InputError) as info:
            Vocabulary.load(path)
        assert str(info.value) == path + message

    def test_duplicate_lines(self, write):
        path = write(b"<S>\n!!!MAXTERMID\nthe\n</S>\n<UNK>\nthe\n")
        with pytest.raises(InputError) as info:
            Vocabulary.load(path)
        assert str(info.value) == (
            f"{path}:6: token 'the' is already at {path}:3, expected distinct "
            "tokens"
        )

    def test_missing_file(self, tmp_path):
        with pytest.raises(InputError) as info:
            Vocabulary.load(f"{tmp_path}/none.txt")
        assert str(info.value) == (
            f"{tmp_path}/none.txt: cannot be read: No such file or directory"
        )

    def test_folder(self, tmp_path):
        with pytest.raises(InputError) as info:
            Vocabulary.load(tmp_path)
        assert str(info.value) == (
            f"{tmp_path}: is a folder, expected a file with one token a line"
        )

    def test_golden_vocabularies(self, bilm_tf_golden):
        vocabulary = Vocabulary.load(bilm_tf_golden / "data/vocab_test.txt")
        # The ids of bilm-tf's own test of its TokenBatcher, which adds one.
        assert [
            vocabulary.id(token) + 1
            for token in ("<S>", "The", "first", ".", "</S>", "It", "said")
        ] == [2, 18, 75, 6, 1, 67, 21]
        with pytest.raises(InputError, match="no <UNK> among 448 tokens"):
            Vocabulary.load(bilm_tf_golden / "model/vocab_test.txt")


class TestSave:
    def test_replaces_the_old_file(self, tmp_path):
        path = tmp_path / "vocabulary.txt"
        path.write_bytes(b"old")
        Vocabulary(SPECIAL).save(path)
        assert path.read_bytes() == b"<S>\n</S>\n<UNK>\n"

    def test_a_failure_leaves_the_old_file(self, tmp_path, monkeypatch):
        path = tmp_path / "vocabulary.txt"
        path.write_bytes(b"old")
        monkeypatch.setattr(os, "replace", None)
        with pytest.raises(TypeError):
            Vocabulary(SPECIAL).save(path)
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["vocabulary.txt"]

    def test_no_folder(self, tmp_path):
        with pytest.raises(OSError, match="No such file"):
            Vocabulary(SPECIAL).save(tmp_path / "none" / "vocabulary.txt")


class TestLookup:
    vocabulary = Vocabulary(SPECIAL + ["the", "été"])

    @pytest.mark.parametrize("shape", [(), (0,), (6,), (2, 3), (1, 2, 3)])
    def test_any_shape(self, shape):
        tokens = np.array(["the", "été", "The", "", "</S>", "<UNK>"], object)
        ids = [3, 4, 2, 2, 1, 2]
        n = int(np.prod(shape))
        result = self.vocabulary.lookup(
            tf.constant(tokens[:n].reshape(shape), tf.string)
        )
        assert result.dtype == tf.int32
        np.testing.assert_array_equal(result, np.reshape(ids[:n], shape))

    def test_bytes_of_a_corpus_reader(self):
        tokens = np.array([["été".encode(), b"the"]], object)
        assert self.vocabulary.lookup(tokens).numpy().tolist() == [[4, 3]]

    def test_made_inside_a_function(self):
        vocabulary = Vocabulary(SPECIAL + ["the"])
        lookup = tf.function(vocabulary.lookup)
        assert lookup(tf.constant(["the", "x"])).numpy().tolist() == [3, 2]
        assert vocabulary.lookup(["<S>"]).numpy().tolist() == [0]
        assert vocabulary.lookup_table() is vocabulary.lookup_table()

    def test_in_a_dataset(self):
        vocabulary = Vocabulary(SPECIAL + ["the"])
        dataset = tf.data.Dataset.from_tensor_slices([["the", "x"], ["x", "x"]])
        dataset = dataset.map(vocabulary.lookup)
        assert [ids.tolist() for ids in dataset.as_numpy_iterator()] == [
            [3, 2],
            [2, 2],
        ]

    def test_table(self):
        table = self.vocabulary.lookup_table()
        assert table.key_dtype == tf.string and table.value_dtype == tf.int64
        assert table.size().numpy() == 5
