"""Puts the report about a question answering model together."""

import os
import pathlib
import sys

import numpy as np

from bidaf_tf import squad
from bidaf_tf import squad_metrics
from bidaf_tf.report import nearest_words
from bidaf_tf.report.attention_section import attention_section
from bidaf_tf.report.context_words import choose_contexts
from bidaf_tf.report.context_words import gather_context_words
from bidaf_tf.report.error_sheet import draw_errors
from bidaf_tf.report.error_sheet import error_sheet_section
from bidaf_tf.report.exported_model import ExportedModel
from bidaf_tf.report.first_words import count_first_words
from bidaf_tf.report.first_words import first_words_section
from bidaf_tf.report.judged_question import JudgedQuestion
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from bidaf_tf.report.months import months_section
from bidaf_tf.report.page import make_page
from bidaf_tf.report.venn import count_agreement
from bidaf_tf.report.venn import venn_section
from bidaf_tf.word_tokenizer import tokenize_to_lists
from elmo_tf.errors import InputError

_ASSETS = pathlib.Path(__file__).parent / "assets"


def make_report(options):
    """Makes the report, with progress on standard error.

    Args:
        options: The `ReportOptions`.

    Returns:
        A tuple of the HTML page and a dictionary of `questions`, how many there
        are, `exact_match` and `f1` in percent, and `wrong`, how many are not
        answered exactly. The same options and files give the same page.

    Raises:
        InputError: A file cannot be used, predictions are those of other
            questions, or there is no question of a given id.
    """
    data = squad.read_data(options.input_path)
    questions = data.questions
    shown = _chosen_questions(options, questions)
    texts = _read_answers(options.predictions, options, questions)
    other_texts = _read_answers(options.other_predictions, options, questions)
    model = ExportedModel(options.saved_model, options.batch_size)
    if texts is None:
        places = [
            (answer.text, answer.start, answer.end)
            for answer in model.answer(questions)
        ]
    else:
        places = [
            _place(question, texts.get(question.id)) for question in questions
        ]
    judged = [
        JudgedQuestion(
            question,
            *place,
            None if other_texts is None else other_texts.get(question.id),
        )
        for question, place in zip(questions, places, strict=True)
    ]
    tokens = [
        row.texts for row in tokenize_to_lists([q.question for q in questions])
    ]
    scores = _scores(judged, [one.text for one in judged])
    sections = [
        ("Attention", _attention(options, model, judged, shown)),
        *_spaces(options, model, questions, tokens),
        (
            "First words",
            first_words_section(
                count_first_words(judged, tokens, other_texts is not None),
                _other_name(options),
            ),
        ),
    ]
    if other_texts is not None:
        sections.append(
            (
                "Agreement",
                venn_section(count_agreement(judged), _other_name(options)),
            )
        )
    n_wrong = sum(not one.is_right for one in judged)
    errors = draw_errors(judged, options.n_errors, _generator(options, 3))
    sections.append(("Errors", error_sheet_section(errors, n_wrong)))
    page = make_page(
        "Looking inside a question answering model",
        _head(options, data, judged, scores),
        sections,
        (_ASSETS / "report.css").read_text(encoding="utf-8"),
        (_ASSETS / "report.js").read_text(encoding="utf-8"),
    )
    return page, {"questions": len(questions), **scores, "wrong": n_wrong}


def _chosen_questions(options, questions):
    """The places of the questions whose attention is shown."""
    if options.questions is None:
        n = min(options.n_questions, len(questions))
        places = _generator(options, 0).permutation(len(questions))[:n]
        return sorted(places.tolist())
    places = {question.id: place for place, question in enumerate(questions)}
    for question_id in options.questions:
        if question_id not in places:
            raise InputError(
                f"--questions: found {question_id!r}, expected the id of a "
                f"question with an answer in {options.input_path}"
            )
    return [places[question_id] for question_id in options.questions]


