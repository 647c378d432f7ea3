"""What each word of a question has to do with each word of its context.

Figure 3 of Seo et al. 2017.
"""

import numpy as np

from bidaf_tf.report.marked_context import LEGEND
from bidaf_tf.report.marked_context import marked_context
from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import shortened
from bidaf_tf.report.markup import tag

# Less of the largest share cannot be seen.
_FAINTEST = 0.05
_MOST_POINTS = 8


def top_points(attention, threshold, most=_MOST_POINTS):
    """Finds the context words that attend most to each word of a question.

    Args:
        attention: Float array `[context tokens, question tokens]`.
        threshold: The least share.
        most: The largest number of context words for one question word.

    Returns:
        For each question token a list of the numbers of context tokens, the
        largest share first; of equal ones the first.
    """
    points = []
    for shares in attention.T:
        order = np.argsort(-shares, kind="stable")[:most]
        points.append([int(i) for i in order if shares[i] >= threshold])
    return points


def attention_section(judged, inspections, threshold):
    """Shows the attention of some questions.

    Args:
        judged: A list of `JudgedQuestion`.
        inspections: A list of the `Inspection` of each.
        threshold: The least share of a top attention point.

    Returns:
        The `Markup` of the section.
    """
    return tag(
        "section",
        tag("h2", "Attention"),
        tag(
            "p",
            "After figure 3 of the paper. Each row of a matrix is a question "
            "word, each column a context word, from the first to the last, "
            "which divides its attention among the question’s words (from "
            "context to query): the more colour, the larger the share, up to "
            "the largest of the matrix. Point at a cell to see the words and "
            "the share. Below, in the same columns: the probabilities that the "
            "answer begins and ends there, likewise up to the largest one, and "
            "where the answers are. The top attention points of a question "
            f"word are the context words of a share of {threshold:g} or more, "
            f"at most {_MOST_POINTS}.",
        ),
        LEGEND,
        joined(
            _question(one, inspection, threshold)
            for one, inspection in zip(judged, inspections, strict=True)
        ),
        id="attention",
    )


def _question(judged, inspection, threshold):
    question = judged.question
    return tag(
        "article",
        tag("h3", question.question, dir="auto"),
        tag(
            "p",
            f"Question {question.id}: ",
            "answered correctly" if judged.is_right else "answered wrongly",
            ". The model says ",
            tag("b", judged.text or "nothing", dir="auto"),
            ".",
            class_="note",
        ),
        tag(
            "div",
            marked_context(
                question.context, judged.gold_spans, judged.predicted_spans
            ),
            _points(inspection, threshold),
            class_="beside",
        ),
        _matrix(judged, inspection),
    )


def _points(inspection, threshold):
    """The top attention points of the question words that have some."""
    words = inspection.context.tokens
    rows = []
    points = top_points(inspection.attention, threshold)
    for column, (word, places) in enumerate(
        zip(inspection.question.tokens, points, strict=True)
    ):
        if not places:
            continue
        found = ", ".join(
            f"{shortened(words[place])} "
            f"{inspection.attention[place, column]:.2f}"
            for place in places
        )
        rows.append(
            tag(
                "tr",
                tag("th", shortened(word), scope="row", dir="auto"),
                tag("td", found, dir="auto"),
            )
        )
    if not rows:
        return tag("p", f"No share of {threshold:g} or more.", class_="note")
    return tag(
        "table",
        tag("caption", "Top attention points"),
        tag("tbody", joined(rows)),
        class_="points",
    )


def _matrix(judged, inspection):
    """The matrix, with its row names beside it in the same heights."""
    context = inspection.context
    words = context.tokens
    n_words = len(words)
    largest = inspection.attention.max(initial=0.0)
    rows = [
        (word, "attention", shares, largest)
        for word, shares in zip(
            inspection.question.tokens, inspection.attention.T, strict=True
        )
    ]
    rows += [
        (name, "probability", values, values.max(initial=0.0))
        for name, values in (
            ("begins", inspection.start_probabilities),
            ("ends", inspection.end_probabilities),
        )
    ]
    rows += [
        ("given", "gold", _covered(context, judged.gold_spans), 1.0),
        (
            "predicted",
            "predicted",
            _covered(context, judged.predicted_spans),
            1.0,
        ),
    ]
    names, strips = [], []
    for number, (name, kind, values, most) in enumerate(rows):
        class_ = None if kind == "attention" else "extra"
        names.append(tag("li", name, class_=class_, dir="auto"))
        strips.append(
            tag(
                "g",
                _cells(words, None if class_ else name, values, most),
                class_=kind,
                transform=f"translate(0 {number})",
            )
        )
    picture = tag(
        "svg",
        joined(strips),
        role="img",
        aria_label=(
            f"Attention of {n_words} context words to "
            f"{len(inspection.question.tokens)} question words, "
            f"{largest:.2f} at most"
        ),
        viewbox=f"0 0 {max(n_words, 1)} {len(rows)}",
        preserveAspectRatio="none",
        height=20 * len(rows),
    )
    return tag("div", tag("ul", joined(names)), picture, class_="matrix")


def _cells(words, question_word, values, largest):
    """The cells of a row that can be seen."""
    cells = []
    for column, value in enumerate(values):
        if value >= _FAINTEST * largest > 0:
            label = f"{words[column]} {value:.2f}"
            if question_word is not None:
                label = f"{question_word} – {label}"
            cells.append(
                tag(
                    "rect",
                    tag("title", label),
                    x=column,
                    width=1,
                    height=1,
                    fill_opacity=f"{value / largest:.2f}",
                )
            )
    return joined(cells)


def _covered(context, spans):
    """Which tokens are in a span, 1.0 or 0.0."""
    return [
        float(any(first < end and start < last for first, last in spans))
        for start, end in zip(context.starts, context.ends, strict=True)
    ]
