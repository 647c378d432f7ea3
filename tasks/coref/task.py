"""Coreference resolution as a task."""

import dataclasses

import numpy as np
import tensorflow as tf

from elmo_tf.errors import InputError
from tasks.coref.antecedents import NO_CLUSTER
from tasks.coref.antecedents import antecedent_loss
from tasks.coref.antecedents import find_clusters
from tasks.coref.antecedents import mention_loss
from tasks.coref.data import find_document_writer
from tasks.coref.data import read_documents
from tasks.coref.links import join_links
from tasks.coref.links import list_links
from tasks.coref.links import mention_probabilities
from tasks.coref.metrics import score
from tasks.coref.model import GENRE
from tasks.coref.model import SENTENCE_LENGTHS
from tasks.coref.model import SENTENCE_NUMBERS
from tasks.coref.model import SPEAKERS
from tasks.coref.model import make_coref_model
from tasks.coref.segments import truncate_at_random
from tasks.task import Task
from tasks.text.sentences import sentence_numbers

_RATES = ("recall", "precision", "f1")


class CorefTask(Task):
    """Coreference resolution (section A.6).

    An example is a `CorefDocument`; a prediction, its clusters: a tuple of
    tuples of mentions `(first, last)`.
    """

    metric = "average_f1"

    def read(self, path):
        return read_documents(path)

    def read_training(self, path):
        documents = self.read(path)
        if not any(document.clusters for document in documents):
            raise InputError(
                f"{path}: found no cluster, expected some to learn from"
            )
        return documents

    def texts(self, example):
        return [example.tokens]

    def sentences(self, example):
        return [example.sentences]

    def sentence_lengths(self, extra):
        return [extra[SENTENCE_LENGTHS]]

    @property
    def extra_inputs(self):
        """`speakers` are the names, and `genre` as a document's name begins.

        Where no speakers are known, `speakers` may have no columns.
        """
        return {
            SENTENCE_LENGTHS: tf.TensorSpec([None, None], tf.int32),
            SPEAKERS: tf.TensorSpec([None, None], tf.string),
            GENRE: tf.TensorSpec([None], tf.string),
        }

    def extra_values(self, examples):
        return {
            SENTENCE_LENGTHS: _padded(
                [[*map(len, example.sentences)] for example in examples], 0
            ),
            SPEAKERS: _padded(
                [
                    [name for row in example.speakers for name in row]
                    for example in examples
                ],
                "",
            ),
            GENRE: [example.genre or "" for example in examples],
        }

    def warm_up_extra(self, texts):
        lengths = [len(tokens) for (tokens,) in texts]
        return {
            SENTENCE_LENGTHS: [[length] for length in lengths],
            SPEAKERS: [[""] * max(lengths)] * len(texts),
            GENRE: [""] * len(texts),
        }

    @property
    def model_inputs(self):
        return {
            SENTENCE_LENGTHS: tf.TensorSpec([None, None], tf.int32),
            SENTENCE_NUMBERS: tf.TensorSpec([None, None], tf.int32),
            SPEAKERS: tf.TensorSpec([None, None], tf.int32),
            GENRE: tf.TensorSpec([None], tf.int32),
        }

    def make_model_inputs(self, texts, extra):
        """Checks that sentences and speakers are those of the tokens."""
        ((tokens, n_tokens),) = texts
        n_documents, time = tf.unstack(tf.shape(tokens))
        row_checks = [
            tf.debugging.Assert(
                tf.equal(tf.shape(extra[name])[0], n_documents),
                [
                    f"{name}: expected as many rows as there are documents. "
                    "Found:",
                    tf.shape(extra[name])[0],
                ],
            )
            for name in self.extra_inputs
        ]
        with tf.control_dependencies(row_checks):
            lengths = _lengths_within(extra[SENTENCE_LENGTHS], n_tokens)
            speakers = tf.identity(extra[SPEAKERS])
        is_wrong = tf.reduce_any(lengths < 0, axis=1)
        is_wrong |= tf.not_equal(tf.reduce_sum(lengths, axis=1), n_tokens)
        check = tf.debugging.Assert(
            ~tf.reduce_any(is_wrong),
            [
                f"{SENTENCE_LENGTHS}: expected the numbers of tokens of a "
                "document's sentences, which are together as many as the "
                "document has. Found:",
                tf.boolean_mask(lengths, is_wrong),
            ],
        )
        n_speakers = tf.shape(speakers)[1]
        are_known = n_speakers > 0
        speakers_check = tf.debugging.Assert(
            tf.equal(n_speakers, time) | ~are_known,
            [
                f"{SPEAKERS}: expected as many columns as the tokens have, "
                "empty ones behind the end of a document, or none. Found:",
                n_speakers,
            ],
        )
        speakers = tf.cond(
            are_known, lambda: speakers, lambda: tf.fill(tf.shape(tokens), "")
        )
        with tf.control_dependencies([check, speakers_check]):
            lengths = tf.identity(lengths)
            speakers = tf.identity(speakers)
        # Any numbers, the same for the same name.
        _, numbers = tf.unique(tf.reshape(speakers, [-1]))
        genres = tf.constant(self.config.genres, tf.string, [self._n_genres])
        # [batch, genres]
        is_genre = tf.equal(extra[GENRE][:, tf.newaxis], genres)
        genre = tf.reduce_sum(
            tf.where(is_genre, tf.range(1, self._n_genres + 1), 0), axis=1
        )
        return {
            SENTENCE_LENGTHS: lengths,
            SENTENCE_NUMBERS: sentence_numbers(lengths, time),
            SPEAKERS: tf.reshape(numbers, tf.shape(speakers)),
            GENRE: genre,
        }

    def training_view(self, example, generator):
        return truncate_at_random(
            example, self.config.max_training_sentences, generator
        )

    def learn(self, examples):
        """Nothing: clusters have no labels."""

    def state(self):
        return {}

    def restore(self, state):
        """Nothing, as `learn`."""

    def check(self, examples):
        """Nothing: any document can be measured."""

    def make_model(self, inputs):
        return make_coref_model(self.config, inputs)

    def targets(self, examples):
        """The number of each span's cluster, `[examples, time, max_width]`."""
        max_width = self.config.max_span_width
        time = max(len(example.tokens) for example in examples)
        table = np.full([len(examples), time, max_width], NO_CLUSTER, np.int32)
        for rows, example in zip(table, examples, strict=True):
            for number, cluster in enumerate(example.clusters):
                for first, last in cluster:
                    if last - first < max_width:
                        rows[first, last - first] = number
        return {"clusters": table}

    def loss(self, model, outputs, targets):
        del model
        clusters = targets["clusters"]
        # [batch, time, max_width] → [batch, kept]
        kept_clusters = tf.gather(
            tf.reshape(clusters, [tf.shape(clusters)[0], -1]),
            outputs["places"],
            batch_dims=1,
        )
        losses = antecedent_loss(
            outputs["scores"], kept_clusters, outputs["mask"]
        )
        if self.config.singletons:
            losses += mention_loss(
                outputs["mention_scores"], clusters, outputs["candidates"]
            )
        return losses

    def combine(self, models, outputs):
        """Puts the members' links side by side; see `join_links`."""
        del models
        links = list(map(list_links, outputs))
        joined = {
            name: tf.concat([member[name] for member in links], axis=1)
            for name in links[0]
        }
        batch = tf.shape(joined["first"])[0]
        return {**joined, "n_members": tf.fill([batch], len(outputs))}

    def decode(self, outputs):
        """Finds the clusters of the spans that are kept.

        `first`, `last` and `cluster` are int32 `[batch, kept]`, with −1 in the
        last where a span is in no cluster. An ensemble's links are kept.
        """
        if "n_members" in outputs:
            return outputs
        return {
            "first": outputs["first"],
            "last": outputs["last"],
            "cluster": find_clusters(
                outputs["scores"],
                outputs["mask"],
                mention_probabilities(outputs) > 0.5,
            ),
        }

    def predictions(self, examples, decoded):
        found = []
        for row in range(len(examples)):
            values = {name: value[row] for name, value in decoded.items()}
            if "n_members" in values:
                clusters = join_links(values, int(values["n_members"]))
            else:
                clusters = _read_clusters(values)
            found.append(tuple(map(tuple, clusters)))
        return found

    def metrics(self, examples, predictions):
        found = score(
            (example.clusters, clusters)
            for example, clusters in zip(examples, predictions, strict=True)
        )
        average = found.pop("average_f1")
        return {
            self.metric: average,
            **{
                f"{name}/{rate}": value
                for name, values in found.items()
                for rate, value in zip(_RATES, values, strict=True)
            },
        }

    def write(self, examples, predictions, file):
        """Writes CoNLL-2012's format."""
        self.writer("")(examples, predictions, file)

    def writer(self, output):
        """JSON lines for a name that ends so, else `write`."""
        write_document = find_document_writer(output)

        def write(examples, predictions, file):
            for example, clusters in zip(examples, predictions, strict=True):
                write_document(
                    file, dataclasses.replace(example, clusters=clusters)
                )

        return write

    @property
    def _n_genres(self):
        return len(self.config.genres)


def _lengths_within(lengths, n_tokens):
    """Takes sentences behind the end of a document, any padding, for none.

    TensorFlow Serving pads rows with a request's first value, not with zeros.
    """
    if not lengths.shape[:1].is_compatible_with(n_tokens.shape):
        # Which the check of the numbers of rows refuses.
        return lengths
    starts = tf.cumsum(lengths, axis=1, exclusive=True)
    return tf.where(starts < n_tokens[:, tf.newaxis], lengths, 0)


def _padded(rows, value):
    longest = max(map(len, rows))
    return [[*row, *[value] * (longest - len(row))] for row in rows]


def _read_clusters(values):
    clusters = {}
    for first, last, number in zip(
        *(values[name].tolist() for name in ("first", "last", "cluster")),
        strict=True,
    ):
        if number != NO_CLUSTER:
            clusters.setdefault(number, []).append((first, last))
    return list(clusters.values())
