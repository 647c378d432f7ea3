"""Reads and writes the files of SQuAD (Rajpurkar et al. 2016).

A data file is a JSON object, `{"data": [article, …]}`, in which an article has
`title` and `paragraphs`, a paragraph `context` and `qas`, a question `id`,
`question` and `answers`, and an answer `text` and `answer_start`. SQuAD 2.0
adds questions with `is_impossible` and without answers. A predictions file is
a JSON object from question ids to answers, as the official scorer reads it.
An n-best file is one from question ids to lists of objects with `text`,
`probability`, `start` and `end`, the best answer first.
"""

import dataclasses
import itertools
import json
import operator
import os
import re

from bidaf_tf.answer import Answer
from bidaf_tf.squad_answer import SquadAnswer
from bidaf_tf.squad_question import SquadQuestion
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.text import shards

_KINDS = {
    bool: "true or false",
    dict: "an object",
    float: "a number from 0 to 1",
    int: "a whole number",
    list: "a list",
    str: "a text",
}
_LONGEST_QUOTED = 60


@dataclasses.dataclass(frozen=True)
class SquadData:
    """What a data file holds.

    Attributes:
        questions: A tuple of `SquadQuestion`, in the order of the file.
        n_unanswerable: How many questions the file says to have no answer,
            whether they are among `questions` or not.
        n_misplaced_answers: How many of the answers of `questions` do not stand
            where `answer_start` says.
    """

    questions: tuple
    n_unanswerable: int
    n_misplaced_answers: int


def read_data(path, keep_unanswerable=False):
    """Reads questions with their answers.

    Args:
        path: A file in SQuAD's format, version 1.1 or 2.0, plain or gzip.
        keep_unanswerable: Whether questions that have no answer (that have
            `is_impossible`, or none or only blank ones in `answers`) are kept.

    Returns:
        The `SquadData`, with at least one question. An answer that does not
        stand where its `answer_start` says is kept and counted: it is still an
        answer to compare with.

    Raises:
        InputError: The file cannot be read, is no JSON or not in that format,
            two questions have the same id, or no question is left; with the
            article, the paragraph and the question.
    """
    return _read(path, keep_unanswerable, with_answers=True)


def read_questions(path):
    """Reads questions that are to be answered.

    Args:
        path: As in `read_data`; the questions need not have `answers`.

    Returns:
        The `SquadData` of all questions, those without an answer included.

    Raises:
        InputError: As `read_data`.
    """
    return _read(path, keep_unanswerable=True, with_answers=False)


def write_data(path, questions):
    """Writes questions to a file in SQuAD's format, version 1.1.

    Args:
        path: The file to write.
        questions: `SquadQuestion` objects that have answers. Those next to each
            other with the same title make an article, those of them next to
            each other with the same context a paragraph.
    """
    articles = [
        {"title": title, "paragraphs": _paragraphs(group)}
        for title, group in _grouped(questions, "title")
    ]
    _write_json(path, {"version": "1.1", "data": articles})


def read_predictions(path):
    """Reads answers to compare with those of a data file.

    Args:
        path: A JSON file, plain or gzip: an object from question ids to texts.

    Returns:
        A dict from question ids to texts.

    Raises:
        InputError: The file cannot be read, is no JSON object, or holds
            something else than texts.
    """
    path = os.fspath(path)
    predictions = _read_json(path, "an object from question ids to answers")
    _check_kind(predictions, dict, path)
    return {
        question_id: _text(text, f"{path}: question {question_id!r}")
        for question_id, text in predictions.items()
    }


def write_predictions(path, predictions):
    """Writes answers as the official scorer reads them.

    Args:
        path: The file to write.
        predictions: A dict from question ids to texts.
    """
    _write_json(path, predictions)


def n_best_fields(answers):
    """Makes of answers what an n-best file holds.

    Args:
        answers: A dict from question ids to lists of `Answer`.

    Returns:
        A dict of plain values, for JSON.
    """
    return {
        question_id: [
            {
                "text": answer.text,
                "probability": answer.score,
                "start": answer.start,
                "end": answer.end,
            }
            for answer in ranked
        ]
        for question_id, ranked in answers.items()
    }


def read_n_best(path):
    """Reads the n best answers to each question.

    Args:
        path: An n-best file, plain or gzip.

    Returns:
        A dict from question ids to lists of `Answer`, one at least each.

    Raises:
        InputError: The file cannot be read or is none of n-best answers, or a
            question has no answer or one place twice; with the question and
            the answer.
    """
    path = os.fspath(path)
    content = _read_json(path, "an object from question ids to n best answers")
    _check_kind(content, dict, path)
    answers = {}
    for question_id, ranked in content.items():
        place = f"{path}: question {question_id!r}"
        _check_kind(ranked, list, place)
        if not ranked:
            raise InputError(f"{place}: found no answer, expected at least one")
        answers[question_id] = [
            _ranked_answer(fields, f"{place}, answer {number}")
            for number, fields in enumerate(ranked, start=1)
        ]
        places = set()
        for number, answer in enumerate(answers[question_id], start=1):
            if (answer.start, answer.end) in places:
                raise InputError(
                    f"{place}, answer {number}: found the place of an earlier "
                    f"answer, {answer.start} to {answer.end}, expected another"
                )
            places.add((answer.start, answer.end))
    return answers


def write_n_best(path, answers):
    """Writes an n-best file.

    Args:
        path: The file to write.
        answers: A dict from question ids to lists of `Answer`, the best first.
    """
    _write_json(path, n_best_fields(answers))


