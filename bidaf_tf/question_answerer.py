"""A few lines of Python from a context and a question to answers."""

import os
import re

import tensorflow as tf

from bidaf_tf.answer import Answer
from elmo_tf.errors import InputError
from elmo_tf.saved_model import open_saved_model

_SIGNATURE = "default"
_ARGUMENTS = ("context", "question")
_OUTPUTS = ("answers", "starts", "ends", "scores")

# Texts that the SavedModel is given at once; it runs a few of their windows at
# a time.
_QUESTIONS_AT_ONCE = 256


class QuestionAnswerer:
    """Answers questions about texts with an exported model.

    Contexts and questions are str of any length and script; a character that
    has no UTF-8 form, a lone surrogate, is read as U+FFFD. What stands beside a
    question makes no difference to its answers.

    Args:
        saved_model: The folder of a SavedModel that `tasks.export` wrote of a
            model of question answering.

    Raises:
        InputError: There is no SavedModel, it is damaged, or it is none of
            question answering.
    """

    def __init__(self, saved_model):
        self._loaded = open_saved_model(saved_model)
        name = os.fspath(saved_model)
        signatures = self._loaded.signatures
        if _SIGNATURE not in signatures:
            raise InputError(
                f"{name}: not a SavedModel of question answering: expected a "
                f"signature {_SIGNATURE}, found the signatures "
                f"{', '.join(sorted(signatures)) or 'none'}"
            )
        self._answer = signatures[_SIGNATURE]
        for kind, expected, found in (
            (
                "arguments",
                _ARGUMENTS,
                self._answer.structured_input_signature[1],
            ),
            ("outputs", _OUTPUTS, self._answer.structured_outputs),
        ):
            missing = set(expected) - found.keys()
            if missing or (kind == "arguments" and len(found) != 2):
                raise InputError(
                    f"{name}: not a SavedModel of question answering: expected "
                    f"the {kind} {', '.join(expected)} of the signature "
                    f"{_SIGNATURE}, found {', '.join(sorted(found)) or 'none'}"
                )

    @property
    def signatures(self):
        """The SavedModel's functions by their names."""
        return self._loaded.signatures

    @property
    def n_best(self):
        """How many answers to a question the SavedModel gives at most."""
        return self._answer.structured_outputs["answers"].shape[1]

    def answer(self, context, question, n=1):
        """Answers a question about a text.

        Args:
            context: The text, str.
            question: The question, str.
            n: How many answers to give, at most `n_best`.

        Returns:
            A list of `Answer`, the best one first: n, or as many as the context
            has; where it is blank, one that is empty and has score 0.

        Raises:
            InputError: `context` or `question` is no str, or `n` is none of the
                numbers above.
        """
        (answers,) = self._checked([context], [question], n, is_batch=False)
        return answers

    def answer_batch(self, contexts, questions, n=1):
        """Answers many questions, each about a text of its own.

        Args:
            contexts: A list of texts, str.
            questions: A list of as many questions, str.
            n: As for `answer`.

        Returns:
            A list of what `answer` returns for each.

        Raises:
            InputError: `contexts` or `questions` is no list or tuple, or has
                something else than str inside, they are not as many, or as for
                `answer`.
        """
        for name, texts in (("contexts", contexts), ("questions", questions)):
            if not isinstance(texts, (list, tuple)):
                raise InputError(
                    f"{name}: found {type(texts).__name__}, expected a list of "
                    "str"
                )
        if len(contexts) != len(questions):
            raise InputError(
                f"questions: found {len(questions)}, expected "
                f"{len(contexts)}, one for each context"
            )
        return self._checked(contexts, questions, n, is_batch=True)

    def _checked(self, contexts, questions, n, is_batch):
        for name, texts in (("context", contexts), ("question", questions)):
            for number, text in enumerate(texts):
                if not isinstance(text, str):
                    place = f"{name}s[{number}]" if is_batch else name
                    raise InputError(
                        f"{place}: found {type(text).__name__}, expected str"
                    )
        if type(n) is not int or not 1 <= n <= self.n_best:
            raise InputError(
                f"n: found {n!r}, expected a number from 1 to {self.n_best}, "
                "how many answers the SavedModel gives"
            )
        answers = []
        for start in range(0, len(contexts), _QUESTIONS_AT_ONCE):
            part = slice(start, start + _QUESTIONS_AT_ONCE)
            answers += self._answers(contexts[part], questions[part], n)
        return answers

    def _answers(self, contexts, questions, n):
        found = self._answer(
            context=tf.constant(list(map(_utf8, contexts)), tf.string),
            question=tf.constant(list(map(_utf8, questions)), tf.string),
        )
        starts, ends, scores = (
            found[name][:, :n].numpy().tolist()
            for name in ("starts", "ends", "scores")
        )
        return [
            [
                # Of the text as it was given.
                Answer(context[start:end], start, end, score)
                for start, end, score in ranked
                if start < end
            ]
            or [Answer("", 0, 0, 0.0)]
            for context, ranked in zip(
                contexts,
                (
                    zip(*columns, strict=True)
                    for columns in zip(starts, ends, scores, strict=True)
                ),
                strict=True,
            )
        ]


def _utf8(text):
    # One character in its place keeps the offsets right.
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()
