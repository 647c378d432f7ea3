"""Part-of-speech tagging as a task."""

from tasks.pos.data import read_examples
from tasks.pos.data import read_sentences_to_tag
from tasks.pos.data import write_examples
from tasks.pos.metrics import score
from tasks.pos.model import make_linear_tagger
from tasks.tagging import best_tags
from tasks.tagging import decode_tags
from tasks.tagging import mean_scores
from tasks.tagging import softmax_loss
from tasks.tagging import tag_targets
from tasks.task import Task


class POSTask(Task):
    """Part-of-speech tagging (section 5.3).

    A prediction is a list of the sentence's tags.
    """

    metric = "accuracy"

    def read(self, path):
        return read_examples(path, self.config.column)

    def read_to_predict(self, path):
        return read_sentences_to_tag(path)

    def texts(self, example):
        return [example.tokens]

    def learn(self, examples):
        self.labels = tuple(
            sorted({tag for example in examples for tag in example.tags})
        )
        self._words = {word for example in examples for word in example.tokens}

    def state(self):
        return {"tags": list(self.labels), "words": sorted(self._words)}

    def restore(self, state):
        self.labels = tuple(state["tags"])
        self._words = set(state["words"])

    def check(self, examples):
        """Nothing: a tag that training has not met cannot be found."""

    def make_model(self, inputs):
        return make_linear_tagger(inputs, self.labels)

    def targets(self, examples):
        tags = [example.tags for example in examples]
        return {"tags": tag_targets(tags, self.labels)}

    def loss(self, model, outputs, targets):
        del model
        return softmax_loss(outputs, targets["tags"])

    def combine(self, models, outputs):
        """Takes the mean of the members' probabilities of each token's tags."""
        del models
        return {"scores": mean_scores(outputs), "mask": outputs[0]["mask"]}

    def decode(self, outputs):
        return decode_tags(
            {**outputs, **best_tags(outputs["scores"], outputs["mask"])},
            self.labels,
        )

    def predictions(self, examples, decoded):
        return [
            [tag.decode("utf-8") for tag in row[: len(example.tokens)]]
            for example, row in zip(examples, decoded["tags"], strict=True)
        ]

    def metrics(self, examples, predictions):
        return score(examples, predictions, self._words)

    def write(self, examples, predictions, file):
        write_examples(examples, predictions, self.config.column, file)
