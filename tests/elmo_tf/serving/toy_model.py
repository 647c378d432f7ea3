"""A SavedModel of functions that everybody can compute, for tests."""

import tensorflow as tf


def _spec(shape, dtype, name):
    return tf.TensorSpec(shape, dtype, name=name)


class _Toy(tf.Module):
    def __init__(self, offset):
        super().__init__()
        self._offset = tf.Variable(offset)

    @tf.function(input_signature=[_spec([None], tf.float32, "x")])
    def half_plus(self, x):
        """That of TensorFlow Serving's documentation, with offset 2."""
        return {"y": x / 2.0 + self._offset}

    @tf.function(
        input_signature=[
            _spec([None], tf.string, "tag"),
            _spec([None, 3], tf.int32, "signal"),
            _spec([None, 2, 2], tf.float32, "sensor"),
        ]
    )
    def named(self, tag, signal, sensor):
        return {
            "total": tf.reduce_sum(signal, axis=1),
            "transposed": tf.transpose(sensor, [0, 2, 1]),
            "tag": tag,
            "tag_bytes": tag,
        }

    @tf.function(input_signature=[_spec([], tf.int64, "n")])
    def scalar(self, n):
        return {"next": n + 1}

    @tf.function(input_signature=[_spec([None], tf.bool, "flag")])
    def negate(self, flag):
        return {"negated": ~flag}

    @tf.function(input_signature=[_spec([None], tf.float32, "x")])
    def checked(self, x):
        tf.debugging.assert_non_negative(x, "`x` should not be negative.")
        return {"root": tf.sqrt(x)}


def save(folder, offset=2.0):
    """Writes the SavedModel.

    Args:
        folder: The folder, which must not exist.
        offset: What `serving_default` adds to the half of `x`.

    Returns:
        The folder as str.
    """
    toy = _Toy(offset)
    signatures = {
        "serving_default": toy.half_plus,
        "named": toy.named,
        "scalar": toy.scalar,
        "negate": toy.negate,
        "checked": toy.checked,
    }
    tf.saved_model.save(toy, str(folder), signatures=signatures)
    return str(folder)
