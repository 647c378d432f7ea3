"""A context in which answers are marked."""

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag

LEGEND = tag(
    "p",
    "Marked: ",
    tag("mark", "an answer that people gave", class_="gold"),
    ", ",
    tag("mark", "the model’s answer", class_="predicted"),
    ", ",
    tag("mark", "both", class_="gold predicted"),
    ".",
    class_="legend",
)


def marked_context(context, gold_spans, predicted_spans):
    """Marks answers in a context; they may overlap.

    Args:
        context: The text.
        gold_spans: A list of pairs of offsets into it, the second one after
            the last character: the answers that people gave.
        predicted_spans: Likewise, the model's.

    Returns:
        The `Markup` of a paragraph.
    """
    spans = {"gold": gold_spans, "predicted": predicted_spans}
    borders = {0, len(context)}
    for start, end in [*gold_spans, *predicted_spans]:
        borders |= {start, end}
    borders = sorted(borders)
    pieces = []
    for start, end in zip(borders, borders[1:], strict=False):
        text = context[start:end]
        marks = " ".join(
            name
            for name, places in spans.items()
            if any(first <= start and end <= last for first, last in places)
        )
        pieces.append(tag("mark", text, class_=marks) if marks else text)
    # The language of the context decides where its lines begin.
    return tag("p", joined(pieces), class_="context", dir="auto")
