"""Cloze questions, with ids of entities that say nothing."""

import collections
import dataclasses
import sys

import numpy as np

from bidaf_tf.cloze_data import read_questions
from bidaf_tf.cloze_question import ClozeQuestion
from bidaf_tf.cloze_question import is_entity
from bidaf_tf.entity_numbers import number_entities
from bidaf_tf.entity_numbers import shuffled_ids
from elmo_tf.errors import InputError
from elmo_tf.token_batch import pad_tokens

_QUESTIONS_AT_ONCE = 256


@dataclasses.dataclass(frozen=True)
class ClozeExample:
    """A question and what its entities are called meanwhile.

    Attributes:
        question: The `ClozeQuestion`.
        entities: A tuple of its entities, in the order of their first
            occurrences in context and question, in which they are numbered.
        ids: A tuple of the ids 0, 1, … that they are called by, one for each.
    """

    question: ClozeQuestion
    entities: tuple
    ids: tuple

    @property
    def context_tokens(self):
        """A list of the context's tokens, its entities by the ids."""
        return self._renamed(self.question.context_tokens)

    @property
    def question_tokens(self):
        """Likewise, of the question."""
        return self._renamed(self.question.question_tokens)

    @property
    def answer(self):
        """The answer's number; None if the context does not have it."""
        if self.question.answer not in self.question.context_tokens:
            return None
        return self.entities.index(self.question.answer)

    def most_frequent(self, without_question=False):
        """Finds the entity that the context names most often.

        Of those that it names equally often, the first.

        Args:
            without_question: Whether only entities count that the question
                does not name; all, if there are no others.

        Returns:
            The entity.
        """
        # Of equals, what was counted first comes first.
        counts = collections.Counter(
            filter(is_entity, self.question.context_tokens)
        )
        named = self.question.question_tokens if without_question else ()
        ranked = [entity for entity, _ in counts.most_common()]
        others = [entity for entity in ranked if entity not in named]
        return (others or ranked)[0]

    def _renamed(self, tokens):
        names = {
            entity: f"@entity{number}"
            for entity, number in zip(self.entities, self.ids, strict=True)
        }
        return [names.get(token, token) for token in tokens]


def read_examples(path):
    """Reads questions to measure on.

    The ids are a shuffle that depends on the texts, but neither on how the
    entities are called there nor on anything else.

    Args:
        path: As for `bidaf_tf.cloze_data.read_questions`.

    Returns:
        A list of `ClozeExample`. How many answers are not in the context stands
        on standard error.

    Raises:
        InputError: As `read_questions`.
    """
    examples = _with_shuffled_ids(read_questions(path))
    n_missing = sum(example.answer is None for example in examples)
    if n_missing:
        _say(
            f"{path}: {n_missing} questions whose answer is not in the context "
            "count as wrong"
        )
    return examples


def read_examples_to_predict(path):
    """Reads questions to answer.

    Args:
        path: As for `read_examples`; answers may be missing.

    Returns:
        Likewise.

    Raises:
        InputError: Likewise.
    """
    return _with_shuffled_ids(read_questions(path, with_answers=False))


def read_training_examples(path):
    """Reads questions to learn from.

    Args:
        path: As for `read_examples`.

    Returns:
        A list of `ClozeExample` whose answers are in their contexts, their
        entities called by their numbers. How many were left out stands on
        standard error.

    Raises:
        InputError: As `read_questions`, or nothing is left.
    """
    questions = read_questions(path)
    examples = [
        example
        for example in map(_example, questions)
        if example.answer is not None
    ]
    n_left_out = len(questions) - len(examples)
    if n_left_out:
        _say(
            f"{path}: left out {n_left_out} questions whose answer is not in "
            "the context"
        )
    if not examples:
        raise InputError(f"{path}: found no question that can be learnt from")
    return examples


def shuffled(example, generator):
    """Calls an example's entities by other ids.

    Args:
        example: The `ClozeExample`.
        generator: The `numpy.random.Generator` to draw them from.

    Returns:
        A `ClozeExample`.
    """
    ids = generator.permutation(len(example.entities))
    return dataclasses.replace(example, ids=tuple(ids.tolist()))


def _example(question):
    """An example whose ids are the entities' numbers."""
    tokens = question.context_tokens + question.question_tokens
    # Each of the few names once in memory.
    entities = tuple(
        sys.intern(token) for token in dict.fromkeys(filter(is_entity, tokens))
    )
    return ClozeExample(question, entities, tuple(range(len(entities))))


def _with_shuffled_ids(questions):
    examples = list(map(_example, questions))
    for start in range(0, len(examples), _QUESTIONS_AT_ONCE):
        chosen = slice(start, start + _QUESTIONS_AT_ONCE)
        batch = examples[chosen]
        texts = [
            tuple(pad_tokens(sentences).values())
            for sentences in (
                [example.context_tokens for example in batch],
                [example.question_tokens for example in batch],
            )
        ]
        # The exported model's own, so that it answers as well.
        ids = np.array(shuffled_ids(texts, number_entities(texts)))
        examples[chosen] = [
            dataclasses.replace(
                example, ids=tuple(row[: len(example.ids)].tolist())
            )
            for example, row in zip(batch, ids, strict=True)
        ]
    return examples


def _say(text):
    print(text, file=sys.stderr, flush=True)
