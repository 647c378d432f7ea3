import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.character_cnn import CharacterCNN
from tests import layer_checks
from tests.reference import bilm

WORDS = ["the", "", "naïve", "<S>", "x" * 60, "</S>"]


def word_ids(words=WORDS, max_characters=50):
    return np.array(
        [bilm.word_character_ids(word, max_characters) for word in words],
        np.int32,
    )


def reference_of(
    filters, activation="relu", n_highway=0, projection_dim=None, **_
):
    """The reference as a function of the layer's weights and its input."""
    names = {"character_embedding": "char_embed"}
    for i in range(len(filters)):
        names[f"kernel_{i}"] = f"CNN/W_cnn_{i}"
        names[f"bias_{i}"] = f"CNN/b_cnn_{i}"
    for i in range(n_highway):
        for part in ("carry", "transform"):
            names[f"highway_{i}/{part}_kernel"] = f"CNN_high_{i}/W_{part}"
            names[f"highway_{i}/{part}_bias"] = f"CNN_high_{i}/b_{part}"
    names["projection_kernel"] = "CNN_proj/W_proj"
    names["projection_bias"] = "CNN_proj/b_proj"
    options = {
        "lstm": {
            "projection_dim": projection_dim or sum(n for _, n in filters)
        },
        "char_cnn": {
            "filters": filters,
            "activation": activation,
            "n_highway": n_highway,
        },
    }

    def reference(weights, inputs):
        official = {names[name]: value for name, value in weights.items()}
        for i in range(len(filters)):
            official[f"CNN/W_cnn_{i}"] = official[f"CNN/W_cnn_{i}"][None]
        return bilm.character_cnn(inputs, options, official)

    return reference


def check(init_kwargs, inputs, weight_shapes, output_shape, folder, **kwargs):
    layer_checks.check_layer(
        CharacterCNN,
        init_kwargs,
        {"inputs": inputs},
        weight_shapes,
        output_shape,
        reference=reference_of(**init_kwargs),
        jit_compile=False,
        folder=folder,
        **kwargs,
    )


class TestLayer:
    def test_all_parts(self, tmp_path):
        ids = word_ids().reshape([2, 3, 50])
        # A masked token.
        ids[1, 2] = 0
        check(
            dict(
                filters=[[1, 4], [2, 3], [3, 5], [7, 2]],
                activation="relu",
                embedding_dim=4,
                n_highway=2,
                projection_dim=6,
            ),
            ids,
            {
                "character_embedding": (261, 4),
                "kernel_0": (1, 4, 4),
                "bias_0": (4,),
                "kernel_1": (2, 4, 3),
                "bias_1": (3,),
                "kernel_2": (3, 4, 5),
                "bias_2": (5,),
                "kernel_3": (7, 4, 2),
                "bias_3": (2,),
                "highway_0/carry_kernel": (14, 14),
                "highway_0/carry_bias": (14,),
                "highway_0/transform_kernel": (14, 14),
                "highway_0/transform_bias": (14,),
                "highway_1/carry_kernel": (14, 14),
                "highway_1/carry_bias": (14,),
                "highway_1/transform_kernel": (14, 14),
                "highway_1/transform_bias": (14,),
                "projection_kernel": (14, 6),
                "projection_bias": (6,),
            },
            (2, 3, 6),
            tmp_path,
        )

    def test_tanh_without_highway_and_projection(self, tmp_path):
        check(
            dict(filters=[[2, 3], [3, 4]], activation="tanh", embedding_dim=5),
            word_ids(),
            {
                "character_embedding": (261, 5),
                "kernel_0": (2, 5, 3),
                "bias_0": (3,),
                "kernel_1": (3, 5, 4),
                "bias_1": (4,),
            },
            (6, 7),
            tmp_path,
            dynamic_time=False,
        )

    def test_no_projection_to_the_number_of_filters(self, tmp_path):
        check(
            dict(
                filters=[[2, 3], [1, 5]],
                embedding_dim=2,
                n_highway=1,
                projection_dim=8,
            ),
            word_ids().reshape([1, 2, 3, 50]),
            {
                "character_embedding": (261, 2),
                "kernel_0": (2, 2, 3),
                "bias_0": (3,),
                "kernel_1": (1, 2, 5),
                "bias_1": (5,),
                "highway_0/carry_kernel": (8, 8),
                "highway_0/carry_bias": (8,),
                "highway_0/transform_kernel": (8, 8),
                "highway_0/transform_bias": (8,),
            },
            (1, 2, 3, 8),
            tmp_path,
        )

    @pytest.mark.parametrize("activation", ["relu", "tanh"])
    def test_words_shorter_than_the_widest_filter(self, tmp_path, activation):
        check(
            dict(
                filters=[[1, 2], [7, 4]],
                embedding_dim=3,
                activation=activation,
                projection_dim=2,
            ),
            word_ids(["", "a", "Ed", "Bob"], max_characters=4),
            {
                "character_embedding": (261, 3),
                "kernel_0": (1, 3, 2),
                "bias_0": (2,),
                "kernel_1": (7, 3, 4),
                "bias_1": (4,),
                "projection_kernel": (6, 2),
                "projection_bias": (2,),
            },
            (4, 2),
            tmp_path,
            dynamic_time=False,
        )


