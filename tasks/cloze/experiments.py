"""The configurations of the cloze test, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from bidaf_tf.bidaf import BiDAFConfig
from elmo_tf.training.experiment import register_experiment
from tasks.config import STRICT
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import OptimizerConfig
from tasks.config import TaskConfig
from tasks.config import TaskDataConfig
from tasks.config import TaskExperimentConfig
from tasks.config import TaskTrainerConfig
from tasks.config import WordVectorsConfig


@dataclass(frozen=True, config=STRICT)
class ClozeConfig(TaskConfig):
    """The cloze test of CNN and Daily Mail.

    Attributes:
        name: The task's name.
        elmo: How the model reads the biLM; by default not at all. As entities
            are called otherwise each time, the layers cannot be kept on disk.
        model: The sizes of the model.
        window_width: How many words are read around each mention of an entity,
            itself among them: an odd number.
    """

    name: typing.Literal["cloze"] = "cloze"
    elmo: ElmoConfig = dataclasses.field(
        default_factory=lambda: ElmoConfig(location="none")
    )
    model: BiDAFConfig = dataclasses.field(default_factory=BiDAFConfig)
    window_width: pydantic.PositiveInt = 19

    @pydantic.model_validator(mode="after")
    def _check(self):
        if self.window_width % 2 == 0:
            raise ValueError(
                f"found window_width={self.window_width}, expected an odd "
                "number: as many words on both sides of the entity"
            )
        if self.elmo.is_used and self.elmo.cache:
            raise ValueError(
                f"found elmo.location={self.elmo.location} with "
                "elmo.cache=true, expected elmo.cache=false: entities get "
                "other ids in each training step, so that their layers cannot "
                "be kept"
            )
        return self


@dataclass(frozen=True, config=STRICT)
class ClozeExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of the cloze test.

    Attributes:
        task: What to train.
    """

    task: ClozeConfig = dataclasses.field(default_factory=ClozeConfig)


@register_experiment("cloze/cnn")
def cnn():
    """The model of Seo et al. 2017 for the cloze test (section 5).

    All that section does not say is as for SQuAD (section 4): the word vectors
    are to be GloVe's of 100 dimensions; ρ, ε and the width of a character's
    embedding, which the paper leaves open, are those of the authors' program.
    """
    return ClozeExperimentConfig(
        task=ClozeConfig(
            word_vectors=WordVectorsConfig(dim=100, trainable=False),
            character_encoder=CharacterEncoderConfig(
                filters=100, embedding_dim=8, width=5, dropout=0.2
            ),
            optimizer=OptimizerConfig(
                name="adadelta",
                learning_rate=0.5,
                rho=0.95,
                epsilon=1e-8,
                ema_decay=0.999,
            ),
            train_data=TaskDataConfig(batch_size=48),
        ),
        trainer=TaskTrainerConfig(train_epochs=8, patience=1),
    )


@register_experiment("cloze/small")
def small():
    """A narrower model for some thousand questions on two cores.

    It is trained with Adam in small batches. With the dot product as similarity
    it learns sooner than with the trilinear one (docs/tasks.md).
    """
    config = cnn()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            model=BiDAFConfig(hidden_size=32, similarity="dot"),
            word_vectors=WordVectorsConfig(trainable=False),
            character_encoder=CharacterEncoderConfig(
                filters=32, embedding_dim=8, width=5, dropout=0.2
            ),
            optimizer=OptimizerConfig(
                learning_rate=0.003, clip_norm=5.0, ema_decay=0.99
            ),
            train_data=TaskDataConfig(batch_size=16),
        ),
        trainer=TaskTrainerConfig(train_epochs=6, patience=4),
    )
