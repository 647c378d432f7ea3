import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.token_batch import call_bilm
from elmo_tf.token_batch import pad_tokens
from elmo_tf.weights import load_bilm
from tests.reference import bilm as reference

SENTENCES = [["the", "naïve", ""], [], ["<S>"]]


class TestPadTokens:
    def test_str_and_bytes(self):
        expected = [
            [b"the", "naïve".encode(), b""],
            [b""] * 3,
            [b"<S>"] + [b""] * 2,
        ]
        as_bytes = [[word.encode() for word in words] for words in SENTENCES]
        for sentences in (SENTENCES, as_bytes):
            batch = pad_tokens(sentences)
            assert batch["tokens"].numpy().tolist() == expected
            assert batch["sequence_len"].numpy().tolist() == [3, 0, 1]
            assert batch["sequence_len"].dtype == tf.int32

    def test_what_has_no_utf8(self):
        batch = pad_tokens([["a\ud800b", "\udfff", "\0a\0"]])
        assert batch["tokens"].numpy().tolist() == [[b"ab", b"", b"\0a\0"]]

    def test_empty_sentences_only(self):
        batch = pad_tokens([[], []])
        assert batch["tokens"].shape == (2, 0)
        assert batch["tokens"].dtype == tf.string


class TestCallBiLM:
    def test_reference(self, official_files):
        outputs = call_bilm(
            load_bilm(*official_files.paths), **pad_tokens(SENTENCES)
        )
        expected = reference.bilm(
            reference.sentences_character_ids(SENTENCES),
            official_files.options,
            official_files.weights,
        )
        np.testing.assert_allclose(
            outputs["layers"], expected["layers"], atol=1e-5, rtol=1e-5
        )
        np.testing.assert_array_equal(outputs["mask"], expected["mask"])

    def test_lengths_of_other_sentences(self, official_files):
        bilm = load_bilm(*official_files.paths)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="a length for each sentence"
        ):
            call_bilm(bilm, tf.constant([["a"]]), tf.constant([1, 1]))
