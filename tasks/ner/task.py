"""Named entity recognition as a task."""

import keras
import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.ner.data import check_classes
from tasks.ner.data import classes_of
from tasks.ner.data import read_examples
from tasks.ner.data import read_sentences_to_tag
from tasks.ner.data import write_examples
from tasks.ner.metrics import score
from tasks.ner.model import make_tagger
from tasks.tagging import decode_tags
from tasks.tagging import tag_targets
from tasks.task import Task
from tasks.text.tags import tag_set


class NERTask(Task):
    """Named entity recognition (section A.7)."""

    metric = "f1"

    def read(self, path):
        return read_examples(
            path,
            self.config.encoding,
            self.config.token_column,
            self.config.tag_column,
        )

    def read_to_predict(self, path):
        return read_sentences_to_tag(
            path, self.config.token_column, self.config.tag_column
        )

    def texts(self, example):
        return [example.tokens]

    def learn(self, examples):
        self._classes = classes_of(examples)
        if not self._classes:
            raise InputError(
                f"{examples[0].sentence.path}: found no entity, expected some "
                "to learn from"
            )

    def state(self):
        return {"classes": self._classes}

    def restore(self, state):
        self._classes = state["classes"]

    def check(self, examples):
        check_classes(examples, self._classes)

    def make_model(self, inputs):
        return make_tagger(self.config, inputs, self.labels)

    def targets(self, examples):
        tags = [example.tags for example in examples]
        return {"tags": tag_targets(tags, self.labels)}

    def loss(self, model, outputs, targets):
        return -model.get_layer("crf").log_likelihood(
            outputs["scores"], targets["tags"], outputs["mask"]
        )

    def combine(self, models, outputs):
        """Takes the mean of the members' scores, of transitions too.

        The conditional random field of mean scores is the normalised geometric
        mean of the members' distributions over sequences (a logarithmic
        opinion pool, Smith et al. 2005, "Logarithmic opinion pools for
        conditional random fields").
        """
        fields = [model.get_layer("crf") for model in models]
        # [members, batch, time, n_tags] → [batch, time, n_tags]
        scores = tf.reduce_mean(
            tf.stack([member["scores"] for member in outputs]), axis=0
        )
        means = [
            tf.reduce_mean([weight.value for weight in weights], axis=0)
            for weights in zip(
                *(field.weights for field in fields), strict=True
            )
        ]
        mask = outputs[0]["mask"]
        # The first one's field computes with the means for its weights.
        with keras.StatelessScope(
            state_mapping=list(zip(fields[0].weights, means, strict=True))
        ):
            found = fields[0](scores, mask=mask)
        return {"scores": scores, "mask": mask, **found}

    def decode(self, outputs):
        return decode_tags(outputs, self.labels)

    def predictions(self, examples, decoded):
        return [
            [tag.decode("utf-8") for tag in row[: len(example.tokens)]]
            for example, row in zip(examples, decoded["tags"], strict=True)
        ]

    def metrics(self, examples, predictions):
        found = score([list(example.tags) for example in examples], predictions)
        by_class = found.pop("by_class")
        for name, values in by_class.items():
            found[f"f1/{name}"] = values["f1"]
        return found

    def write(self, examples, predictions, file):
        write_examples(examples, predictions, file)

    @property
    def labels(self):
        return tuple(tag_set(self._classes, self.config.encoding))
