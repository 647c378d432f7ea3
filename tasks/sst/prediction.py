"""What is predicted for a sentence."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SSTPrediction:
    """The sentiment predicted for a sentence or phrase.

    Attributes:
        label: The most probable label.
        probabilities: A dictionary from each label to its probability.
    """

    label: str
    probabilities: dict
