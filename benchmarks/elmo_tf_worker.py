"""This project's worker: see `benchmarks.peers.worker`."""

import time

import tensorflow as tf

import elmo_tf
from benchmarks.peers import worker


class ElmoTfWorker(worker.EmbeddingWorker):
    """`elmo_tf.Elmo` of an official pair of files.

    Further arguments are those of `Elmo.from_weights`.
    """

    def __init__(self, options_file, weights_file, max_batch_size, **arguments):
        self._elmo = elmo_tf.Elmo.from_weights(
            options_file, weights_file, **arguments
        )

    def embed(self, sentences, batch_size):
        return self._elmo.embed(
            sentences, layers="all", **_without_none(batch_size=batch_size)
        )

    def arrays(self, result, sentences):
        return result

    def answer_file(self, input_file, output_file, layers):
        """Answers with the seconds that embedding a file takes."""
        begin = time.perf_counter()
        self._elmo.embed_file(input_file, output_file, layers)
        return {"seconds": time.perf_counter() - begin}


def _without_none(**arguments):
    """What is None stays as it comes."""
    return {
        name: value for name, value in arguments.items() if value is not None
    }


if __name__ == "__main__":
    worker.serve(ElmoTfWorker, {"tensorflow": tf.__version__})
