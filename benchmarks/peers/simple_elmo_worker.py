"""simple_elmo's worker: see `benchmarks.peers.worker`."""

import logging
import os
import shutil
import tempfile
from importlib import metadata

import simple_elmo
import tensorflow as tf
from simple_elmo.elmo import weight_layers

from benchmarks.peers import worker


class SimpleElmoWorker(worker.EmbeddingWorker):
    """simple_elmo with one session for all calls.

    Without a session of the caller's, `get_elmo_vectors` would load the weights
    anew in each call.
    """

    def __init__(self, options_file, weights_file, max_batch_size):
        self._model = simple_elmo.ElmoModel()
        logging.disable(logging.INFO)
        with tempfile.TemporaryDirectory() as folder:
            # The files must have these names, in a folder of their own.
            shutil.copy(options_file, os.path.join(folder, "options.json"))
            os.symlink(weights_file, os.path.join(folder, "model.hdf5"))
            self._model.load(folder, max_batch_size=max_batch_size)
            self._session = tf.compat.v1.Session()
            with self._session.as_default():
                self._model.elmo_sentence_input = weight_layers(
                    "input",
                    self._model.sentence_embeddings_op,
                    use_layers="all",
                )
                self._session.run(tf.compat.v1.global_variables_initializer())

    def embed(self, sentences, batch_size):
        self._model.batch_size = batch_size
        return self._model.get_elmo_vectors(
            sentences, warmup=False, layers="all", session=self._session
        )

    def arrays(self, result, sentences):
        return [
            array[:, : len(sentence)]
            for array, sentence in zip(result, sentences)
        ]


if __name__ == "__main__":
    worker.serve(
        SimpleElmoWorker,
        {
            "simple_elmo": metadata.version("simple_elmo"),
            "tensorflow": tf.__version__,
        },
    )
