"""This project's worker in pre-training: see `benchmarks.peers.worker`."""

import dataclasses
import time

import tensorflow as tf

from benchmarks.peers import worker
from elmo_tf.experiments import PretrainingConfig
from elmo_tf.initial_weights import read_initial_weights
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.pretraining_trainer import PretrainingTrainer
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.runtime import set_up
from elmo_tf.training.sparse_adagrad import SparseAdagrad


class ElmoTfTrainingWorker:
    """What `elmo_tf.train` does, without checkpoints and logs.

    Args:
        config: A `PretrainingConfig`, a dictionary.
    """

    def __init__(self, config):
        config = PretrainingConfig(**config)
        task = config.task
        vocabulary = Vocabulary.load(task.vocab_file)
        model_config = dataclasses.replace(
            task.model, n_tokens_vocab=len(vocabulary)
        )
        strategy = set_up(config.runtime)
        with strategy.scope():
            model = BiLanguageModel(model_config, task.n_negative_samples_batch)
            model.build()
            optimizer = SparseAdagrad(
                task.learning_rate, task.initial_accumulator_value
            )
            optimizer.build(model.trainable_variables)
        state = read_initial_weights(task.init_weights, model, vocabulary)
        self._trainer = PretrainingTrainer(
            config,
            strategy,
            model,
            optimizer,
            LanguageModelEncoder(model_config, vocabulary),
            scan(task.train_data.input_path),
            state,
        )
        self._trainer.start()

    def answer_train(self, steps):
        """Trains; answers with the seconds and with each step's loss."""
        losses = []
        begin = time.perf_counter()
        for _ in range(steps):
            _, values, _ = self._trainer.train_step()
            losses.append(values["loss"])
        return {"seconds": time.perf_counter() - begin, "losses": losses}

    def answer_memory(self):
        """Answers with the largest memory that the process has ever had."""
        return {"peak_bytes": worker.peak_bytes()}


if __name__ == "__main__":
    worker.serve(ElmoTfTrainingWorker, {"tensorflow": tf.__version__})