def test_a_word_does_not_depend_on_its_place():
    layer = layer_checks.make_layer(
        CharacterCNN,
        dict(filters=[[2, 8], [3, 8]], embedding_dim=4, n_highway=1),
        {"inputs": word_ids()},
    )
    ids = word_ids()
    together = layer(ids)
    for i, row in enumerate(ids):
        np.testing.assert_allclose(layer(row), together[i], atol=1e-6)
    np.testing.assert_allclose(layer(ids[::-1]), together[::-1], atol=1e-6)


def test_no_words():
    layer = CharacterCNN(filters=[[1, 2], [3, 4]], projection_dim=5)
    assert layer(np.zeros([0, 50], np.int32)).shape == (0, 5)
    assert layer(np.zeros([2, 0, 50], np.int32)).shape == (2, 0, 5)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint16"])
def test_types_of_ids(dtype):
    layer = CharacterCNN(filters=[[1, 2], [3, 4]])
    expected = layer(word_ids())
    np.testing.assert_array_equal(layer(word_ids().astype(dtype)), expected)


def test_bfloat16_does_not_round_the_ids():
    # 257 and 258 are the same number in bfloat16.
    layer = CharacterCNN(filters=[[1, 8]], dtype="mixed_bfloat16")
    outputs = layer(word_ids(["<S>", "</S>"]))
    assert not np.array_equal(outputs[0], outputs[1])


def test_characters_beyond_the_ids_have_no_embedding():
    layer = CharacterCNN(filters=[[1, 2]], embedding_dim=3, n_characters=11)
    layer(np.array([[1, 10]]))
    assert layer.character_embedding.shape == (10, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="11"):
        layer(np.array([[1, 11]]))


class TestInitialValues:
    def weights(self, activation):
        layer = CharacterCNN(
            filters=[[1, 100], [4, 100]],
            activation=activation,
            n_highway=1,
            projection_dim=100,
        )
        layer(word_ids())
        return layer_checks.weight_values(layer)

    def test_relu(self):
        weights = self.weights("relu")
        embedding = weights["character_embedding"]
        assert -1 <= embedding.min() < -0.95 and 0.95 < embedding.max() <= 1
        for i in (0, 1):
            kernel = weights[f"kernel_{i}"]
            assert -0.05 <= kernel.min() < -0.047
            assert 0.047 < kernel.max() <= 0.05
            np.testing.assert_array_equal(weights[f"bias_{i}"], 0.0)
        np.testing.assert_array_equal(weights["highway_0/carry_bias"], -2.0)
        np.testing.assert_allclose(
            weights["projection_kernel"].std(), 200**-0.5, rtol=0.05
        )
        np.testing.assert_array_equal(weights["projection_bias"], 0.0)

    def test_tanh(self):
        weights = self.weights("tanh")
        for i, width in enumerate([1, 4]):
            np.testing.assert_allclose(
                weights[f"kernel_{i}"].std(), (width * 16) ** -0.5, rtol=0.1
            )


class TestErrors:
    def test_activation(self):
        with pytest.raises(
            ValueError,
            match="`activation` should be 'relu' or 'tanh'. Received: "
            "activation='gelu'",
        ):
            CharacterCNN(filters=[[1, 2]], activation="gelu")

    @pytest.mark.parametrize("filters", [[], [[1]], [[1, 2, 3]]])
    def test_filters(self, filters):
        with pytest.raises(
            ValueError,
            match="`filters` should be pairs of a width and a number of "
            "filters. Received: filters=",
        ):
            CharacterCNN(filters=filters)
