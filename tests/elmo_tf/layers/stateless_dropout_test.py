import numpy as np
import tensorflow as tf

from elmo_tf.layers.stateless_dropout import stateless_dropout

ONES = np.ones((100, 100), np.float32)


def test_share_and_scale():
    outputs = stateless_dropout(ONES, 0.3, (1, 2)).numpy()
    kept = outputs != 0
    assert abs(kept.mean() - 0.7) < 0.02
    np.testing.assert_allclose(outputs[kept], 1 / 0.7, rtol=1e-6)


def test_mask_is_a_function_of_the_seed():
    outputs = stateless_dropout(ONES, 0.3, (1, 2))
    np.testing.assert_array_equal(
        tf.function(stateless_dropout)(ONES, 0.3, tf.constant([1, 2])), outputs
    )
    assert not np.array_equal(stateless_dropout(ONES, 0.3, (1, 3)), outputs)


def test_shape_of_the_mask():
    outputs = stateless_dropout(ONES, 0.3, (1, 2), noise_shape=[100, 1])
    np.testing.assert_array_equal(
        outputs, outputs[:, :1].numpy().repeat(100, axis=1)
    )


def test_rate_zero():
    assert stateless_dropout(ONES, 0.0, None) is ONES
