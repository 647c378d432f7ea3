"""What measurements without a task model have left in results.json."""

import typing

import pydantic
from pydantic.dataclasses import dataclass

_LENIENT = pydantic.ConfigDict(extra="ignore")


@dataclass(frozen=True, config=_LENIENT)
class SenseScores:
    """How well senses were found.

    Attributes:
        instances: Number of words to disambiguate.
        attempted: How many of them got a sense.
        correct: How many got a right one.
    """

    instances: int
    attempted: int
    correct: float

    @property
    def f1(self):
        """F1 as the scorer of the evaluation framework has it."""
        total = self.instances + self.attempted
        return 2 * self.correct / total if total else 0.0

    def __add__(self, other):
        return SenseScores(
            instances=self.instances + other.instances,
            attempted=self.attempted + other.attempted,
            correct=self.correct + other.correct,
        )


@dataclass(frozen=True, config=_LENIENT)
class SenseTestSet:
    """A test set of word senses.

    Attributes:
        systems: The scores by system: "first_sense", "layer_0" …, "mean".
    """

    systems: dict[str, SenseScores]


@dataclass(frozen=True, config=_LENIENT)
class SenseResults:
    """What `tasks.wsd.evaluate` leaves.

    Attributes:
        task: "wsd".
        command: The command that makes it again.
        seconds: How long it took.
        saved_model: The biLM.
        test: The test sets by name.
        train: Figures of the training data; None: the senses' vectors were
            there already.
    """

    task: typing.Literal["wsd"]
    command: str
    seconds: float
    saved_model: str
    test: dict[str, SenseTestSet]
    train: dict[str, int] | None = None


@dataclass(frozen=True, config=_LENIENT)
class Perplexities:
    """Perplexities of a corpus.

    Attributes:
        before: That of the biLM as it was.
        after: That of the fine-tuned one; None: it was not fine-tuned.
    """

    before: float
    after: float | None = None


@dataclass(frozen=True, config=_LENIENT)
class FineTuningResults:
    """What a biLM's fine-tuning leaves.

    Attributes:
        probe: "fine_tuning".
        corpora: The perplexities by the corpus' name.
        command: The command that makes it again; None: not recorded.
        seconds: How long it took; None: not recorded.
        saved_model: The biLM; None: not recorded.
    """

    probe: typing.Literal["fine_tuning"]
    corpora: dict[str, Perplexities]
    command: str | None = None
    seconds: float | None = None
    saved_model: str | None = None
