"""An exported question answering model that can be looked into."""

import sys

import tensorflow as tf

from bidaf_tf.question_answerer import QuestionAnswerer
from bidaf_tf.report.inspected_text import InspectedText
from bidaf_tf.report.inspection import Inspection
from elmo_tf.errors import InputError
from elmo_tf.training.progress import Progress

_SIGNATURE = "inspect"


class ExportedModel:
    """Runs the SavedModel of a question answering model, in batches.

    Args:
        path: The SavedModel's folder, as `tasks.export` writes it.
        batch_size: Number of texts that are read at once.

    Raises:
        InputError: It is no SavedModel, is damaged, answers no questions, or
            has no signature `inspect`.
    """

    def __init__(self, path, batch_size):
        self._answerer = QuestionAnswerer(path)
        signatures = self._answerer.signatures
        if _SIGNATURE not in signatures:
            raise InputError(
                f"{path}: found the signatures {', '.join(sorted(signatures))},"
                f" expected {_SIGNATURE} too: export the model anew (python -m "
                "tasks.export); a model with dynamic attention has no "
                "attention matrix, and never that signature"
            )
        self._inspect = signatures[_SIGNATURE]
        self._batch_size = batch_size

    def answer(self, questions):
        """Answers questions, with progress on standard error.

        Args:
            questions: A list of `SquadQuestion`.

        Returns:
            A list of an `Answer` to each.
        """
        answers = [None] * len(questions)
        for batch in self._batches([q.context for q in questions], "question"):
            found = self._answerer.answer_batch(
                [questions[index].context for index in batch],
                [questions[index].question for index in batch],
            )
            for index, (answer,) in zip(batch, found, strict=True):
                answers[index] = answer
        return answers

    def inspect(self, texts, name):
        """Looks at how questions are answered, with progress likewise.

        A context is read in one piece, however long.

        Args:
            texts: A list of pairs of a context and a question; either may be
                blank.
            name: What to call them in progress lines.

        Yields:
            A tuple of a pair's place in the list and its `Inspection`; those
            of about the same length next to each other.
        """
        for batch in self._batches([context for context, _ in texts], name):
            contexts, questions = zip(
                *(texts[index] for index in batch), strict=True
            )
            outputs = self._inspect(
                context=tf.constant(contexts), question=tf.constant(questions)
            )
            found = {name: value.numpy() for name, value in outputs.items()}
            for row, index in enumerate(batch):
                yield index, _inspection(found, row)

    def _batches(self, contexts, name):
        """Yields lists of places, of contexts of like length."""
        order = sorted(range(len(contexts)), key=lambda i: len(contexts[i]))
        progress = Progress(
            len(order), unit="texts", step_name=name, file=sys.stderr
        )
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            yield batch
            progress.update(start + len(batch), len(batch), {})


def _inspection(found, row):
    context = _text(found, row, "context")
    question = _text(found, row, "question")
    n = len(context.tokens)
    return Inspection(
        context=context,
        question=question,
        attention=found["context_to_query"][row, :n, : len(question.tokens)],
        start_probabilities=found["start_probabilities"][row, :n],
        end_probabilities=found["end_probabilities"][row, :n],
    )


def _text(found, row, field):
    n = found[f"{field}_sequence_len"][row]
    arrays = {
        # Copies, so that the batch does not stay in memory.
        name: found[f"{field}_{name}"][row, :n].copy()
        for name in (
            "starts",
            "ends",
            "contextual_vectors",
            "word_vectors",
            "is_known",
        )
        if f"{field}_{name}" in found
    }
    tokens = found[f"{field}_tokens"][row, :n]
    return InspectedText([token.decode("utf-8") for token in tokens], **arrays)
