"""Natural language inference as a task."""

import sys

from tasks.classification_task import ClassificationTask
from tasks.snli.data import LABELS
from tasks.snli.data import NO_LABEL
from tasks.snli.data import read_examples
from tasks.snli.data import read_pairs_to_label
from tasks.snli.data import write_examples
from tasks.snli.model import make_classifier


class SNLITask(ClassificationTask):
    """Natural language inference (section A.3)."""

    text_fields = ("premise", "hypothesis")
    labels = LABELS

    def read(self, path):
        examples, n_without_label = read_examples(path)
        if n_without_label:
            print(
                f"{path}: left out {n_without_label} of "
                f"{n_without_label + len(examples)} pairs, whose annotators "
                f"did not agree (label {NO_LABEL})",
                file=sys.stderr,
            )
        return examples

    def read_to_predict(self, path):
        return read_pairs_to_label(path)

    def texts(self, example):
        return [example.premise, example.hypothesis]

    def make_model(self, inputs):
        return make_classifier(self.config, inputs)

    def write(self, examples, predictions, file):
        write_examples(examples, predictions, file)
