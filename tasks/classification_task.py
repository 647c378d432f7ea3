"""What tasks that choose one of a few labels have in common."""

import abc

import numpy as np
import tensorflow as tf

from tasks.classification_metrics import score
from tasks.label_prediction import LabelPrediction
from tasks.task import Task


class ClassificationTask(Task):
    """A task that gives each example one of a few labels, known beforehand.

    An example has its label as the attribute `label`. The model's output is
    `scores`, float32 `[batch, n_labels]`, logits. A prediction is a
    `LabelPrediction`.
    """

    metric = "accuracy"

    @property
    @abc.abstractmethod
    def labels(self):
        """A tuple of all labels, in the order of the scores."""

    def learn(self, examples):
        """Nothing: the labels are known."""

    def state(self):
        return {}

    def restore(self, state):
        """Nothing, as `learn`."""

    def check(self, examples):
        """Nothing: `read` knows the labels."""

    def targets(self, examples):
        return {
            "label": np.array(
                [self.labels.index(example.label) for example in examples],
                np.int32,
            )
        }

    def loss(self, model, outputs, targets):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            targets["label"], outputs["scores"]
        )

    def combine(self, models, outputs):
        """Takes the mean of the members' probabilities."""
        del models
        # [members, batch, n_labels] → [batch, n_labels]
        scores = tf.reduce_logsumexp(
            tf.nn.log_softmax([member["scores"] for member in outputs]), axis=0
        )
        # The rest of the logarithm of the mean is the same for all labels.
        return {"scores": scores}

    def decode(self, outputs):
        scores = outputs["scores"]
        return {
            # [batch]
            "label": tf.gather(
                tf.constant(self.labels), tf.argmax(scores, axis=-1)
            ),
            # [batch, n_labels]
            "probabilities": tf.nn.softmax(scores),
        }

    def from_tokens(self, texts, answer):
        """Answers with `labels` besides, what each of `probabilities` is of."""
        answers = answer(texts)
        # [batch, n_labels]
        labels = tf.repeat(
            [self.labels], tf.shape(answers["probabilities"])[0], axis=0
        )
        return {**answers, "labels": labels}

    def predictions(self, examples, decoded):
        return [
            LabelPrediction(
                label.decode("utf-8"),
                dict(zip(self.labels, probabilities.tolist(), strict=True)),
            )
            for label, probabilities in zip(
                decoded["label"], decoded["probabilities"], strict=True
            )
        ]

    def metrics(self, examples, predictions):
        return score(
            [example.label for example in examples],
            [prediction.label for prediction in predictions],
            self.labels,
        )
