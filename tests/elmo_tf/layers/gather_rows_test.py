import numpy as np
import tensorflow as tf

from elmo_tf.layers.gather_rows import gather_rows
from tests import replicas

ROWS = [[4, 0], [4, 2]]


def make_table():
    return tf.Variable(
        np.arange(15, dtype=np.float32).reshape(5, 3), name="table"
    )


def read_and_differentiate(table):
    with tf.GradientTape() as tape:
        vectors = gather_rows(table, tf.constant(ROWS))
        total = tf.reduce_sum(vectors**2)
    return vectors, tape.gradient(total, table)


def check(vectors, gradient):
    table = make_table().numpy()
    np.testing.assert_array_equal(vectors, table[np.array(ROWS)])
    assert isinstance(gradient, tf.IndexedSlices)
    expected = np.zeros_like(table)
    np.add.at(expected, np.array(ROWS).reshape(-1), 2 * table[[4, 0, 4, 2]])
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient), expected)


def test_one_device():
    check(*read_and_differentiate(make_table()))
    check(*tf.function(read_and_differentiate)(make_table()))


def test_each_replica_reads_its_copy():
    strategy = replicas.two_replica_strategy()
    with strategy.scope():
        table = make_table()
    run = tf.function(
        lambda: strategy.run(lambda: read_and_differentiate(table))
    )
    vectors, gradients = (
        strategy.experimental_local_results(part) for part in run()
    )
    for replica in range(2):
        check(vectors[replica], gradients[replica])
    # Outside of the replicas the first copy serves.
    np.testing.assert_array_equal(gather_rows(table, [1]), [[3, 4, 5]])


def test_a_mirrored_table_is_not_read_as_a_whole():
    strategy = replicas.two_replica_strategy()
    with strategy.scope():
        table = make_table()
    run = tf.function(
        lambda: strategy.run(lambda: read_and_differentiate(table))
    )
    operations = run.get_concrete_function().graph.get_operations()
    kinds = [operation.type for operation in operations]
    assert kinds.count("ResourceGather") == 2
    assert "ReadVariableOp" not in kinds