def _read_answers(path, options, questions):
    """Reads predictions, maybe not for all questions; None: no file."""
    if path is None:
        return None
    texts = squad.read_predictions(path)
    if not any(question.id in texts for question in questions):
        raise InputError(
            f"{path}: found answers to none of the {len(questions):,} questions"
            f" of {options.input_path}, expected one to each"
        )
    return texts


def _place(question, text):
    """An answer with its offsets: where its text stands first."""
    if text is None:
        return None, 0, 0
    start = max(question.context.find(text), 0)
    end = start + len(text) if text in question.context else start
    return text, start, end


def _scores(judged, texts):
    """The official scores; a question whose text is None counts 0."""
    return squad_metrics.score(
        [one.question for one in judged],
        {
            one.question.id: text
            for one, text in zip(judged, texts, strict=True)
            if text is not None
        },
    )


def _attention(options, model, judged, shown):
    inspections = [None] * len(shown)
    for place, inspection in model.inspect(
        [
            (judged[index].question.context, judged[index].question.question)
            for index in shown
        ],
        "attention",
    ):
        inspections[place] = inspection
    return attention_section(
        [judged[index] for index in shown],
        inspections,
        options.attention_threshold,
    )


def _spaces(options, model, questions, tokens):
    """The sections about the word and the contextual space."""
    contexts, n_contexts = choose_contexts(
        questions, options.context_words, _generator(options, 1)
    )
    context_words = gather_context_words(model, contexts, n_contexts)
    words = options.words
    if words is None:
        words = nearest_words.default_words(tokens)
    vectors = nearest_words.gather_query_vectors(
        model, questions, tokens, words, _generator(options, 2)
    )
    missing = [word for word in words if word not in vectors]
    yield (
        "Nearest words",
        nearest_words.nearest_words_section(vectors, missing, context_words),
    )
    print("months: laying out", file=sys.stderr)
    yield "Months", months_section(context_words, _generator(options, 4))


def _head(options, data, judged, scores):
    n_contexts = len({question.context for question in data.questions})
    facts = [
        ("Model", options.saved_model),
        (
            "Data",
            f"{options.input_path}: {len(judged):,} questions about "
            f"{n_contexts:,} contexts",
        ),
        ("Score", _score_text(scores, [one.text for one in judged])),
    ]
    if options.other_predictions is not None:
        texts = [one.other_text for one in judged]
        found = _score_text(_scores(judged, texts), texts)
        facts.append(("Compared with", f"{options.other_predictions}: {found}"))
    if options.predictions is None:
        answered = (
            "Those of the exported model, in windows where contexts are long."
        )
    else:
        answered = (
            f"Those of {options.predictions}; an answer is marked where its "
            "text stands first in the context."
        )
    answered += " Attention and vectors are those of whole contexts."
    facts.append(("Answers", answered))
    if data.n_unanswerable:
        facts.append(
            ("Left out", f"{data.n_unanswerable:,} questions without an answer")
        )
    facts.append(
        (
            "Drawn",
            f"with seed {options.seed}: the same files and options give the "
            "same report",
        )
    )
    return joined(
        [
            tag(
                "p",
                "What is looked at, and how, is that of section 4 of Seo et "
                "al. 2017, “Bidirectional attention flow for machine "
                "comprehension”: the paper, in what follows.",
            ),
            tag(
                "dl",
                *(
                    part
                    for name, text in facts
                    for part in (tag("dt", name), tag("dd", text))
                ),
                class_="facts",
            ),
        ]
    )


def _score_text(scores, texts):
    found = f"EM {scores['exact_match']:.2f}, F1 {scores['f1']:.2f}"
    n_missing = texts.count(None)
    if n_missing:
        found += f"; {n_missing:,} questions have no answer there and count 0"
    return found


def _other_name(options):
    path = options.other_predictions
    return None if path is None else os.path.basename(path)


def _generator(options, part):
    """Each part draws by itself, whatever the others do."""
    return np.random.default_rng([options.seed, part])
