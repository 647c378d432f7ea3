"""Sentiment classification as a task."""

import numpy as np
import tensorflow as tf

from tasks.sst.data import LABELS
from tasks.sst.data import read_examples
from tasks.sst.data import write_examples
from tasks.sst.metrics import score
from tasks.sst.model import make_classifier
from tasks.sst.prediction import SSTPrediction
from tasks.task import Task


class SSTTask(Task):
    """Sentiment classification (section A.8)."""

    metric = "accuracy"

    def read(self, path):
        return read_examples(path, self.config.labels)

    def read_training(self, path):
        return read_examples(
            path, self.config.labels, self.config.min_phrase_length
        )

    def texts(self, example):
        return [example.tokens]

    def learn(self, examples):
        pass

    def state(self):
        return {"labels": list(self._labels)}

    def restore(self, state):
        pass

    def check(self, examples):
        pass

    def make_model(self, inputs):
        return make_classifier(self.config, inputs, len(self._labels))

    def targets(self, examples):
        return {
            "label": np.array(
                [self._labels.index(example.label) for example in examples],
                np.int32,
            )
        }

    def loss(self, model, outputs, targets):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            targets["label"], outputs["scores"]
        )

    def decode(self, model, outputs):
        scores = outputs["scores"]
        return {
            # [batch]
            "label": tf.gather(
                tf.constant(self._labels), tf.argmax(scores, axis=-1)
            ),
            # [batch, n_labels]
            "probabilities": tf.nn.softmax(scores),
        }

    def predictions(self, examples, decoded):
        return [
            SSTPrediction(
                label.decode("utf-8"),
                dict(zip(self._labels, probabilities.tolist(), strict=True)),
            )
            for label, probabilities in zip(
                decoded["label"], decoded["probabilities"], strict=True
            )
        ]

    def metrics(self, examples, predictions):
        return score(
            [example.label for example in examples],
            [prediction.label for prediction in predictions],
            self._labels,
        )

    def write(self, examples, predictions, file):
        write_examples(examples, predictions, file)

    @property
    def _labels(self):
        return LABELS[self.config.labels]
