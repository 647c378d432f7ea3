"""Question answering on SQuAD as a task."""

import json

import numpy as np
import tensorflow as tf

from bidaf_tf import squad
from bidaf_tf import squad_metrics
from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.bidaf import make_bidaf
from bidaf_tf.self_attention import make_bidaf_self_attention
from bidaf_tf.span_decoding import n_best_spans
from tasks.squad.data import read_examples
from tasks.squad.data import read_examples_to_predict
from tasks.squad.data import read_training_examples
from tasks.squad.inspection import inspect_strings
from tasks.squad.inspection import make_inspector
from tasks.squad.ranking import join_members
from tasks.squad.ranking import rank_answers
from tasks.squad.string_answers import answer_strings
from tasks.squad.window_spans import WindowSpans
from tasks.task import Task


class SquadTask(Task):
    """Question answering on SQuAD (Seo et al. 2017; ELMo paper, section A.4).

    An example is a window of a question's context.
    """

    text_fields = TEXT_FIELDS
    metric = "f1"
    has_own_tokenizer = True

    def __init__(self, config):
        super().__init__(config)
        self.n_best = config.n_best

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
        """Puts the members' logits side by side, `[batch, members, 2, T]`.

        How much a member's probability in a window counts depends on its
        other windows, which may be in other batches: see `join_members`.
        """
        del models
        return {
            "logits": tf.stack(
                [
                    tf.stack([member["start"], member["end"]], axis=1)
                    for member in outputs
                ],
                axis=1,
            )
        }

    def decode(self, outputs):
        """Finds the best spans of each window.

        `starts`, `ends`, `probabilities` (in the window alone) and `ranks` (the
        sums of two logits) are `[batch, n_best]`; `totals`, of which
        `WindowSpans` tells, `[batch]`. An ensemble's logits are kept.
        """
        if "logits" in outputs:
            return outputs
        starts, ends, ranks = n_best_spans(
            outputs["start"],
            outputs["end"],
            self.n_best,
            max_length=self.config.max_answer_length,
        )
        totals = sum(
            tf.reduce_logsumexp(outputs[name], axis=-1)
            for name in ("start", "end")
        )
        return {
            "starts": starts,
            "ends": ends,
            "probabilities": tf.exp(ranks - totals[:, tf.newaxis]),
            "ranks": ranks,
            "totals": totals,
        }

    def predictions(self, examples, decoded):
        """A prediction is what is known of a window.

        It is the `WindowSpans`, or of an ensemble the members' logits, float32
        `[members, 2, tokens]`.
        """
        if "logits" in decoded:
            return [
                decoded["logits"][row, :, :, : len(example.context_tokens)]
                for row, example in enumerate(examples)
            ]
        return [
            WindowSpans(
                [
                    span
                    for span in zip(
                        *(
                            decoded[name][row].tolist()
                            for name in ("starts", "ends", "ranks")
                        ),
                        strict=True,
                    )
                    # The rest are not there or at padding.
                    if 0 <= span[0] <= span[1] < len(example.context_tokens)
                ],
                float(decoded["totals"][row]),
            )
            for row, example in enumerate(examples)
        ]

    def metrics(self, examples, predictions):
        answers = self._answers(examples, predictions)
        questions = {
            example.question.id: example.question for example in examples
        }
        found = squad_metrics.score(
            list(questions.values()), _best_texts(answers)
        )
        return {
            "exact_match": found["exact_match"] / 100,
            "f1": found["f1"] / 100,
            "questions": len(questions),
        }

    def write(self, examples, predictions, file):
        answers = self._answers(examples, predictions)
        json.dump(_best_texts(answers), file)
        file.write("\n")

    def write_n_best(self, examples, predictions, file):
        answers = self._answers(examples, predictions)
        json.dump(squad.n_best_fields(answers), file)
        file.write("\n")

    def _answers(self, examples, predictions):
        """Each question's `Answer`s, the best one first, by its id."""
        questions = {}
        for example, prediction in zip(examples, predictions, strict=True):
            own = questions.setdefault(example.question.id, ([], []))
            own[0].append(example)
            own[1].append(prediction)
        answers = {}
        for name, (windows, found) in questions.items():
            if not isinstance(found[0], WindowSpans):
                found = join_members(
                    found, self.n_best, self.config.max_answer_length
                )
            answers[name] = rank_answers(windows, found, self.n_best)
        return answers

    def from_strings(self, strings, tokenizer, answer):
        """Answers in characters of the context, in the graph.

        `answer`, `start`, `end` and `score` are the best one, `[batch]`;
        `answers`, `starts`, `ends` and `scores` the n best, `[batch, n_best]`.
        Where a context has no token, the answer is empty. Long contexts are
        answered in windows, as `read_to_predict` makes them.
        """
        del tokenizer
        return answer_strings(
            strings,
            answer,
            self.n_best,
            self.config.max_context_length,
            self.config.window_stride,
        )

    def inspector(self, model):
        return make_inspector(model)

    def inspect_strings(self, strings, inspect):
        return inspect_strings(strings, inspect, self.n_best)


def _best_texts(answers):
    return {name: ranked[0].text for name, ranked in answers.items()}
