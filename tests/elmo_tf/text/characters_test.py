"""Character ids against bilm-tf's facts and a byte-by-byte reference."""

import random
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.text import characters


def reference_ids(token, max_characters=50):
    """The ids of one token, written from bilm-tf's convention."""
    if token == b"<S>":
        body = [257]
    elif token == b"</S>":
        body = [258]
    else:
        body = [byte + 1 for byte in token[: max_characters - 2]]
    ids = [259] + body + [260]
    return ids + [261] * (max_characters - len(ids))


def random_tokens(n, seed=0):
    """Tokens of all lengths and of characters of one to four bytes."""
    generator = random.Random(seed)
    alphabets = [
        [chr(c) for c in range(128)],
        [chr(c) for c in range(0x80, 0x800)],
        [chr(c) for c in range(0x800, 0xD800)],
        [chr(c) for c in range(0x1F300, 0x1F700)],
    ]
    tokens = []
    for _ in range(n):
        alphabet = generator.choice(alphabets + [sum(alphabets, [])])
        token = "".join(generator.choices(alphabet, k=generator.randint(0, 60)))
        tokens.append(token.encode("utf-8"))
    return tokens


class TestCharacterIds:
    def test_known_rows(self):
        # Conventions of bilm-tf, raw ids plus one.
        ids = characters.character_ids(["<S>", "</S>", "th", ""]).numpy()
        assert ids.dtype == np.int32
        assert ids[0].tolist() == [259, 257, 260] + [261] * 47
        assert ids[1].tolist() == [259, 258, 260] + [261] * 47
        assert ids[2].tolist() == [259, 117, 105, 260] + [261] * 46
        assert ids[3].tolist() == [259, 260] + [261] * 48

    def test_short_rows_of_bilm_tf(self):
        ids = characters.character_ids(["th", "unknown"], max_characters=5)
        # Raw [258, 116, 104, 259, 260] and the first three bytes of "unknown".
        assert ids.numpy().tolist() == [
            [259, 117, 105, 260, 261],
            [259, 118, 111, 108, 260],
        ]

    def test_unknown_is_spelled_out(self):
        ids = characters.character_ids(["<UNK>"]).numpy()[0]
        assert ids[:7].tolist() == [259] + [b + 1 for b in b"<UNK>"] + [260]

    @pytest.mark.parametrize("n", [46, 47, 48, 49, 50, 60, 1000])
    def test_long_tokens_keep_48_bytes(self, n):
        ids = characters.character_ids(["a" * n]).numpy()[0].tolist()
        kept = min(n, 48)
        assert ids == [259] + [98] * kept + [260] + [261] * (48 - kept)

    def test_a_multi_byte_character_may_be_cut_in_half(self):
        # 47 bytes, then a character of two: only its first byte is kept.
        ids = characters.character_ids(["a" * 47 + "é"]).numpy()[0].tolist()
        assert ids == [259] + [98] * 47 + [0xC3 + 1] + [260]

    def test_nul_bytes_belong_to_the_word(self):
        ids = characters.character_ids([b"a\0b", b"\0", b"a\0"]).numpy()
        assert ids[0, :5].tolist() == [259, 98, 1, 99, 260]
        assert ids[1, :4].tolist() == [259, 1, 260, 261]
        assert ids[2, :5].tolist() == [259, 98, 1, 260, 261]

    def test_all_bytes(self):
        tokens = [bytes([b]) for b in range(256)]
        ids = characters.character_ids(tokens).numpy()
        np.testing.assert_array_equal(ids[:, 1], np.arange(1, 257))

    @pytest.mark.parametrize("max_characters", [3, 5, 50, 64])
    def test_equals_the_reference_on_random_unicode(self, max_characters):
        tokens = random_tokens(2000) + [b"<S>", b"</S>", b"<s>", b"<S> ", b""]
        ids = characters.character_ids(tokens, max_characters)
        expected = [reference_ids(t, max_characters) for t in tokens]
        np.testing.assert_array_equal(ids, expected)

    @pytest.mark.parametrize("shape", [(), (0,), (6,), (2, 3), (1, 2, 3)])
    def test_any_shape(self, shape):
        words = np.array([b"a", b"bc", b"", b"<S>", b"\xc3\xa9", b"x" * 70])
        n = int(np.prod(shape))
        tokens = words.astype(object)[:n].reshape(shape)
        ids = characters.character_ids(tf.constant(tokens, tf.string))
        assert ids.shape == shape + (50,)
        np.testing.assert_array_equal(
            tf.reshape(ids, [-1, 50]),
            np.reshape([reference_ids(w) for w in words[:n]], (-1, 50)),
        )

    def test_in_a_function_of_unknown_shape(self):
        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.string)])
        def encode(tokens):
            ids = characters.character_ids(tokens)
            assert ids.shape.as_list() == [None, None, 50]
            return ids

        tokens = [[b"a", b"</S>"], [b"", b"b\xc3\xa9"]]
        np.testing.assert_array_equal(
            encode(tf.constant(tokens)),
            [[reference_ids(t) for t in row] for row in tokens],
        )

    def test_in_a_function_of_unknown_rank(self):
        encode = tf.function(
            characters.character_ids,
            input_signature=[tf.TensorSpec(None, tf.string)],
        )
        np.testing.assert_array_equal(
            encode(tf.constant([[["ab"]]])), [[[reference_ids(b"ab")]]]
        )

    def test_in_a_dataset(self):
        tokens = [b"a", b"<S>", b"caf\xc3\xa9", b""]
        dataset = tf.data.Dataset.from_tensor_slices(tokens)
        dataset = dataset.batch(2).map(characters.character_ids)
        ids = np.concatenate(list(dataset.as_numpy_iterator()))
        np.testing.assert_array_equal(ids, [reference_ids(t) for t in tokens])

    def test_too_few_characters(self):
        with pytest.raises(ValueError, match="at least 3 .* Received: 2"):
            characters.character_ids(["a"], max_characters=2)


