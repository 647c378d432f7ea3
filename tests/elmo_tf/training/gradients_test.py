import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.training.gradients import clip_by_global_norm
from elmo_tf.training.gradients import reduce_gradients
from elmo_tf.training.gradients import sum_duplicate_rows
from tests import replicas
from tests.reference import adagrad as reference

SHAPE = (5, 2)


def slices(rows, values):
    return tf.IndexedSlices(
        tf.constant(values, tf.float32),
        tf.constant(rows, tf.int64),
        tf.constant(SHAPE, tf.int64),
    )


def dense(gradient):
    return np.asarray(tf.convert_to_tensor(gradient))


@pytest.mark.parametrize(
    "rows", [[], [3], [3, 0, 1], [2, 2, 2, 2], [4, 0, 4, 1, 0, 4]]
)
def test_sum_duplicate_rows(rows):
    values = np.arange(2.0 * len(rows)).reshape(len(rows), 2) + 1
    summed = sum_duplicate_rows(slices(rows, values))
    found = summed.indices.numpy().tolist()
    assert sorted(found) == sorted(set(rows))
    assert summed.dense_shape.numpy().tolist() == list(SHAPE)
    expected = np.zeros(SHAPE)
    np.add.at(expected, np.array(rows, int), values)
    np.testing.assert_array_equal(dense(summed), expected)


def test_one_replica_sums_its_own_duplicates():
    matrix = tf.ones([2, 2])
    summed, same = reduce_gradients(
        [slices([1, 1, 3], np.ones((3, 2))), matrix]
    )
    assert summed.indices.numpy().tolist() == [1, 3]
    np.testing.assert_array_equal(summed.values, [[2, 2], [1, 1]])
    np.testing.assert_array_equal(same, matrix)


@pytest.mark.parametrize("lengths", [(4, 4), (3, 6), (9, 1)])
def test_sum_over_replicas(lengths):
    strategy = replicas.two_replica_strategy()
    generator = np.random.default_rng(0)
    rows = [generator.integers(0, 5, n) for n in lengths]
    values = [generator.normal(size=(n, 2)).astype(np.float32) for n in lengths]

    @tf.function
    def run(rows, values, matrices):
        def step(rows, values, matrix):
            gradient = tf.IndexedSlices(
                values, rows, tf.constant(SHAPE, tf.int64)
            )
            summed, matrix = reduce_gradients([gradient, matrix])
            return summed.indices, summed.values, matrix

        return strategy.run(step, args=(rows, values, matrices))

    results = run(
        replicas.distribute(rows),
        replicas.distribute(values),
        replicas.distribute(np.float32([[1, 2], [10, 20]])),
    )
    expected = np.zeros(SHAPE)
    np.add.at(expected, np.concatenate(rows), np.concatenate(values))
    results = [strategy.experimental_local_results(part) for part in results]
    for row, value, matrix in zip(*results, strict=True):
        assert len(set(row.numpy().tolist())) == len(row)
        np.testing.assert_allclose(
            dense(slices(row, value)), expected, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_array_equal(matrix, [11, 22])


def test_clip_counts_each_row_after_summing():
    """Rows that cancel out are not in the norm."""
    cancelling = slices([1, 2, 1], [[30.0, 0], [3.0, 0], [-30.0, 0]])
    gradients = [sum_duplicate_rows(cancelling), tf.constant([4.0])]
    clipped, norms = clip_by_global_norm(gradients, 1.0)
    np.testing.assert_allclose(norms, [3.0, 4.0])
    np.testing.assert_allclose(dense(clipped[0])[2], [0.6, 0], rtol=1e-6)
    np.testing.assert_allclose(clipped[1], [0.8], rtol=1e-6)
    assert isinstance(clipped[0], tf.IndexedSlices)


@pytest.mark.parametrize("clip_norm", [0.5, 5.0, 500.0])
def test_clip_like_the_reference(clip_norm):
    generator = np.random.default_rng(1)
    arrays = [
        generator.normal(size=shape).astype(np.float32)
        for shape in ((3, 4), (7,), SHAPE)
    ]
    rows = [3, 0, 4, 1, 2]
    gradients = [
        tf.constant(arrays[0]),
        tf.constant(arrays[1]),
        slices(rows, arrays[2][rows]),
    ]
    clipped, norms = clip_by_global_norm(gradients, clip_norm)
    np.testing.assert_allclose(
        norms, [np.linalg.norm(array) for array in arrays], rtol=1e-6
    )
    for actual, expected in zip(
        clipped, reference.clip_by_global_norm(arrays, clip_norm), strict=True
    ):
        np.testing.assert_allclose(dense(actual), expected, rtol=1e-5)


def test_no_clip():
    gradients = [tf.constant([1e6, 0.0]), slices([1], [[1e6, 1.0]])]
    clipped, norms = clip_by_global_norm(gradients, None)
    assert clipped is gradients
    np.testing.assert_allclose(norms, [1e6, 1e6])


def test_zero_gradients():
    clipped, norms = clip_by_global_norm([tf.zeros([3])], 10.0)
    np.testing.assert_array_equal(clipped[0], np.zeros(3))
    np.testing.assert_array_equal(norms, [0.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    gradients = [tf.constant([1.0]), slices([1], [[bad, 1.0]])]
    clipped, norms = clip_by_global_norm(gradients, 10.0)
    assert np.isfinite(norms).tolist() == [True, False]
    assert np.isnan(clipped[0]).all()
    assert np.isnan(clipped[1].values).all()


def test_norms_are_float32_of_low_precision_gradients():
    gradient = tf.cast(tf.fill([1000], 0.1), tf.bfloat16)
    _, norms = clip_by_global_norm([gradient], None)
    assert norms.dtype == tf.float32
    np.testing.assert_allclose(norms, [0.1 * 1000**0.5], rtol=0.005)
