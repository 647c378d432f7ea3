"""An exported question answering model."""

import sys

import tensorflow as tf

from bidaf_tf.answer import Answer
from bidaf_tf.report.inspected_text import InspectedText
from bidaf_tf.report.inspection import Inspection
from elmo_tf.errors import InputError
from elmo_tf.saved_model import open_saved_model
from elmo_tf.training.progress import Progress

_ARGUMENTS = {"context", "question"}


class QuestionAnswerer:
    """Runs the SavedModel of a question answering model, in batches.

    Args:
        path: The SavedModel's folder, as `tasks.export` writes it.
        batch_size: Number of questions of a batch.

    Raises:
        InputError: It is no SavedModel, is damaged, answers no questions, or
            has no signature `inspect`.
    """

    def __init__(self, path, batch_size):
        loaded = open_saved_model(path)
        signatures = loaded.signatures
        names = ", ".join(sorted(signatures)) or "none"
        default = signatures.get("default")
        if default is None or (
            default.structured_input_signature[1].keys() != _ARGUMENTS
        ):
            raise InputError(
                f"{path}: not a SavedModel of question answering: expected a "
                "signature default with the arguments context and question, "
                f"found the signatures {names}"
            )
        if "inspect" not in signatures:
            raise InputError(
                f"{path}: found the signatures {names}, expected inspect too: "
                "export the model anew (python -m tasks.export); a model with "
                "dynamic attention has no attention matrix, and never that "
                "signature"
            )
        # The signatures alone do not keep the variables.
        self._loaded = loaded
        self._batch_size = batch_size

    def answer(self, questions):
        """Answers questions, with progress on standard error.

        Args:
            questions: A list of `SquadQuestion`.

        Returns:
            A list of an `Answer` to each.
        """
        answers = [None] * len(questions)
        for index, found, row in self._run(
            "default",
            [(q.context, q.question) for q in questions],
            "question",
        ):
            answers[index] = _answer(found, row)
        return answers

    def inspect(self, texts, name):
        """Looks at how questions are answered, with progress likewise.

        Args:
            texts: A list of pairs of a context and a question; either may be
                blank.
            name: What to call them in progress lines.

        Yields:
            A tuple of a pair's place in the list and its `Inspection`; those
            of about the same length next to each other.
        """
        for index, found, row in self._run("inspect", texts, name):
            context = _text(found, row, "context")
            question = _text(found, row, "question")
            n = len(context.tokens)
            yield (
                index,
                Inspection(
                    answer=_answer(found, row),
                    context=context,
                    question=question,
                    attention=found["context_to_query"][
                        row, :n, : len(question.tokens)
                    ],
                    start_probabilities=found["start_probabilities"][row, :n],
                    end_probabilities=found["end_probabilities"][row, :n],
                ),
            )

    def _run(self, signature, texts, name):
        """Yields each pair's index, its batch's outputs and its row there."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i][0]))
        progress = Progress(
            len(order), unit="texts", step_name=name, file=sys.stderr
        )
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            outputs = self._loaded.signatures[signature](
                **{
                    name: tf.constant([texts[index][place] for index in batch])
                    for place, name in enumerate(("context", "question"))
                }
            )
            found = {name: value.numpy() for name, value in outputs.items()}
            for row, index in enumerate(batch):
                yield index, found, row
            progress.update(start + len(batch), len(batch), {})


def _answer(found, row):
    return Answer(
        found["answer"][row].decode("utf-8"),
        int(found["start"][row]),
        int(found["end"][row]),
        float(found["score"][row]),
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
