"""A worker that multiplies matrices: the ceiling of what a machine can do."""

import time

import tensorflow as tf

from benchmarks.peers import worker

_SECONDS = 0.1


class MatmulWorker:
    """Times products of matrices of given shapes.

    Args:
        shapes: A list of [m, k, n].
    """

    def __init__(self, shapes):
        self._shapes = shapes

    def answer_time(self, dtype):
        """Answers with the seconds that one product of each shape takes.

        `dtype` is "float32" or "bfloat16".
        """
        return {
            "seconds": [
                _time(_random([m, k], dtype), _random([k, n], dtype))
                for m, k, n in self._shapes
            ]
        }


def _random(shape, dtype):
    return tf.cast(tf.random.stateless_normal(shape, seed=[0, 0]), dtype)


def _time(left, right):
    # Eager: on a CPU each product is done when the call returns.
    tf.matmul(left, right)
    count = 0
    begin = time.perf_counter()
    while (seconds := time.perf_counter() - begin) < _SECONDS:
        tf.matmul(left, right)
        count += 1
    return seconds / count


if __name__ == "__main__":
    worker.serve(MatmulWorker, {"tensorflow": tf.__version__})
