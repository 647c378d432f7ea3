"""The configurations of natural language inference, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import ElmoConfig
from tasks.config import OptimizerConfig
from tasks.config import Rate
from tasks.config import TaskConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class SNLIConfig(TaskConfig):
    """Natural language inference (section A.3).

    Attributes:
        name: The task's name.
        lstm_units: Width of each direction of both biLSTMs.
        feed_forward_units: Width of the two feed-forward layers.
        dropout: The rate on the input of each biLSTM, one mask for all time
            steps, and on that of the last two fully connected layers.
        attention_dropout: The rate on what the attention gives, the vectors
            that it is compared with among it; null: as in the paper, 0.5 with
            ELMo and 0 without.
        l2: `l2 · ‖w‖²` of the weight matrices of biLSTMs and fully connected
            layers joins the loss; null: as in the paper, 0.0001 with ELMo and 0
            without.
    """

    name: typing.Literal["snli"] = "snli"
    lstm_units: pydantic.PositiveInt = 300
    feed_forward_units: pydantic.PositiveInt = 300
    dropout: Rate = 0.5
    attention_dropout: Rate | None = None
    l2: pydantic.NonNegativeFloat | None = None


@dataclass(frozen=True, config=STRICT)
class SNLIExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of natural language inference.

    Attributes:
        task: What to train.
    """

    task: SNLIConfig = dataclasses.field(default_factory=SNLIConfig)


@register_experiment("snli/snli")
def snli():
    """The paper's model for SNLI (section A.3).

    The word vectors are to be GloVe's of 300 dimensions. The paper leaves open
    how long to train: 75 epochs at most, and 5 validations without improvement,
    are AllenNLP's. It names no dropout of the ELMo vectors themselves but those
    on the biLSTM's input and after the attention, and AllenNLP has none.
    """
    return SNLIExperimentConfig(
        task=SNLIConfig(
            elmo=ElmoConfig(
                location="input_and_output",
                l2=0.001,
                layer_norm="bilm_tf",
                dropout=0.0,
            ),
            word_vectors=WordVectorsConfig(dim=300, trainable=False),
            optimizer=OptimizerConfig(
                learning_rate=0.0004, clip_norm=5.0, plateau_factor=0.5
            ),
        ),
        trainer=TaskTrainerConfig(train_epochs=75, patience=5),
    )


@register_experiment("snli/snli_small")
def snli_small():
    """A narrower model that trains in minutes on two cores.

    It is meant for some thousand pairs, with which it sees few batches: hence a
    higher learning rate and less dropout.
    """
    config = snli()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            word_vectors=WordVectorsConfig(trainable=False),
            optimizer=dataclasses.replace(
                config.task.optimizer, learning_rate=0.001
            ),
            lstm_units=64,
            feed_forward_units=64,
            dropout=0.1,
            attention_dropout=0.1,
        ),
        trainer=TaskTrainerConfig(train_epochs=25, patience=8),
    )
