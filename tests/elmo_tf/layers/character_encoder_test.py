import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.character_encoder import CharacterEncoder
from tests import layer_checks
from tests.reference import bilm
from tests.reference.character_encoder import character_encoder

WORDS = ["the", "", "naïve", "<S>", "x" * 60, "aaaa", "I", "</S>"]
MASK = np.array([[1, 1, 1, 1], [1, 0, 1, 0]], bool)


def word_ids(words=WORDS, max_characters=50):
    return np.array(
        [bilm.word_character_ids(word, max_characters) for word in words],
        np.int32,
    )


def batch(max_characters=50):
    """`[2, 4, max_characters]`, the second row's last word is padding."""
    ids = word_ids(max_characters=max_characters)
    ids[-1] = 0
    return ids.reshape([2, 4, -1])


def reference(weights, inputs, mask=None):
    kernels = [
        weight for name, weight in weights.items() if name.startswith("kernel")
    ]
    parts = [
        character_encoder(
            inputs, weights["character_embedding"], kernel, bias, mask
        )
        for kernel, bias in zip(
            kernels, np.split(weights["bias"], len(kernels)), strict=True
        )
    ]
    return np.concatenate(parts, axis=-1)


def make_layer(inputs=None, **kwargs):
    inputs = batch() if inputs is None else inputs
    return layer_checks.make_layer(CharacterEncoder, kwargs, {"inputs": inputs})


class TestLayer:
    @pytest.mark.parametrize("width", [1, 3, 5])
    def test_layer(self, width, tmp_path):
        layer_checks.check_layer(
            CharacterEncoder,
            dict(embedding_dim=4, filters=6, width=width),
            {"inputs": batch()},
            {
                "character_embedding": (260, 4),
                "kernel": (width, 4, 6),
                "bias": (6,),
            },
            (2, 4, 6),
            reference=reference,
            jit_compile=False,
            folder=tmp_path,
        )

    def test_mask(self, tmp_path):
        layer_checks.check_layer(
            CharacterEncoder,
            dict(embedding_dim=4, filters=6),
            {"inputs": batch(), "mask": MASK},
            {
                "character_embedding": (260, 4),
                "kernel": (3, 4, 6),
                "bias": (6,),
            },
            (2, 4, 6),
            reference=reference,
            jit_compile=False,
            folder=tmp_path,
        )

    def test_several_widths(self, tmp_path):
        layer_checks.check_layer(
            CharacterEncoder,
            dict(embedding_dim=4, filters=3, width=(3, 1, 5)),
            {"inputs": batch(), "mask": MASK},
            {
                "character_embedding": (260, 4),
                "kernel_3": (3, 4, 3),
                "kernel_1": (1, 4, 3),
                "kernel_5": (5, 4, 3),
                "bias": (9,),
            },
            (2, 4, 9),
            reference=reference,
            jit_compile=False,
            folder=tmp_path,
        )

    def test_a_list_of_one_width_is_that_width(self):
        one, listed = make_layer(width=4), make_layer(width=[4])
        assert (
            layer_checks.weight_values(one).keys()
            == layer_checks.weight_values(listed).keys()
            == {"character_embedding", "kernel", "bias"}
        )
        np.testing.assert_array_equal(listed(batch()), one(batch()))

    def test_the_papers_sizes_are_the_default(self):
        weights = layer_checks.weight_values(make_layer())
        assert weights["character_embedding"].shape == (260, 16)
        assert weights["kernel"].shape == (3, 16, 128)

    def test_initial_values(self):
        layer = CharacterEncoder()
        layer(batch())
        weights = layer_checks.weight_values(layer)
        limit = (3 / 16) ** 0.5
        embedding = np.abs(weights["character_embedding"])
        assert 0.99 * limit < embedding.max() <= limit
        # Glorot's bound, a filter's inputs being width · dim.
        limit = (6 / (3 * 16 + 3 * 128)) ** 0.5
        assert 0.99 * limit < np.abs(weights["kernel"]).max() <= limit
        np.testing.assert_array_equal(weights["bias"], 0.0)

    def test_gradients_equal_those_of_every_window(self):
        ids = batch()
        layer = make_layer(embedding_dim=4, filters=6)
        factors = np.random.default_rng(3).normal(size=[2, 4, 6])
        variables = [weight.value for weight in layer.trainable_weights]
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(layer(ids) * factors)
        actual = [
            tf.convert_to_tensor(gradient)
            for gradient in tape.gradient(total, variables)
        ]
        with tf.GradientTape() as tape:
            embedding, kernel, bias = variables
            table = tf.pad(embedding, [[1, 1], [0, 0]])
            windows = tf.nn.conv1d(
                tf.gather(table, ids.reshape([8, 50])), kernel, 1, "VALID"
            )
            lengths = ((ids != 0) & (ids != 261)).sum(axis=-1).reshape([8, 1])
            in_word = np.arange(48) < np.maximum(lengths - 2, 1)
            # The lowest number, not −∞, so that no gradient is 0 · ∞.
            maxima = tf.reduce_max(
                tf.where(in_word[..., None], windows, -1e30), axis=1
            )
            outputs = tf.nn.relu(maxima + bias) * (lengths > 0)
            total = tf.reduce_sum(outputs * factors.reshape([8, 6]))
        expected = [
            tf.convert_to_tensor(gradient)
            for gradient in tape.gradient(total, variables)
        ]
        layer_checks.assert_close(actual, expected, 1e-5)


