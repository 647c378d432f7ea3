"""Semantic role labelling as a task."""

import dataclasses

import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.srl.data import read_sentences
from tasks.srl.data import write_sentences
from tasks.srl.metrics import score
from tasks.srl.model import PREDICATE
from tasks.srl.model import make_srl_tagger
from tasks.srl.predicates import with_verbs_as_predicates
from tasks.srl.srl_example import NO_PREDICATE
from tasks.srl.srl_example import join_examples
from tasks.srl.srl_example import make_examples
from tasks.srl.tags import list_tags
from tasks.srl.tags import read_tags
from tasks.tagging import decode_tags
from tasks.tagging import mean_scores
from tasks.tagging import softmax_loss
from tasks.tagging import tag_targets
from tasks.task import Task

_VERB = "V"


class SRLTask(Task):
    """Semantic role labelling (section A.5).

    A prediction is the `Proposition` of the example's predicate, or None where
    the example has none.
    """

    metric = "f1"

    def read(self, path):
        return make_examples(_read_words(path))

    def read_training(self, path):
        examples = [
            example
            for example in self.read(path)
            if example.proposition is not None
        ]
        if not examples:
            raise InputError(
                f"{path}: found no predicate, expected some to learn from"
            )
        return examples

    def read_to_predict(self, path):
        sentences = _read_words(path)
        if self.config.predicates == "verbs":
            sentences = list(map(with_verbs_as_predicates, sentences))
        return make_examples(sentences, with_tags=False)

    def texts(self, example):
        return [example.sentence.tokens]

    @property
    def extra_inputs(self):
        return {PREDICATE: tf.TensorSpec([None], tf.int32)}

    def extra_values(self, examples):
        return {PREDICATE: [example.predicate for example in examples]}

    def warm_up_extra(self, texts):
        return {PREDICATE: [0] * len(texts)}

    def make_model_inputs(self, texts, extra):
        """Checks that each predicate is one of the tokens, or −1."""
        ((_, lengths),) = texts
        predicate = extra[PREDICATE]
        is_as_long = tf.debugging.assert_equal(
            tf.shape(predicate)[0],
            tf.shape(lengths)[0],
            "`predicate` should hold a number for each sentence.",
        )
        with tf.control_dependencies([is_as_long]):
            is_wrong = (predicate < NO_PREDICATE) | (predicate >= lengths)
        check = tf.debugging.Assert(
            ~tf.reduce_any(is_wrong),
            [
                "predicate: found",
                tf.boolean_mask(predicate, is_wrong),
                "in sentences with these numbers of tokens:",
                tf.boolean_mask(lengths, is_wrong),
                "expected the number of a token, from 0 up and less than that, "
                "or -1 where there is no predicate",
            ],
        )
        with tf.control_dependencies([check]):
            return {PREDICATE: tf.identity(predicate)}

    def learn(self, examples):
        self.labels = tuple(
            list_tags(
                join_examples(
                    examples, [example.proposition for example in examples]
                )
            )
        )

    def state(self):
        return {"tags": list(self.labels)}

    def restore(self, state):
        self.labels = tuple(state["tags"])

    def check(self, examples):
        """Nothing: a role that training has not met cannot be found."""

    def make_model(self, inputs):
        return make_srl_tagger(self.config, inputs, self.labels)

    def targets(self, examples):
        tags = [example.tags for example in examples]
        return {"tags": tag_targets(tags, self.labels)}

    def loss(self, model, outputs, targets):
        del model
        return softmax_loss(outputs, targets["tags"])

    def combine(self, models, outputs):
        """Takes the mean of the members' probabilities of each token's tags.

        As He et al. 2017 do with five models.
        """
        scores = mean_scores(outputs)
        mask = outputs[0]["mask"]
        decoder = models[0].get_layer("decoder")
        return {"scores": scores, "mask": mask, **decoder(scores, mask=mask)}

    def decode(self, outputs):
        return decode_tags(outputs, self.labels)

    def predictions(self, examples, decoded):
        found = []
        for example, row in zip(examples, decoded["tags"], strict=True):
            if example.proposition is None:
                found.append(None)
                continue
            tags = [tag.decode() for tag in row[: len(example.sentence)]]
            found.append(_read_arguments(example.proposition, tags))
        return found

    def metrics(self, examples, predictions):
        gold = join_examples(
            examples, [example.proposition for example in examples]
        )
        found = score(gold, join_examples(examples, predictions))
        by_role = found.pop("by_role")
        del found["verb"]
        for role, values in by_role.items():
            found[f"f1/{role}"] = values["f1"]
        return found

    def write(self, examples, predictions, file):
        write_sentences(
            join_examples(examples, predictions), file, "words_and_props"
        )


def _read_words(path):
    sentences = read_sentences(path)
    for sentence in sentences:
        if sentence.tokens is None:
            raise InputError(
                f"{sentence.place()}: found no words, expected a file with a "
                "column of them; tasks.srl.convert --words=FILE makes one"
            )
    return sentences


def _read_arguments(proposition, tags):
    """The arguments of tags; V is at the predicate, whatever these say."""
    place = proposition.predicate
    if tags[place] not in (f"B-{_VERB}", f"I-{_VERB}"):
        tags[place] = f"B-{_VERB}"
    found = read_tags(proposition, tags)
    return dataclasses.replace(
        found,
        arguments=tuple(
            span
            for span in found.arguments
            if span.label != _VERB or span.start <= place < span.end
        ),
    )
