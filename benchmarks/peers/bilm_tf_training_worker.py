"""bilm-tf's worker in pre-training: see `benchmarks.peers.worker`.

It runs `bilm.training.train` as it comes. Each batch that it asks for is held
back until the benchmark wants the step.
"""

import os
import queue
import tempfile
import threading
import time

import bilm.training
import h5py
import numpy as np
import pkg_resources
import tensorflow as tf
from bilm.data import BidirectionalLMDataset
from bilm.data import UnicodeCharsVocabulary

from benchmarks.peers import worker

# More than any benchmark takes.
_N_TOKENS = 10**12


class BilmTfTrainingWorker:
    """bilm-tf's training.

    Args:
        options: bilm-tf's options, without the number of words.
        vocab_file: The vocabulary.
        input_path: The training text.
        weights_file: HDF5 weights to start from.
        softmax_file: The HDF5 file of the softmax to start from.
    """

    def __init__(
        self, options, vocab_file, input_path, weights_file, softmax_file
    ):
        # True: a step is wanted. What comes back: nothing, or an exception.
        self._wanted = queue.Queue()
        self._waiting = queue.Queue()
        self._losses = []
        arguments = (
            options,
            vocab_file,
            input_path,
            {"bilm": weights_file, "softmax": softmax_file},
        )
        threading.Thread(
            target=self._train, args=arguments, daemon=True
        ).start()
        self._wait()

    def answer_train(self, steps):
        """Trains; answers with the seconds and with each step's loss."""
        self._losses.clear()
        begin = time.perf_counter()
        for _ in range(steps):
            self._wanted.put(True)
            self._wait()
        seconds = time.perf_counter() - begin
        return {"seconds": seconds, "losses": list(self._losses)}

    def answer_memory(self):
        """Answers with the largest memory that the process has ever had."""
        return {"peak_bytes": worker.peak_bytes()}

    def _wait(self):
        error = self._waiting.get()
        if error is not None:
            raise error

    def _train(self, options, vocab_file, input_path, files):
        try:
            vocabulary = UnicodeCharsVocabulary(
                vocab_file, options["char_cnn"]["max_characters_per_token"]
            )
            options = dict(
                options,
                n_tokens_vocab=vocabulary.size,
                n_train_tokens=_N_TOKENS,
                n_epochs=1,
            )
            tf.Session = _session_class(files, self._losses)
            data = _HeldBack(
                BidirectionalLMDataset(input_path, vocabulary),
                self._wanted,
                self._waiting,
            )
            with tempfile.TemporaryDirectory() as folder:
                bilm.training.train(options, data, 1, folder, folder)
        except Exception as error:
            self._waiting.put(error)


class _HeldBack:
    """A data set whose batches come when they are wanted."""

    def __init__(self, data, wanted, waiting):
        self._data = data
        self._wanted = wanted
        self._waiting = waiting

    def iter_batches(self, batch_size, unroll_steps):
        # The next batch is made before the benchmark hears that the last step
        # is done, so that each step's time holds the making of one batch.
        for batch in self._data.iter_batches(batch_size, unroll_steps):
            self._waiting.put(None)
            self._wanted.get()
            yield batch


def _session_class(files, losses):
    """A `tf.Session` that starts from given weights and notes the losses."""

    class Session(tf.Session):
        initialized = False

        def run(self, fetches, feed_dict=None):
            result = super(Session, self).run(fetches, feed_dict)
            if not self.initialized:
                # This was the first weights' turn.
                self.initialized = True
                _load(files, self)
            elif isinstance(fetches, tf.Operation):
                pass  # A variable's, from _load.
            elif isinstance(fetches[0], tf.Operation):
                # The update, the summaries and the perplexity.
                losses.append(float(np.log(result[2])))
            return result

    return Session


def _load(files, session):
    """Assigns every trainable variable its dataset."""
    opened = {name: h5py.File(path, "r") for name, path in files.items()}
    for variable in tf.trainable_variables():
        name = variable.op.name[len("lm/") :]
        if name.startswith("softmax/"):
            value = opened["softmax"][name]
        else:
            value = opened["bilm"][_dataset(name)]
        variable.load(value[...].reshape(variable.shape), session)
    for file in opened.values():
        file.close()


def _dataset(name):
    """The name in a weights file of a variable."""
    if not name.startswith("RNN_"):
        return name
    # RNN_0/rnn/multi_rnn_cell/cell_1/lstm_cell/projection/kernel
    direction, _, _, cell, _, kind = name.split("/", 5)
    return "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell/{}".format(
        direction[len("RNN_") :],
        cell[len("cell_") :],
        {"kernel": "W_0", "bias": "B", "projection/kernel": "W_P_0"}[kind],
    )


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    worker.serve(
        BilmTfTrainingWorker,
        {
            "bilm": pkg_resources.get_distribution("bilm").version,
            "tensorflow": tf.__version__,
        },
    )
    # The training still waits for its next step.
    os._exit(0)
