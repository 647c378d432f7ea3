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
class Perplexity:
    """The perplexity of a text.

    Attributes:
        average_perplexity: The mean of those of both directions.
    """

    average_perplexity: float


@dataclass(frozen=True, config=_LENIENT)
class TunedCorpus:
    """What fine-tuning on a task's text came to.

    Attributes:
        before: The perplexity of its validation data before.
        after: The same after it.
        experiment: An experiment of the task.
        validation: The file of the validation data.
        validation_tokens: How many tokens are in it.
        train_tokens: How many tokens were trained on.
    """

    before: Perplexity
    after: Perplexity
    experiment: str
    validation: str
    validation_tokens: int
    train_tokens: int


@dataclass(frozen=True, config=_LENIENT)
class FineTuningResults:
    """What `tasks.probes.fine_tuning` leaves.

    Attributes:
        probe: "fine_tuning".
        corpora: What came of each corpus, by its name.
        command: The command that makes it again.
        model_dir: The pre-training that it started from.
    """

    probe: typing.Literal["fine_tuning"]
    corpora: dict[str, TunedCorpus]
    command: str
    model_dir: str
