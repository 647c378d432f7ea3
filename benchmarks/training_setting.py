"""What the benchmark of pre-training trains on, and with what."""

import contextlib
import dataclasses
import os
import sys

import numpy as np
import tensorflow as tf

from benchmarks.random_weights import SIZES
from benchmarks.random_weights import WEIGHTS_FILE_NAME
from benchmarks.systems import peer_systems
from benchmarks.text import RandomText
from benchmarks.worker_process import WorkerProcess
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.text.vocabulary_builder import build_vocabulary
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import to_dict
from elmo_tf.weights import SOFTMAX_FILE_NAME
from elmo_tf.weights import write_softmax
from elmo_tf.weights import write_weights

PEERS = ("bilm_tf",)


@dataclasses.dataclass(frozen=True)
class TrainingSetting:
    """A text, a biLM's shape and who trains it.

    All of them begin with the same weights and read the same windows of the
    text, in its own order. What they draw differs: dropout and negatives.

    Attributes:
        folder: Where to put what they start from.
        input_path: The text.
        size: The name of the biLM's shape.
        batch_size: Rows of a window.
        unroll_steps: Tokens of a row in a window.
        negatives: Of the sampled softmax.
        vocabulary_size: Number of words of the softmax.
        dtypes: What this project computes in, "float32" first.
        peers: Some of `PEERS`.
        environments: The folder that `peers.sh` has filled.
        seed: Of the weights.
    """

    folder: str
    input_path: str
    size: str
    batch_size: int
    unroll_steps: int
    negatives: int
    vocabulary_size: int
    dtypes: tuple[str, ...]
    peers: tuple[str, ...]
    environments: str
    seed: int

    @property
    def tokens_per_step(self):
        """Tokens that each direction reads in a step."""
        return self.batch_size * self.unroll_steps

    @property
    def names(self):
        """The systems, as tables call them."""
        return [*(our_name(dtype) for dtype in self.dtypes), *self.peers]

    def config(self, dtype, vocabulary_size):
        """This project's `PretrainingConfig`."""
        start = self._start_folder(vocabulary_size)
        return override(
            SIZES[self.size](),
            {
                "task.vocab_file": os.path.join(start, VOCABULARY_FILE_NAME),
                "task.init_weights": os.path.join(start, WEIGHTS_FILE_NAME),
                "task.train_data.input_path": self.input_path,
                "task.train_data.global_batch_size": self.batch_size,
                "task.train_data.unroll_steps": self.unroll_steps,
                "task.train_data.shuffle": False,
                "task.n_negative_samples_batch": self.negatives,
                "runtime.mixed_precision": dtype
                if dtype == "float32"
                else f"mixed_{dtype}",
                "runtime.seed": self.seed,
            },
            source="the benchmark",
        )

    def start_ours(self, dtype, vocabulary_size=None):
        """Starts this project's worker.

        Args:
            dtype: One of `dtypes`.
            vocabulary_size: None: the usual.

        Returns:
            A `WorkerProcess`.
        """
        config = self.config(dtype, vocabulary_size or self.vocabulary_size)
        self.say(f"starting {our_name(dtype)}")
        return WorkerProcess(
            our_name(dtype),
            sys.executable,
            "benchmarks.elmo_tf_training_worker",
            {"config": to_dict(config)},
        )

    def start_peer(self, peer):
        """Starts a peer's worker: a `WorkerProcess`."""
        (system,) = peer_systems([peer], self.environments)
        start = self._start_folder(self.vocabulary_size)
        task = self.config("float32", self.vocabulary_size).task
        options = dict(
            task.model.to_dict(),
            bidirectional=True,
            batch_size=self.batch_size,
            unroll_steps=self.unroll_steps,
            n_negative_samples_batch=self.negatives,
            learning_rate=task.learning_rate,
            all_clip_norm_val=task.all_clip_norm_val,
            dropout=task.model.dropout,
        )
        # In training bilm-tf has no id for padding.
        options["char_cnn"] = dict(options["char_cnn"], n_characters=261)
        self.say(f"starting {peer}")
        return WorkerProcess(
            peer,
            system.python,
            f"benchmarks.peers.{peer}_training_worker",
            {
                "options": options,
                "vocab_file": os.path.join(start, VOCABULARY_FILE_NAME),
                "input_path": self.input_path,
                "weights_file": os.path.join(start, WEIGHTS_FILE_NAME),
                "softmax_file": os.path.join(start, SOFTMAX_FILE_NAME),
            },
        )

    @contextlib.contextmanager
    def workers(self):
        """Starts all; gives a dictionary of the workers by name."""
        with contextlib.ExitStack() as stack:
            workers = {
                our_name(dtype): stack.enter_context(self.start_ours(dtype))
                for dtype in self.dtypes
            }
            for peer in self.peers:
                workers[peer] = stack.enter_context(self.start_peer(peer))
            yield workers

    def say(self, message):
        """Says on standard error what is going on."""
        print(message, file=sys.stderr, flush=True)

    def _start_folder(self, vocabulary_size):
        """The folder of the vocabulary and the first weights, made once."""
        folder = os.path.join(self.folder, str(vocabulary_size))
        if os.path.exists(folder):
            return folder
        self.say(f"making random weights for {vocabulary_size:,} words")
        os.mkdir(folder)
        words = _vocabulary(self.input_path, vocabulary_size)
        with open(
            os.path.join(folder, VOCABULARY_FILE_NAME), "w", encoding="utf-8"
        ) as file:
            file.writelines(f"{word}\n" for word in words)
        tf.keras.utils.set_random_seed(self.seed)
        config = dataclasses.replace(
            SIZES[self.size]().task.model, n_tokens_vocab=vocabulary_size
        )
        model = BiLanguageModel(config)
        model.build()
        write_weights(os.path.join(folder, WEIGHTS_FILE_NAME), model.bilm)
        write_softmax(os.path.join(folder, SOFTMAX_FILE_NAME), model.softmax)
        return folder


def our_name(dtype):
    """What tables call this project."""
    return f"elmo_tf {dtype}"


def write_text(path, n_sentences, seed):
    """Writes random sentences with the word frequencies of English.

    Args:
        path: The file.
        n_sentences: How many.
        seed: A non-negative integer.
    """
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(
            " ".join(words) + "\n"
            for words in RandomText(seed).sentences(n_sentences)
        )


def mean_distinct_words(input_path, tokens_per_step):
    """The mean number of distinct words among both directions' windows.

    Estimated by cutting the text, in its order, into pieces of twice as many
    words as a direction's window holds.
    """
    with open(input_path, encoding="utf-8") as file:
        words = file.read().split()
    length = min(2 * tokens_per_step, len(words))
    return float(
        np.mean(
            [
                len(set(words[begin : begin + length]))
                for begin in range(0, len(words) - length + 1, length)
            ]
        )
    )


def _vocabulary(input_path, size):
    """The text's most frequent words, filled up with words that it lacks."""
    vocabulary, _ = build_vocabulary(input_path, max_size=size)
    words = list(vocabulary.tokens)
    return words + [f"unseen-{n}" for n in range(size - len(words))]
