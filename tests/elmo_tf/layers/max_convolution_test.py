import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.max_convolution import max_convolution
from tests import layer_checks
from tests.reference import bilm

WORDS = ["the", "", "naïve", "<S>", "a" * 45, "x" * 60, "of", "aaaa"]
FILTERS = [(1, 3), (3, 5), (7, 4)]
DIM = 4


def ids_of(words, max_characters=50):
    rows = [bilm.word_character_ids(word, max_characters) for word in words]
    # A masked word.
    return tf.constant(rows + [[0] * max_characters], tf.int32)


def weights(filters=FILTERS, dtype=tf.float32):
    generator = np.random.default_rng(0)
    table = generator.normal(size=[262, DIM])
    table[0] = 0.0
    kernels = [
        generator.normal(size=[width, DIM, count]) for width, count in filters
    ]
    return tf.cast(table, dtype), [tf.cast(k, dtype) for k in kernels]


def plain(character_ids, table, kernels):
    """What the function shall equal, in TensorFlow's own operations."""
    widest = max(kernel.shape[0] for kernel in kernels)
    missing = max(0, widest - character_ids.shape[-1])
    embedded = tf.gather(table, tf.pad(character_ids, [[0, 0], [0, missing]]))
    return tf.concat(
        [
            tf.reduce_max(
                tf.nn.conv1d(embedded, kernel, stride=1, padding="VALID"), 1
            )
            for kernel in kernels
        ],
        axis=-1,
    )


def with_gradients(function, character_ids, table, kernels):
    with tf.GradientTape() as tape:
        tape.watch([table, *kernels])
        maxima = function(character_ids, table, kernels)
        factors = np.random.default_rng(1).normal(size=maxima.shape)
        total = tf.reduce_sum(tf.cast(maxima, tf.float32) * factors)
    gradients = tape.gradient(total, [table, *kernels])
    return [maxima, *[tf.convert_to_tensor(value) for value in gradients]]


def in_training(character_ids, table, kernels):
    return max_convolution(character_ids, table, kernels, training=True)


FUNCTIONS = [max_convolution, in_training]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(
    "words, max_characters, filters",
    [
        (WORDS, 50, FILTERS),
        # Nobody is padded to the end: the last windows are not all valid.
        (["x" * 60], 50, FILTERS),
        (["", "I", "Ed", "Bob"], 4, [(1, 2), (7, 4)]),
        (["", "I", "Ed", "Bob"], 7, [(7, 4)]),
        (["Bob"], 5, [(1, 2)]),
        ([], 50, FILTERS),
    ],
)
def test_equal_to_every_position(
    words, max_characters, filters, graph, function
):
    table, kernels = weights(filters)
    if graph:
        function = tf.function(function)
    arguments = ids_of(words, max_characters), table, kernels
    layer_checks.assert_close(
        with_gradients(function, *arguments),
        with_gradients(plain, *arguments),
        1e-5,
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_equal_for_random_ids(function):
    table, kernels = weights()
    ids = np.random.default_rng(2).integers(0, 262, size=[40, 12])
    # Runs at the end, of all lengths.
    for row, end in zip(ids, range(0, 40), strict=True):
        row[12 - end % 13 :] = end
    arguments = tf.constant(ids, tf.int32), table, kernels
    layer_checks.assert_close(
        with_gradients(function, *arguments),
        with_gradients(plain, *arguments),
        1e-5,
    )


def test_bfloat16_is_near():
    table, kernels = weights()
    low_table, low_kernels = weights(dtype=tf.bfloat16)
    maxima = max_convolution(ids_of(WORDS), low_table, low_kernels)
    assert maxima.dtype == tf.bfloat16
    expected = plain(ids_of(WORDS), table, kernels)
    np.testing.assert_allclose(
        tf.cast(maxima, tf.float32), expected, rtol=0.02, atol=0.1
    )


def test_one_of_several_equal_maxima_gets_the_gradient():
    # Wherever a character stands, the filter of width 1 sees the same.
    table = tf.constant([[0.0], [1.0], [1.0], [-1.0]])
    kernel = tf.ones([1, 1, 1])
    with tf.GradientTape() as tape:
        tape.watch(table)
        maxima = max_convolution(
            tf.constant([[3, 2, 1, 3]]), table, [kernel], training=True
        )
    np.testing.assert_array_equal(
        tape.gradient(maxima, table), [[0.0], [0.0], [1.0], [0.0]]
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_words(function):
    table, kernels = weights()
    ids = tf.zeros([0, 50], tf.int32)
    maxima, *gradients = with_gradients(function, ids, table, kernels)
    assert maxima.shape == (0, 12)
    for gradient in gradients:
        np.testing.assert_array_equal(gradient, 0.0)