class TestAddSentenceBoundaries:
    def test_boundaries_stand_beside_the_real_tokens(self):
        tokens, sequence_len = characters.add_sentence_boundaries(
            [["a", "b"], ["c", "junk"], ["junk", "junk"]], [2, 1, 0]
        )
        assert tokens.numpy().tolist() == [
            [b"<S>", b"a", b"b", b"</S>"],
            [b"<S>", b"c", b"</S>", b""],
            [b"<S>", b"</S>", b"", b""],
        ]
        assert sequence_len.dtype == tf.int32
        assert sequence_len.numpy().tolist() == [3 + 1, 3, 2]

    @pytest.mark.parametrize("batch, time", [(0, 0), (0, 3), (2, 0)])
    def test_nothing_to_frame(self, batch, time):
        tokens, sequence_len = characters.add_sentence_boundaries(
            tf.zeros([batch, time], tf.string), tf.zeros([batch], tf.int64)
        )
        assert tokens.shape == (batch, time + 2)
        assert sequence_len.numpy().tolist() == [2] * batch
        if not time:
            assert tokens.numpy().tolist() == [[b"<S>", b"</S>"]] * batch

    @pytest.mark.parametrize(
        "length, message",
        [(3, "`sequence_len` should not exceed"), (-1, "not be negative")],
    )
    @pytest.mark.parametrize("in_graph", [False, True])
    def test_impossible_lengths(self, length, message, in_graph):
        add = characters.add_sentence_boundaries
        if in_graph:
            add = tf.function(
                add,
                input_signature=[
                    tf.TensorSpec([None, None], tf.string),
                    tf.TensorSpec([None], tf.int32),
                ],
            )
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            add(tf.constant([["a", "b"]]), tf.constant([length]))


class TestUniqueCharacterIds:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("max_characters", [5, 50])
    def test_gathering_gives_the_masked_ids(self, seed, max_characters):
        generator = np.random.default_rng(seed)
        words = np.array(random_tokens(8, seed) + [b"", b"<S>"], object)
        tokens = tf.constant(generator.choice(words, (4, 7)))
        mask = generator.random((4, 7)) < 0.7
        ids, word_index = characters.unique_character_ids(
            tokens, mask, max_characters
        )
        assert ids.dtype == tf.int32 and word_index.dtype == tf.int32
        direct = characters.character_ids(tokens, max_characters)
        np.testing.assert_array_equal(
            tf.gather(ids, word_index), direct * mask[..., np.newaxis]
        )
        assert not np.any(ids[0])
        # Each row but the first stands for one unmasked token.
        n_distinct = len(set(tokens.numpy()[mask]))
        assert ids.shape == (n_distinct + 1, max_characters)

    def test_everything_masked(self):
        ids, word_index = characters.unique_character_ids(
            [["a", "b"]], [[False, False]]
        )
        np.testing.assert_array_equal(ids, np.zeros((1, 50)))
        np.testing.assert_array_equal(word_index, [[0, 0]])

    def test_nothing_at_all(self):
        ids, word_index = characters.unique_character_ids(
            tf.zeros([3, 0], tf.string), tf.zeros([3, 0], tf.bool)
        )
        assert ids.shape == (1, 50) and word_index.shape == (3, 0)

    def test_in_a_function_of_unknown_shape(self):
        encode = tf.function(
            characters.unique_character_ids,
            input_signature=[
                tf.TensorSpec([None, None], tf.string),
                tf.TensorSpec([None, None], tf.bool),
            ],
        )
        ids, word_index = encode(
            tf.constant([["b", "a", "b"]]), tf.constant([[True, True, True]])
        )
        np.testing.assert_array_equal(word_index, [[1, 2, 1]])
        np.testing.assert_array_equal(ids[2], reference_ids(b"a"))


def test_saved_model_runs_in_a_bare_tensorflow(tmp_path):
    """The saved graph needs neither this package nor tensorflow_text."""

    class Encoder(tf.Module):
        @tf.function(
            input_signature=[
                tf.TensorSpec([None, None], tf.string),
                tf.TensorSpec([None], tf.int32),
            ]
        )
        def __call__(self, tokens, sequence_len):
            tokens, sequence_len = characters.add_sentence_boundaries(
                tokens, sequence_len
            )
            mask = tf.sequence_mask(sequence_len, tf.shape(tokens)[1])
            ids, index = characters.unique_character_ids(tokens, mask)
            return tf.gather(ids, index)

    tf.saved_model.save(Encoder(), str(tmp_path / "encoder"))
    script = (
        "import sys, tensorflow as tf\n"
        "encoder = tf.saved_model.load('encoder')\n"
        "ids = encoder(tf.constant([['th', '']]), tf.constant([1]))\n"
        "assert not {'tensorflow_text', 'elmo_tf'} & set(sys.modules)\n"
        "print(ids.numpy()[0, :, :4].tolist())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines()[-1] == str(
        [
            [259, 257, 260, 261],
            [259, 117, 105, 260],
            [259, 258, 260, 261],
            [0, 0, 0, 0],
        ]
    )
