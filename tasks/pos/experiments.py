"""The configurations of part-of-speech tagging, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import ElmoConfig
from tasks.config import OptimizerConfig
from tasks.config import TaskConfig
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class POSConfig(TaskConfig):
    """Part-of-speech tagging (section 5.3).

    Attributes:
        name: The task's name.
        column: Which tags of a CoNLL-U file: "upos", the 17 that all treebanks
            of Universal Dependencies share, or "xpos", the treebank's own; in
            English ones, as in the paper, the Penn Treebank's. Files of other
            formats have one tag a word.
    """

    name: typing.Literal["pos"] = "pos"
    column: typing.Literal["upos", "xpos"] = "xpos"

    @pydantic.model_validator(mode="after")
    def _check_location(self):
        if self.elmo.at_output:
            raise ValueError(
                f"elmo.location: found {self.elmo.location}, expected input or "
                "none: a linear classifier has no encoder"
            )
        return self


@dataclass(frozen=True, config=STRICT)
class POSExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of a tagger of parts of speech.

    Attributes:
        task: What to train.
    """

    task: POSConfig = dataclasses.field(default_factory=POSConfig)


@register_experiment("pos/linear")
def linear():
    """The paper's linear classifier on ELMo alone (section 5.3).

    The paper does not say how it was trained: these settings were chosen on
    the validation data of the English Web Treebank.
    """
    large = TaskDataConfig(batch_size=128)
    return POSExperimentConfig(
        task=POSConfig(
            elmo=ElmoConfig(dropout=0.0),
            word_vectors=WordVectorsConfig(dim=0),
            optimizer=OptimizerConfig(learning_rate=0.01, plateau_factor=0.5),
            train_data=large,
            validation_data=large,
            test_data=large,
        ),
        trainer=TaskTrainerConfig(train_epochs=10),
    )
