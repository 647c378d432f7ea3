"""Wrong answers to be sorted by hand.

The error analysis of Seo et al. 2017: section 4, table 4.
"""

import hashlib
import json

from bidaf_tf.report.marked_context import LEGEND
from bidaf_tf.report.marked_context import marked_context
from bidaf_tf.report.markup import empty_tag
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

# The paper's kinds of errors, and the percentages of 50 that it found.
CATEGORIES = (
    ("Imprecise answer boundaries", 50),
    ("Syntactic complications and ambiguities", 28),
    ("Paraphrase problems", 14),
    ("External knowledge", 4),
    ("Multi-sentence", 2),
    ("Incorrect preprocessing", 2),
)


def draw_errors(judged, n, generator):
    """Draws wrong answers.

    Args:
        judged: A list of `JudgedQuestion`.
        n: How many to draw; all, if there are no more.
        generator: A NumPy generator.

    Returns:
        A list of `JudgedQuestion`, in the order in which they were drawn.
    """
    wrong = [one for one in judged if not one.is_right]
    chosen = generator.permutation(len(wrong))[:n]
    return [wrong[index] for index in chosen]


def error_sheet_section(errors, n_wrong):
    """Makes the sheet.

    Args:
        errors: A list of `JudgedQuestion`.
        n_wrong: How many of them they were drawn from.

    Returns:
        The `Markup` of the section.
    """
    heading = tag("h2", "Errors")
    if not errors:
        text = "No answer is wrong." if not n_wrong else "None was to be drawn."
        return tag("section", heading, tag("p", text), id="errors")
    return tag(
        "section",
        heading,
        tag(
            "p",
            f"{len(errors)} of the {n_wrong:,} questions that are not answered "
            "exactly (EM), drawn at random, to be sorted into the kinds of "
            "errors of the paper (table 4). What you choose is counted here, "
            "and kept by the browser until you clear it, if the browser "
            "allows that to pages of its kind. The keys Tab and the arrows do "
            "all of it.",
        ),
        _tally(),
        tag(
            "p",
            tag("button", "Download as JSON", type="button", id="as-json"),
            " ",
            tag("button", "Download as CSV", type="button", id="as-csv"),
            " ",
            tag("button", "Clear", type="button", id="clear"),
            class_="buttons",
        ),
        LEGEND,
        joined(
            _error(number, one) for number, one in enumerate(errors, start=1)
        ),
        id="errors",
        # Another sheet's choices are not to be shown on this one.
        data_sheet=_fingerprint(errors),
    )


def _tally():
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", "0", class_="number", data_count=number),
            tag("td", "–", class_="number", data_share=number),
            tag("td", f"{percent} %", class_="number"),
        )
        for number, (name, percent) in enumerate(CATEGORIES)
    ]
    return tag(
        "table",
        tag(
            "caption",
            "Sorted so far: ",
            tag("output", "0", id="sorted", aria_live="polite"),
        ),
        tag(
            "thead",
            tag(
                "tr",
                tag("th", "Kind of error", scope="col"),
                tag("th", "Here", scope="col", class_="number"),
                tag("th", "Share", scope="col", class_="number"),
                tag("th", "In the paper", scope="col", class_="number"),
            ),
        ),
        tag("tbody", joined(rows)),
        class_="tally",
    )


def _error(number, judged):
    question = judged.question
    answers = list(dict.fromkeys(answer.text for answer in question.answers))
    choices = [
        _choice(number, value, name)
        for value, (name, _) in enumerate(CATEGORIES)
    ]
    return tag(
        "article",
        tag("h3", f"{number}. ", tag("span", question.question, dir="auto")),
        tag("p", f"Question {question.id}", class_="note"),
        marked_context(
            question.context, judged.gold_spans, judged.predicted_spans
        ),
        tag(
            "dl",
            tag("dt", "Model"),
            tag("dd", judged.text or "nothing", dir="auto"),
            tag("dt", "Given"),
            tag(
                "dd",
                joined((tag("bdi", answer) for answer in answers), " · "),
            ),
        ),
        tag(
            "fieldset",
            tag("legend", f"Kind of error {number}"),
            *choices,
            _choice(number, "", "not sorted", checked=True),
        ),
        class_="error",
        data_id=question.id,
        data_question=question.question,
        data_prediction=judged.text or "",
        data_answers=json.dumps(answers, ensure_ascii=False),
    )


def _choice(number, value, name, checked=False):
    return tag(
        "label",
        empty_tag(
            "input",
            type="radio",
            name=f"error-{number}",
            value=value,
            checked=checked,
            # A reload is not to keep what the script does not know of.
            autocomplete="off",
        ),
        " ",
        name,
    )


def _fingerprint(errors):
    names = [[one.question.id, one.text] for one in errors]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]
