"""State of the Python side of a training, kept in its checkpoints."""

import tensorflow as tf


class HostState(tf.train.experimental.PythonState):
    """Makes a checkpoint hold what no TensorFlow variable holds.

    Args:
        save: Called when a checkpoint is written; returns the state as bytes.
        restore: Called with these bytes when a checkpoint is read.
    """

    def __init__(self, save, restore):
        super().__init__()
        self._save = save
        self._restore = restore

    def serialize(self):
        return self._save()

    def deserialize(self, value):
        self._restore(value)
