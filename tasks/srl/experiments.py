"""The configurations of semantic role labelling, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import OptimizerConfig
from tasks.config import Rate
from tasks.config import TaskConfig
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class SRLConfig(TaskConfig):
    """Semantic role labelling (section A.5).

    Attributes:
        name: The task's name.
        predicates: Whether `tasks.predict` takes the predicates that the file
            has marked ("given"), or each verb by its part of speech ("verbs").
        predicate_dim: Width of the embedding of whether a token is the
            predicate.
        n_layers: Number of LSTMs, whose directions alternate.
        units: Their width.
        recurrent_dropout: The rate on what each of them gives, with one mask
            for all time steps.
    """

    name: typing.Literal["srl"] = "srl"
    predicates: typing.Literal["given", "verbs"] = "given"
    predicate_dim: pydantic.PositiveInt = 100
    n_layers: pydantic.PositiveInt = 8
    units: pydantic.PositiveInt = 300
    recurrent_dropout: Rate = 0.1


@dataclass(frozen=True, config=STRICT)
class SRLExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of a tagger of semantic roles.

    Attributes:
        task: What to train.
    """

    task: SRLConfig = dataclasses.field(default_factory=SRLConfig)


@register_experiment("srl/conll2012")
def conll2012():
    """The paper's tagger for CoNLL-2012 (section A.5).

    The word vectors are to be GloVe's of 100 dimensions. The paper leaves open
    the size of a batch and Adadelta's ε: 80 and 10⁻⁶ are those of He et al.
    2017.
    """
    return SRLExperimentConfig(
        task=SRLConfig(
            word_vectors=WordVectorsConfig(dim=100),
            optimizer=OptimizerConfig(
                name="adadelta",
                learning_rate=1.0,
                rho=0.95,
                epsilon=1e-6,
                clip_value=1.0,
            ),
            train_data=TaskDataConfig(batch_size=80),
        ),
        trainer=TaskTrainerConfig(train_epochs=500, patience=200),
    )


@register_experiment("srl/conll2012_small")
def conll2012_small():
    """A narrower and lower tagger for a few epochs on two cores.

    It is trained with Adam.
    """
    config = conll2012()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            word_vectors=WordVectorsConfig(),
            optimizer=OptimizerConfig(learning_rate=0.001, clip_norm=5.0),
            predicate_dim=20,
            n_layers=4,
            units=100,
        ),
        trainer=TaskTrainerConfig(train_epochs=10, patience=4),
    )