def _read(path, keep_unanswerable, with_answers):
    path = os.fspath(path)
    content = _read_json(path, "questions in SQuAD's JSON format")
    questions = {}
    n_unanswerable = n_misplaced = n_read = 0
    for question, place in _parse(content, path, with_answers):
        n_read += 1
        n_unanswerable += not question.is_answerable
        if question.id in questions:
            raise InputError(
                f"{place}: found the id of an earlier question, expected one "
                "of its own"
            )
        # A question left out still has its id.
        questions[question.id] = None
        if question.is_answerable or keep_unanswerable:
            questions[question.id] = question
            n_misplaced += sum(
                not answer.stands_in(question.context)
                for answer in question.answers
            )
    kept = tuple(filter(None, questions.values()))
    if not n_read:
        raise InputError(f"{path}: found no question, expected at least one")
    if not kept:
        raise InputError(
            f"{path}: found no question with an answer (of {n_read} in all), "
            "expected at least one"
        )
    return SquadData(kept, n_unanswerable, n_misplaced)


def _parse(content, path, with_answers):
    """Yields each question and its place in words."""
    _check_kind(content, dict, path)
    articles = _field(content, "data", list, path)
    for article_number, article in enumerate(articles, start=1):
        place = f"{path}: article {article_number}"
        _check_kind(article, dict, place)
        title = _field(article, "title", str, place, default="")
        paragraphs = _field(article, "paragraphs", list, place)
        for number, paragraph in enumerate(paragraphs, start=1):
            place = f"{path}: article {article_number}, paragraph {number}"
            _check_kind(paragraph, dict, place)
            context = _field(paragraph, "context", str, place)
            for question in _field(paragraph, "qas", list, place):
                yield _question(question, title, context, place, with_answers)


def _question(fields, title, context, place, with_answers):
    _check_kind(fields, dict, place)
    question_id = _field(fields, "id", str, place)
    place = f"{place}, question {question_id!r}"
    is_impossible = _field(fields, "is_impossible", bool, place, default=False)
    default = () if is_impossible or not with_answers else None
    answers = tuple(
        _answer(answer, f"{place}, answer {number}")
        for number, answer in enumerate(
            _field(fields, "answers", list, place, default), start=1
        )
    )
    has_answer = any(answer.text.strip() for answer in answers)
    question = SquadQuestion(
        id=question_id,
        title=title,
        context=context,
        question=_field(fields, "question", str, place),
        answers=answers,
        is_answerable=not is_impossible
        and (has_answer or "answers" not in fields),
    )
    return question, place


def _answer(fields, place):
    _check_kind(fields, dict, place)
    return SquadAnswer(
        text=_field(fields, "text", str, place),
        start=_field(fields, "answer_start", int, place),
    )


def _ranked_answer(fields, place):
    _check_kind(fields, dict, place)
    probability = fields.get("probability")
    if type(probability) is int and probability in (0, 1):
        fields = {**fields, "probability": float(probability)}
    answer = Answer(
        text=_field(fields, "text", str, place),
        start=_field(fields, "start", int, place),
        end=_field(fields, "end", int, place),
        score=_field(fields, "probability", float, place),
    )
    # What is not a number is not in this range either.
    if not 0 <= answer.score <= 1:
        raise InputError(
            f"{place}: found {answer.score} as probability, expected "
            f"{_KINDS[float]}"
        )
    if answer.start < 0 or answer.end - answer.start != len(answer.text):
        raise InputError(
            f"{place}: found {answer.start} and {answer.end} as start and end, "
            f"expected offsets {len(answer.text)} characters apart, as the "
            "text is long"
        )
    return answer


def _field(fields, name, kind, place, default=None):
    if name not in fields:
        if default is None:
            raise InputError(
                f"{place}: found no {name}, expected {_KINDS[kind]}"
            )
        return default
    value = fields[name]
    _check_kind(value, kind, place, f" as {name}")
    return _text(value, place) if kind is str else value


def _check_kind(value, kind, place, role=""):
    # To Python, true is a whole number too.
    if type(value) is not kind:
        raise InputError(
            f"{place}: found {_quoted(value)}{role}, expected {_KINDS[kind]}"
        )


def _text(value, place):
    _check_kind(value, str, place)
    # A lone surrogate, which JSON can hold, has no UTF-8 form. A character in
    # its place keeps the offsets right.
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def _quoted(value):
    """A JSON value's beginning, for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deeply"
    if len(text) > _LONGEST_QUOTED:
        text = f"{text[:_LONGEST_QUOTED]}…"
    return text


def _read_json(path, expected):
    shards.check_file(path, expected)
    content = b"".join(shards.read_blocks(path)).decode()
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{error.lineno}: found no valid JSON ({error.msg}, "
            f"character {error.colno} of the line), expected {expected}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InputError(
            f"{path}: found no valid JSON ({error}), expected {expected}"
        ) from None


def _write_json(path, content):
    with write_file(path) as partial:
        # ASCII, since the official scorer reads it by the computer's locale.
        with open(partial, "w", encoding="ascii") as file:
            json.dump(content, file)
            file.write("\n")


def _grouped(questions, name):
    return itertools.groupby(questions, operator.attrgetter(name))


def _paragraphs(questions):
    return [
        {"context": context, "qas": list(map(_question_fields, group))}
        for context, group in _grouped(questions, "context")
    ]


def _question_fields(question):
    return {
        "id": question.id,
        "question": question.question,
        "answers": [
            {"text": answer.text, "answer_start": answer.start}
            for answer in question.answers
        ],
    }
