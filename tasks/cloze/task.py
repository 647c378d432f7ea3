"""The cloze test as a task."""

import json

import numpy as np
import tensorflow as tf

from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.cloze import ENTITIES
from bidaf_tf.cloze import make_cloze_bidaf
from bidaf_tf.entity_numbers import entity_names
from bidaf_tf.entity_numbers import number_entities
from bidaf_tf.entity_numbers import rename_entities
from bidaf_tf.entity_numbers import shuffled_ids
from bidaf_tf.layers.entity_scores import ABSENT
from tasks.cloze.cloze_prediction import ClozePrediction
from tasks.cloze.data import read_examples
from tasks.cloze.data import read_examples_to_predict
from tasks.cloze.data import read_training_examples
from tasks.cloze.data import shuffled
from tasks.task import Task


class ClozeTask(Task):
    """The cloze test of CNN and Daily Mail (Seo et al. 2017, section 5).

    What entities are called must not help: training draws their ids anew each
    time it sees an example, and elsewhere a hash of the texts shuffles them,
    whatever they were called before. A prediction is a `ClozePrediction`.
    """

    text_fields = TEXT_FIELDS
    metric = "accuracy"
    has_own_tokenizer = True

    def read(self, path):
        return read_examples(path)

    def read_training(self, path):
        return read_training_examples(path)

    def read_to_predict(self, path):
        return read_examples_to_predict(path)

    def training_view(self, example, generator):
        return shuffled(example, generator)

    def texts(self, example):
        return [example.context_tokens, example.question_tokens]

    @property
    def model_inputs(self):
        return {ENTITIES: tf.TensorSpec([None, None], tf.int32)}

    def make_model_inputs(self, texts, extra):
        context = texts[0]
        (numbers,) = number_entities([context])
        return {ENTITIES: numbers}

    def learn(self, examples):
        """Nothing: answers are entities of the context."""

    def state(self):
        return {}

    def restore(self, state):
        """Nothing, as `learn`."""

    def check(self, examples):
        """Nothing, as `learn`."""

    def make_model(self, inputs):
        return make_cloze_bidaf(
            self.config.model, self.config.window_width, inputs
        )

    def targets(self, examples):
        return {
            "answer": np.array(
                [example.answer for example in examples], np.int32
            )
        }

    def loss(self, model, outputs, targets):
        """The negative logarithm of the probability of the right entity.

        That is the sum over all of its occurrences (Kadlec et al. 2016).
        """
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            targets["answer"], outputs["entities"]
        )

    def combine(self, models, outputs):
        """Takes the mean of the members' probabilities."""
        del models
        # [members, batch, entities] → [batch, entities]
        return {
            "probabilities": tf.reduce_mean(
                tf.stack([_probabilities(member) for member in outputs]), axis=0
            )
        }

    def decode(self, outputs):
        probabilities = outputs.get("probabilities")
        if probabilities is None:
            probabilities = _probabilities(outputs)
        return {
            "number": tf.argmax(probabilities, axis=1, output_type=tf.int32),
            "probability": tf.reduce_max(probabilities, axis=1),
            "probabilities": probabilities,
        }

    def predictions(self, examples, decoded):
        return [
            ClozePrediction(example.entities[number], probability)
            for example, number, probability in zip(
                examples,
                decoded["number"].tolist(),
                decoded["probability"].tolist(),
                strict=True,
            )
        ]

    def metrics(self, examples, predictions):
        """The accuracy, and that of two answers without any reading.

        `maximum_frequency` and `exclusive_frequency` are the baselines of
        Hermann et al. (2015): the entity that the context names most often,
        and the one of those that the question does not name.
        """
        answers = {
            "accuracy": [prediction.entity for prediction in predictions],
            "maximum_frequency": [
                example.most_frequent() for example in examples
            ],
            "exclusive_frequency": [
                example.most_frequent(without_question=True)
                for example in examples
            ],
        }
        gold = [example.question.answer for example in examples]
        return {
            **{
                name: float(np.mean(np.equal(found, gold)))
                for name, found in answers.items()
            },
            "questions": len(examples),
        }

    def write(self, examples, predictions, file):
        """Writes a JSON object a line for each question."""
        for example, prediction in zip(examples, predictions, strict=True):
            names = example.question.names
            json.dump(
                {
                    "id": example.question.id,
                    "entity": prediction.entity,
                    "name": names.get(prediction.entity),
                    "probability": prediction.probability,
                },
                file,
                ensure_ascii=False,
            )
            file.write("\n")

    def warm_up_texts(self):
        return [
            [text.split() for text in texts]
            for texts in (
                (
                    "@entity1 met @entity2 in @entity0 .",
                    "@placeholder met @entity1",
                ),
                ("@entity3 works .", "@placeholder works"),
            )
        ]

    def from_tokens(self, texts, answer):
        """Answers with the names that the entities have in the context.

        `entity` and its `probability` are the best one, `[batch]`; `entities`
        and `probabilities` all of the context in the order of their first
        occurrences, `[batch, entities]`, with empty strings at the end of rows
        that have fewer than others. A context without entities has an empty
        one, of probability zero.
        """
        texts = [_with_a_step(*text) for text in texts]
        numbers = number_entities(texts)
        found = answer(
            rename_entities(texts, numbers, shuffled_ids(texts, numbers))
        )
        names = entity_names(texts[:1], numbers[:1])
        return {
            "entity": tf.gather(names, found["number"], batch_dims=1),
            "probability": found["probability"],
            "entities": names,
            "probabilities": found["probabilities"],
        }

    def from_strings(self, strings, tokenizer, answer):
        """Splits at whitespace, so that `@entity12` stays one token."""
        del tokenizer
        return super().from_strings(strings, "whitespace", answer)


def _probabilities(outputs):
    """Zero for what is not there, and throughout if there is no entity."""
    scores = outputs["entities"]
    return tf.where(scores > ABSENT, tf.nn.softmax(scores), 0.0)


def _with_a_step(tokens, lengths):
    """Texts `[batch, time]` with one step at least, which models need."""
    n_missing = tf.maximum(1 - tf.shape(tokens)[1], 0)
    padded = tf.pad(tokens, [[0, 0], [0, n_missing]], constant_values="")
    return padded, lengths
