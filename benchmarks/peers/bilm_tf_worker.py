"""bilm-tf's worker: see `benchmarks.peers.worker`."""

import os
import tempfile

import bilm
import pkg_resources
import tensorflow as tf

from benchmarks.peers import worker


class BilmTfWorker(worker.EmbeddingWorker):
    """bilm-tf as in its usage_character.py, with all layers for a result."""

    def __init__(self, options_file, weights_file, max_batch_size):
        self._batcher = _batcher()
        self._ids = tf.placeholder("int32", shape=(None, None, 50))
        model = bilm.BidirectionalLanguageModel(
            options_file, weights_file, max_batch_size=max_batch_size
        )
        self._layers = model(self._ids)["lm_embeddings"]
        self._session = tf.Session()
        self._session.run(tf.global_variables_initializer())

    def embed(self, sentences, batch_size):
        return [
            self._session.run(
                self._layers,
                feed_dict={self._ids: self._batcher.batch_sentences(batch)},
            )
            for batch in worker.batches(sentences, batch_size)
        ]

    def arrays(self, result, sentences):
        rows = [row for layers in result for row in layers]
        return [
            row[:, : len(sentence)] for row, sentence in zip(rows, sentences)
        ]


def _batcher():
    # It caches the ids of the vocabulary's words, and reads any other.
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = os.path.join(folder, "vocab.txt")
        with open(vocabulary, "w") as file:
            file.write("<S>\n</S>\n<UNK>\n")
        return bilm.Batcher(vocabulary, 50)


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    worker.serve(
        BilmTfWorker,
        {
            "bilm": pkg_resources.get_distribution("bilm").version,
            "tensorflow": tf.__version__,
        },
    )
