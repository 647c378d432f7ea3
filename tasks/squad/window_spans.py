"""What is best in a window of a context."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class WindowSpans:
    """The best spans of a window, with what makes them comparable to others'.

    Attributes:
        spans: A list of tuples, the best one first: a span's first and last
            token in the window, and its score: the logarithm of its
            probability, but for a constant that all windows of the question
            have in common. A model's score is the sum of the span's two logits.
        total: The logarithm of the sum of all the window's `exp(score)`, be
            they spans or not: over each pair of a first and a last token.
    """

    spans: list
    total: float
