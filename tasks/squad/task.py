"""Question answering on SQuAD as a task."""

import json

import numpy as np
import tensorflow as tf

from bidaf_tf import squad_metrics
from bidaf_tf import word_tokenizer
from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.bidaf import make_bidaf
from bidaf_tf.self_attention import make_bidaf_self_attention
from bidaf_tf.span_decoding import n_best_spans
from tasks.squad.data import read_examples
from tasks.squad.data import read_examples_to_predict
from tasks.squad.data import read_training_examples
from tasks.squad.squad_prediction import SquadPrediction
from tasks.task import Task


class SquadTask(Task):
    """Question answering on SQuAD (Seo et al. 2017; ELMo paper, section A.4).

    A prediction is a list of `SquadPrediction`, the best one first.
    """

    text_fields = TEXT_FIELDS
    metric = "f1"
    has_own_tokenizer = True

    def read(self, path):
        return read_examples(
            path, self.config.max_context_length, self.config.window_stride
        )

    def read_training(self, path):
        return read_training_examples(
            path,
            self.config.max_context_length,
            self.config.max_question_length,
        )

    def read_to_predict(self, path):
        return read_examples_to_predict(
            path, self.config.max_context_length, self.config.window_stride
        )

    def texts(self, example):
        return [example.context_tokens, example.question_tokens]

    def learn(self, examples):
        """Nothing: answers are places."""

    def state(self):
        return {}

    def restore(self, state):
        """Nothing, as `learn`."""

    def check(self, examples):
        """Nothing, as `learn`."""

    def make_model(self, inputs):
        config = self.config.model
        if isinstance(config, BiDAFConfig):
            return make_bidaf(config, inputs)
        return make_bidaf_self_attention(config, inputs)

    def targets(self, examples):
        first, last = zip(
            *(example.answer for example in examples), strict=True
        )
        return {
            "start": np.array(first, np.int32),
            "end": np.array(last, np.int32),
        }

    def loss(self, model, outputs, targets):
        """The mean of equation 5 of Seo et al., each example's part."""
        return sum(
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                targets[name], outputs[name]
            )
            for name in ("start", "end")
        )

    def combine(self, models, outputs):
        """Takes the mean of the probabilities that the members give a span.

        By their sum, "the sum of confidence scores", Seo et al. choose the
        answer of their twelve members (section 4).
        """
        del models
        # [members, batch, T] and [members, batch, T] → [batch, T, T]
        probabilities = tf.einsum(
            "mbs,mbe->bse",
            tf.nn.softmax(tf.stack([member["start"] for member in outputs])),
            tf.nn.softmax(tf.stack([member["end"] for member in outputs])),
        )
        return {"spans": probabilities / len(outputs)}

    def decode(self, outputs):
        config = self.config
        if "spans" in outputs:
            starts, ends, probabilities = _best_of_all_spans(
                outputs["spans"], config.n_best, config.max_answer_length
            )
            ranks = probabilities
        else:
            starts, ends, ranks = n_best_spans(
                outputs["start"],
                outputs["end"],
                config.n_best,
                max_length=config.max_answer_length,
            )
            # [batch] → [batch, 1]
            total = sum(
                tf.reduce_logsumexp(outputs[name], axis=-1, keepdims=True)
                for name in ("start", "end")
            )
            probabilities = tf.exp(ranks - total)
        # Each [batch, n_best]
        return {
            "starts": starts,
            "ends": ends,
            "probabilities": probabilities,
            "ranks": ranks,
        }

    def predictions(self, examples, decoded):
        return [
            [
                SquadPrediction(
                    example.text(first, last),
                    example.starts[first],
                    example.ends[last],
                    float(probability),
                    float(rank),
                )
                for first, last, probability, rank in zip(
                    *(
                        decoded[name][row].tolist()
                        for name in ("starts", "ends", "probabilities", "ranks")
                    ),
                    strict=True,
                )
                # The rest are not there or at padding.
                if 0 <= first <= last < len(example.context_tokens)
            ]
            for row, example in enumerate(examples)
        ]

    def metrics(self, examples, predictions):
        answers = _answers(examples, predictions)
        questions = {
            example.question.id: example.question for example in examples
        }
        found = squad_metrics.score(
            list(questions.values()),
            {name: ranked[0].text for name, ranked in answers.items()},
        )
        return {
            "exact_match": found["exact_match"] / 100,
            "f1": found["f1"] / 100,
            "questions": len(questions),
        }

    def write(self, examples, predictions, file):
        answers = _answers(examples, predictions)
        json.dump(
            {name: ranked[0].text for name, ranked in answers.items()}, file
        )
        file.write("\n")

    def from_strings(self, strings, tokenizer, answer):
        """Answers in characters of the context, in the graph.

        `answer`, `start`, `end` and `score` are the best one, `[batch]`;
        `answers`, `starts`, `ends` and `scores` the n best, `[batch, n_best]`.
        Where a context has no token, the answer is empty.
        """
        del tokenizer
        # As the tokenizer does where bytes are not UTF-8.
        strings = [
            tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8")
            for texts in strings
        ]
        rows = [word_tokenizer.tokenize(texts) for texts in strings]
        found = answer([_padded(tokens.texts) for tokens in rows])
        starts, ends = (
            _offsets(offsets, found[name])
            for offsets, name in (
                (rows[0].starts, "starts"),
                (rows[0].ends, "ends"),
            )
        )
        is_answer = ends > starts
        starts, ends = (
            tf.where(is_answer, offsets, 0) for offsets in (starts, ends)
        )
        # [batch] → [batch, n_best]
        contexts = tf.repeat(
            strings[0][:, tf.newaxis], tf.shape(starts)[1], axis=1
        )
        answers = tf.strings.substr(
            contexts, starts, ends - starts, unit="UTF8_CHAR"
        )
        several = {
            "answers": answers,
            "starts": starts,
            "ends": ends,
            "scores": tf.where(is_answer, found["probabilities"], 0.0),
        }
        one = {
            name.removesuffix("s"): values[:, 0]
            for name, values in several.items()
        }
        return {**several, **one}


