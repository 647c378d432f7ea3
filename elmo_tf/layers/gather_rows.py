"""Reads rows of a large table, on any number of devices."""

import tensorflow as tf


def gather_rows(variable, rows):
    """Reads rows of a variable, as `tf.gather`, without the others.

    `tf.gather` reads a mirrored variable as a whole, and since that reading
    is in use when the variable is updated, the update copies the whole table.

    Args:
        variable: A `tf.Variable` `[n, …]`, mirrored or not.
        rows: Integer tensor of any shape.

    Returns:
        A tensor of the shape of `rows` with that of a row after it. Its
        gradient is `tf.IndexedSlices`.
    """
    context = tf.distribute.get_replica_context()
    if context is not None and isinstance(
        variable, tf.distribute.DistributedValues
    ):
        # The copies of this process, of which one is this replica's.
        copies = context.strategy.experimental_local_results(variable)
        replica_id = tf.get_static_value(context.replica_id_in_sync_group)
        variable = copies[int(replica_id) % len(copies)]
    return tf.gather(variable, rows)
