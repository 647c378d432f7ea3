"""What a model puts into a question's gap."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ClozePrediction:
    """An entity for a gap.

    Attributes:
        entity: The entity, as the question's file calls it.
        probability: The sum of the probabilities of all its occurrences.
    """

    entity: str
    probability: float