def _best_of_all_spans(probabilities, n, max_length):
    """The n best of spans `[batch, T, T]`, as `n_best_spans` gives them."""
    time = tf.shape(probabilities)[1]
    places = tf.range(time)
    length = places - places[:, tf.newaxis]
    allowed = length >= 0
    if max_length is not None:
        allowed &= length < max_length
    # [batch, T, T] → [batch, T · T], and n that are not there.
    scores = tf.reshape(
        tf.where(allowed, probabilities, -1.0),
        [tf.shape(probabilities)[0], time * time],
    )
    scores = tf.pad(scores, [[0, 0], [0, n]], constant_values=-1.0)
    scores, indices = tf.math.top_k(scores, n)
    is_span = scores >= 0
    return (
        tf.where(is_span, indices // time, -1),
        tf.where(is_span, indices % time, -1),
        tf.maximum(scores, 0.0),
    )


def _answers(examples, predictions):
    """Each question's answers, the best of all its windows first, by its id."""
    answers = {}
    for example, found in zip(examples, predictions, strict=True):
        known = answers.setdefault(example.question.id, {})
        for prediction in found:
            # Two windows may have the same answer.
            place = prediction.start, prediction.end
            if place not in known or known[place].rank < prediction.rank:
                known[place] = prediction
    return {
        name: sorted(known.values(), key=lambda found: -found.rank)
        for name, known in answers.items()
    }


def _padded(tokens):
    """Tokens `[batch, time]` with one step at least, and their numbers."""
    padded = tokens.to_tensor(default_value="")
    padded = tf.pad(
        padded,
        [[0, 0], [0, tf.maximum(1 - tf.shape(padded)[1], 0)]],
        constant_values="",
    )
    return padded, tf.cast(tokens.row_lengths(), tf.int32)


def _offsets(offsets, places):
    """Looks up tokens' offsets `[batch, None]` at places `[batch, n]`.

    Where there is no such token, it is −1 in `starts`' place and in `ends`'.
    """
    padded = offsets.to_tensor(default_value=-1)
    # The last column is that of no token.
    padded = tf.pad(padded, [[0, 0], [0, 1]], constant_values=-1)
    last = tf.shape(padded)[1] - 1
    places = tf.where((places >= 0) & (places < last), places, last)
    return tf.gather(padded, places, batch_dims=1)
