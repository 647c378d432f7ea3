"""A worker that predicts one document's clusters, or trains on it."""

import dataclasses
import os
import tempfile
import time

import keras
import tensorflow as tf

from benchmarks.peers import worker
from elmo_tf.training.experiment import experiment_config
from tasks.elmo.elmo_source import ElmoSource
from tasks.optimizers import make_optimizer
from tasks.predictor import Predictor
from tasks.registry import make_task
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape
from tasks.task_trainer import TaskTrainer
from tasks.text.word_vocabulary import WordVocabulary
from tasks.training_batches import TrainingBatches


class CorefDocumentsWorker:
    """A coreference model with random weights, and a document for it.

    Args:
        experiment: Name of the configuration.
        params_override: Values that override it.
        input_path: A file with the document.
    """

    def __init__(self, experiment, params_override, input_path):
        keras.utils.set_random_seed(0)
        config = experiment_config(experiment, params_override=params_override)
        # In each prediction the biLM has its part.
        elmo = dataclasses.replace(config.task.elmo, cache=False)
        self._config = dataclasses.replace(
            config,
            task=dataclasses.replace(config.task, elmo=elmo),
            trainer=dataclasses.replace(config.trainer, train_steps=1),
        )
        self._task = make_task(self._config.task)
        self._documents = self._task.read(input_path)
        vectors = self._config.task.word_vectors
        vocabulary = WordVocabulary.build(
            [document.tokens for document in self._documents],
            lowercase=vectors.lowercase,
        )
        source = ElmoSource(elmo) if elmo.is_used else None
        shape = TaskShape(
            state=self._task.state(),
            vocabulary_size=len(vocabulary),
            word_dim=vectors.dim,
            elmo_fingerprint=source and source.fingerprint,
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "vocab.txt")
            vocabulary.save(path)
            task_model = TaskModel(self._task, shape, path, source)
        self._model = task_model.model
        self._make_inputs = task_model.input_maker(self._documents, "document")
        self._predictor = Predictor(self._task, [self._model], batch_size=1)
        self._trainer = None

    def answer_predict(self):
        """Predicts the clusters; answers with the seconds."""
        begin = time.perf_counter()
        self._predictor.predict(self._documents, [self._make_inputs])
        return {"seconds": time.perf_counter() - begin}

    def answer_train(self):
        """Takes a training step; answers with the seconds."""
        begin = time.perf_counter()
        if self._trainer is None:
            self._trainer = self._make_trainer()
            self._trainer.start()
        self._trainer.train_step()
        return {"seconds": time.perf_counter() - begin}

    def answer_memory(self):
        """Answers with the largest memory that the process has ever had."""
        return {"peak_bytes": worker.peak_bytes()}

    def _make_trainer(self):
        optimizer = make_optimizer(self._config.task.optimizer)
        optimizer.build(self._model.trainable_variables)
        return TaskTrainer(
            self._config,
            tf.distribute.get_strategy(),
            self._task,
            self._model,
            optimizer,
            TrainingBatches(
                [len(document.tokens) for document in self._documents],
                batch_size=1,
                seed=0,
            ),
            self._make_inputs,
            self._documents,
        )


if __name__ == "__main__":
    worker.serve(CorefDocumentsWorker, {"tensorflow": tf.__version__})
