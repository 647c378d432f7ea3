"""Sentiment classification as a task."""

from tasks.classification_task import ClassificationTask
from tasks.sst.data import LABELS
from tasks.sst.data import read_examples
from tasks.sst.data import read_sentences_to_label
from tasks.sst.data import write_examples
from tasks.sst.model import make_classifier


class SSTTask(ClassificationTask):
    """Sentiment classification (section A.8)."""

    @property
    def labels(self):
        return LABELS[self.config.labels]

    def read(self, path):
        return read_examples(path, self.config.labels)

    def read_training(self, path):
        return read_examples(
            path, self.config.labels, self.config.min_phrase_length
        )

    def read_to_predict(self, path):
        return read_sentences_to_label(path)

    def texts(self, example):
        return [example.tokens]

    def state(self):
        # A run does not go on with other labels than it began with.
        return {"labels": list(self.labels)}

    def make_model(self, inputs):
        return make_classifier(self.config, inputs, len(self.labels))

    def write(self, examples, predictions, file):
        write_examples(examples, predictions, file)
