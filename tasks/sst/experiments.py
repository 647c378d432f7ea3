"""The configurations of sentiment classification, by name."""

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
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class SSTConfig(TaskConfig):
    """Sentiment classification (section A.8).

    Attributes:
        name: The task's name.
        labels: "fine" for the five labels from very negative to very positive,
            "binary" for negative and positive without neutral sentences.
        min_phrase_length: Training also uses the phrases of a sentence, those
            of so many words or more; null: whole sentences only. Validation
            and test always use these.
        elmo_output: Where ELMo at the output stands: beside the output of the
            "encoder", the first biLSTM, or of the "integrator", the second.
        projection_dim: Width of the layer below the encoder.
        lstm_units: Width of each direction of each biLSTM.
        hidden_units: Widths of the layers above the pooling, the lowest first.
        input_dropout: The rate on word vectors and ELMo.
        projection_dropout: The rate on the output of the layer below the
            encoder.
        pooling_dropout: The rate on the pooled vectors.
        hidden_dropout: The rate on the output of each layer above.
    """

    name: typing.Literal["sst"] = "sst"
    labels: typing.Literal["fine", "binary"] = "fine"
    min_phrase_length: pydantic.PositiveInt | None = 4
    elmo_output: typing.Literal["encoder", "integrator"] = "encoder"
    projection_dim: pydantic.PositiveInt = 300
    lstm_units: pydantic.PositiveInt = 300
    hidden_units: tuple[pydantic.PositiveInt, ...] = (1200, 600)
    input_dropout: Rate = 0.25
    projection_dropout: Rate = 0.25
    pooling_dropout: Rate = 0.1
    hidden_dropout: Rate = 0.2


@dataclass(frozen=True, config=STRICT)
class SSTExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of a classifier of sentiment.

    Attributes:
        task: What to train.
    """

    task: SSTConfig = dataclasses.field(default_factory=SSTConfig)


@register_experiment("sst/sst5")
def sst5():
    """The paper's classifier for SST-5 (section A.8).

    The paper leaves open the rates of dropout, the widths of the layers above
    the pooling, the size of a batch, clipping and how long to wait for an
    improvement. They are AllenNLP's, but for its rate of 0.3 on the second
    layer above the pooling: here both have 0.2.
    """
    return SSTExperimentConfig(
        task=SSTConfig(
            elmo=ElmoConfig(location="input_and_output", l2=0.001),
            word_vectors=WordVectorsConfig(dim=300, trainable=False),
            optimizer=OptimizerConfig(learning_rate=0.0001, clip_norm=5.0),
            train_data=TaskDataConfig(batch_size=100),
        ),
        trainer=TaskTrainerConfig(train_epochs=40, patience=5),
    )


@register_experiment("sst/sst5_small")
def sst5_small():
    """A narrower classifier of whole sentences: minutes on two cores.

    Its learning rate is higher than the paper's, whose epochs have ten times
    as many examples.
    """
    return SSTExperimentConfig(
        task=SSTConfig(
            elmo=ElmoConfig(l2=0.001),
            optimizer=OptimizerConfig(learning_rate=0.0005, clip_norm=5.0),
            train_data=TaskDataConfig(batch_size=64),
            min_phrase_length=None,
            projection_dim=100,
            lstm_units=100,
            hidden_units=(100, 100),
        ),
        trainer=TaskTrainerConfig(train_epochs=12, patience=6),
    )