class TestPadding:
    """What surrounds a word never matters."""

    def test_room_for_characters(self):
        # From the shortest rows that the words fit in, and shorter than a
        # window.
        words = ["the", "", "I", "Bob"]
        layer = make_layer()
        expected = layer(word_ids(words, 5))
        for room in (6, 7, 8, 50, 70):
            np.testing.assert_allclose(
                layer(word_ids(words, room)), expected, atol=1e-6
            )
        for width in (7, (2, 7, 4)):
            layer = make_layer(width=width)
            expected = layer(word_ids(words, 5))
            for room in (6, 50):
                np.testing.assert_allclose(
                    layer(word_ids(words, room)), expected, atol=1e-6
                )

    def test_both_paddings_are_the_same(self):
        ids = word_ids()
        layer = make_layer(width=4)
        np.testing.assert_array_equal(
            layer(np.where(ids == 261, 0, ids)), layer(ids)
        )

    def test_a_word_does_not_depend_on_the_others(self):
        ids = word_ids()
        layer = make_layer()
        together = layer(ids)
        np.testing.assert_allclose(layer(ids[::-1]), together[::-1], atol=1e-6)
        for index, word in enumerate(ids):
            np.testing.assert_allclose(layer(word), together[index], atol=1e-6)

    @pytest.mark.parametrize("width", [3, (3, 4, 5)])
    def test_random_batches(self, width):
        generator = np.random.default_rng(4)
        layer = make_layer(embedding_dim=3, filters=5, width=width)
        weights = layer_checks.weight_values(layer)
        for _ in range(20):
            room = generator.integers(1, 9)
            ids = generator.integers(1, 261, size=[3, 4, room])
            lengths = generator.integers(0, room + 1, size=[3, 4, 1])
            ids[np.arange(room) >= lengths] = generator.choice([0, 261])
            mask = generator.random([3, 4]) < 0.7
            outputs = layer(ids, mask=mask).numpy()
            np.testing.assert_allclose(
                outputs, reference(weights, ids, mask), atol=1e-5
            )
            np.testing.assert_array_equal(outputs[~mask], 0.0)
            np.testing.assert_array_equal(outputs[lengths[..., 0] == 0], 0.0)

    def test_nothing_under_the_mask_matters(self):
        layer = make_layer()
        ids = batch()
        other = ids.copy()
        other[1, 1] = ids[0, 2]
        other[1, 3] = ids[0, 0]
        np.testing.assert_array_equal(
            layer(other, mask=MASK), layer(ids, mask=MASK)
        )

    def test_all_padding(self):
        layer = make_layer()
        ids = np.zeros([2, 3, 50], np.int32)
        np.testing.assert_array_equal(layer(ids), np.zeros([2, 3, 128]))
        assert layer(ids[:0]).shape == (0, 3, 128)
        assert layer(ids[:, :0]).shape == (2, 0, 128)


def test_bfloat16_does_not_round_the_ids():
    # 257 and 258 are the same number in bfloat16.
    layer = CharacterEncoder(dtype="mixed_bfloat16")
    outputs = layer(word_ids(["<S>", "</S>"]))
    assert not np.array_equal(outputs[0], outputs[1])


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint16"])
def test_types_of_ids(dtype):
    layer = make_layer()
    np.testing.assert_array_equal(layer(batch().astype(dtype)), layer(batch()))


@pytest.mark.parametrize("name", ["embedding_dim", "filters", "width"])
def test_size_error(name):
    with pytest.raises(
        ValueError, match=f"`{name}` should be positive. Received: {name}=0"
    ):
        CharacterEncoder(**{name: 0})


@pytest.mark.parametrize("width", [[], [3, 4, 3]])
def test_width_error(width):
    with pytest.raises(
        ValueError, match="`width` should be a number or different numbers. Re"
    ):
        CharacterEncoder(width=width)


def test_no_width_of_several_may_be_zero():
    with pytest.raises(
        ValueError, match="`width` should be positive. Received: width=0"
    ):
        CharacterEncoder(width=(3, 0))
