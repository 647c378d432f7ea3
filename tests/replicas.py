"""Two replicas on one machine, for the tests of distributed training."""

import functools

import tensorflow as tf


@functools.cache
def two_replica_strategy():
    """The MirroredStrategy over two logical CPU devices (see conftest.py).

    One for the whole process: TensorFlow numbers the collective operations of
    each strategy from the same number on, and takes those of a second strategy
    that have other shapes for mistakes.
    """
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def distribute(parts):
    """Makes a per-replica value of a list with each replica's structure."""
    return two_replica_strategy().experimental_distribute_values_from_function(
        lambda context: tf.nest.map_structure(
            tf.constant, parts[context.replica_id_in_sync_group]
        )
    )
