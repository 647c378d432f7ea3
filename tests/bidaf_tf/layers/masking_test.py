import numpy as np
import tensorflow as tf

from bidaf_tf.layers import masking


def test_softmax_over_what_the_mask_keeps():
    scores = np.array([[1.0, 5.0, 2.0], [0.0, 0.0, 7.0]], np.float32)
    mask = np.array([[True, False, True], [True, True, False]])
    e = np.e
    np.testing.assert_allclose(
        masking.masked_softmax(scores, mask),
        [[1 / (1 + e), 0, e / (1 + e)], [0.5, 0.5, 0]],
        rtol=1e-6,
    )


def test_nothing_to_share():
    scores = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    mask = np.array([[False, False], [True, False]])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        shares = masking.masked_softmax(scores, mask)
    np.testing.assert_array_equal(shares, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(tape.gradient(shares, scores), 0)


def test_large_and_low_precision_scores():
    scores = tf.constant([[-3e38, 3e38, 3e38]], tf.bfloat16)
    shares = masking.masked_softmax(scores, np.array([True, True, False]))
    assert shares.dtype == tf.float32
    np.testing.assert_array_equal(shares, [[0, 1, 0]])


def test_padding_is_zeroed():
    inputs = np.full((2, 3, 1), np.nan, np.float32)
    numbers = [[1, 0, 0], [1, 0, 1]]
    inputs[np.array(numbers) == 1] = 5.0
    outputs, mask = masking.without_padding(inputs, np.array(numbers))
    assert mask.dtype == tf.bool
    np.testing.assert_array_equal(mask, numbers)
    np.testing.assert_array_equal(outputs[:, :, 0], 5.0 * np.array(numbers))


def test_without_a_mask_all_is_real():
    inputs = np.ones((2, 3, 1), np.float32)
    outputs, mask = masking.without_padding(inputs)
    np.testing.assert_array_equal(outputs, inputs)
    np.testing.assert_array_equal(mask, np.ones((2, 3), bool))
