"""What a model answers to a question about a window of its context."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SquadPrediction:
    """A possible answer.

    Attributes:
        text: The answer, a piece of the context.
        start: Where it begins in the context, in characters.
        end: The offset after its last character.
        probability: That of the span in its window, p¹ · p².
        rank: What the answers of a question's windows are compared by: the sum
            of the two logits, which do not depend on the rest of the window;
            of an ensemble, the mean of its members' probabilities.
    """

    text: str
    start: int
    end: int
    probability: float
    rank: float
