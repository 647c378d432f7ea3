"""For whatever batch of examples a function is traced once."""

import tensorflow as tf


def batch_signature(batch):
    """Describes all batches like one.

    Args:
        batch: Nested tensors `[examples, time, …]` or `[examples, …]`.

    Returns:
        The same structure of `tf.TensorSpec`, with the first two axes open.
    """

    def spec(tensor):
        shape = tensor.shape.as_list()
        return tf.TensorSpec([None] * len(shape[:2]) + shape[2:], tensor.dtype)

    return tf.nest.map_structure(spec, batch)
