"""The configurations of named entity recognition, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import OptimizerConfig
from tasks.config import Rate
from tasks.config import TaskConfig
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class NERConfig(TaskConfig):
    """Named entity recognition (section A.7).

    Attributes:
        name: The task's name.
        encoding: The encoding of the tags that are learnt: "BIO" or "BIOUL".
            Files may have these or IOB1.
        token_column: Which column of a file holds the words, from 0 up.
        tag_column: Which column holds the tags; −1 is the last.
        character_encoder: The character convolution, with 128 filters.
        lstm_units: Width of each direction of each biLSTM, the lowest first.
        dropout: The rate on the input of each biLSTM.
    """

    name: typing.Literal["ner"] = "ner"
    encoding: typing.Literal["BIO", "BIOUL"] = "BIOUL"
    token_column: pydantic.NonNegativeInt = 0
    tag_column: int = -1
    character_encoder: CharacterEncoderConfig = dataclasses.field(
        default_factory=lambda: CharacterEncoderConfig(filters=128)
    )
    lstm_units: typing.Annotated[
        tuple[pydantic.PositiveInt, ...], pydantic.Field(min_length=1)
    ] = (200, 100)
    dropout: Rate = 0.5


@dataclass(frozen=True, config=STRICT)
class NERExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of a tagger of named entities.

    Attributes:
        task: What to train.
    """

    task: NERConfig = dataclasses.field(default_factory=NERConfig)


@register_experiment("ner/conll2003")
def conll2003():
    """The paper's tagger for CoNLL-2003 (section A.7).

    The paper leaves open the rate of dropout, the size of a batch and how long
    to wait for an improvement: 0.5, 64 and 25 validations are AllenNLP's.
    """
    return NERExperimentConfig(
        task=NERConfig(
            elmo=ElmoConfig(l2=0.1),
            optimizer=OptimizerConfig(learning_rate=0.001, clip_norm=5.0),
            train_data=TaskDataConfig(batch_size=64),
        ),
        trainer=TaskTrainerConfig(train_epochs=75, patience=25),
    )


@register_experiment("ner/conll2003_small")
def conll2003_small():
    """A narrower tagger that trains in minutes on two cores."""
    config = conll2003()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            word_vectors=WordVectorsConfig(trainable=False),
            character_encoder=CharacterEncoderConfig(filters=64),
            lstm_units=(100,),
        ),
        trainer=TaskTrainerConfig(train_epochs=30, patience=10),
    )
