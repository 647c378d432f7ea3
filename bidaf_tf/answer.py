"""An answer that a model gives."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Answer:
    """A possible answer to a question, a piece of its context.

    Attributes:
        text: The answer: `context[start:end]`. Empty if the context is blank.
        start: Where it begins in the context, in characters (Unicode code
            points, as Python counts them).
        end: The offset after its last character.
        score: The probability of the span: p¹ · p² among all pairs of a first
            and a last token, in all windows of the context; of an ensemble, the
            mean of its members'. 0 if the context is blank.
    """

    text: str
    start: int
    end: int
    score: float
