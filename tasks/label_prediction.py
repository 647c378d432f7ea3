"""Which label is predicted for an example."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class LabelPrediction:
    """The label predicted for an example.

    Attributes:
        label: The most probable label.
        probabilities: A dictionary from each label to its probability.
    """

    label: str
    probabilities: dict
