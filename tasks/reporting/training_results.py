"""What a training has left in results.json, as far as a report reads it."""

import typing

import pydantic
from pydantic.dataclasses import dataclass

_LENIENT = pydantic.ConfigDict(extra="ignore")

Metrics = dict[str, float]


@dataclass(frozen=True, config=_LENIENT)
class LayerWeights:
    """The learnt weights of a biLM's layers at one place (equation 1).

    Attributes:
        gamma: γ; None: the model has none.
        s: The layers' shares, the token layer first; None: one layer only.
    """

    gamma: float | None = None
    s: typing.Annotated[list[float], pydantic.Field(min_length=1)] | None = None


@dataclass(frozen=True, config=_LENIENT)
class KnownWords:
    """How many of a data set's words the model knew, in tokens.

    Attributes:
        tokens: How many there are.
        tokens_with_vector: How many had a vector beforehand.
        tokens_unknown: How many had neither a vector nor an entry.
    """

    tokens: int
    tokens_with_vector: int
    tokens_unknown: int


@dataclass(frozen=True, config=_LENIENT)
class TrainingResults:
    """What a training with one seed has left in results.json.

    Attributes:
        seed: The seed.
        steps: Number of steps made.
        steps_per_epoch: Number of batches of an epoch.
        seconds: Of the last process.
        parameters: The numbers of `trainable` and `frozen` parameters.
        elmo: The layer weights by place, as "elmo_input".
        words: The words known, by split.
        validation: The metrics of the best validation; None: there was none.
        test: The metrics of the test data; None: there were none.
        examples: Numbers of examples by split; None: not recorded.
        experiment: The configuration that the training started from; None: not
            recorded.
        command: The command that started it; None: not recorded.
        date: When it ended, in ISO's format; None: not recorded.
    """

    seed: int
    steps: int
    steps_per_epoch: int
    seconds: float
    parameters: dict[str, int]
    elmo: dict[str, LayerWeights]
    words: dict[str, KnownWords]
    validation: Metrics | None
    test: Metrics | None
    examples: dict[str, int] | None = None
    experiment: str | None = None
    command: str | None = None
    date: str | None = None

    @property
    def n_trainable(self):
        """The number of trainable parameters."""
        return self.parameters.get("trainable", 0)
