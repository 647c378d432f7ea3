"""The configurations of question answering, by name."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.self_attention import BiDAFSelfAttentionConfig
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
class SquadConfig(TaskConfig):
    """Question answering on SQuAD.

    Attributes:
        name: The task's name.
        model: The sizes of the model, whose `name` says which it is.
        max_context_length: Training leaves out questions whose answer ends
            later, and cuts contexts off after so many tokens. Longer contexts
            are answered in windows of that length.
        window_stride: Tokens between the beginnings of two windows.
        max_question_length: Training leaves out longer questions.
        max_answer_length: The most tokens of an answer; null: any number.
        n_best: How many answers the predictions and the exported model give.
    """

    name: typing.Literal["squad"] = "squad"
    model: BiDAFConfig | BiDAFSelfAttentionConfig = pydantic.Field(
        default_factory=BiDAFConfig, discriminator="name"
    )
    max_context_length: pydantic.PositiveInt = 400
    window_stride: pydantic.PositiveInt = 200
    max_question_length: pydantic.PositiveInt = 30
    max_answer_length: pydantic.PositiveInt | None = None
    n_best: pydantic.PositiveInt = 5

    @pydantic.model_validator(mode="after")
    def _check_windows(self):
        if self.window_stride > self.max_context_length:
            raise ValueError(
                f"found window_stride={self.window_stride}, expected at most "
                f"max_context_length={self.max_context_length}: windows must "
                "not leave tokens out"
            )
        return self


@dataclass(frozen=True, config=STRICT)
class SquadExperimentConfig(TaskExperimentConfig):
    """The configuration of a training of question answering.

    Attributes:
        task: What to train.
    """

    task: SquadConfig = dataclasses.field(default_factory=SquadConfig)


@register_experiment("squad/bidaf")
def bidaf():
    """BiDAF as Seo et al. 2017 trained it (section 4), without ELMo.

    The word vectors are to be GloVe's of 100 dimensions. ρ, ε and the width of
    a character's embedding, which the paper leaves open, are those of the
    authors' program.
    """
    return SquadExperimentConfig(
        task=SquadConfig(
            elmo=ElmoConfig(location="none"),
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
            train_data=TaskDataConfig(batch_size=60),
        ),
        trainer=TaskTrainerConfig(train_epochs=12),
    )


@register_experiment("squad/bidaf_small")
def bidaf_small():
    """A narrower BiDAF, with Adam, for some thousand questions on two cores."""
    config = bidaf()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            model=BiDAFConfig(hidden_size=50),
            word_vectors=WordVectorsConfig(trainable=False),
            character_encoder=CharacterEncoderConfig(
                filters=50, embedding_dim=8, width=5, dropout=0.2
            ),
            optimizer=OptimizerConfig(
                learning_rate=0.001, clip_norm=5.0, ema_decay=0.99
            ),
            max_context_length=250,
            window_stride=125,
            train_data=TaskDataConfig(batch_size=30),
        ),
        trainer=TaskTrainerConfig(train_epochs=15, patience=4),
    )


@register_experiment("squad/bidaf_self_attention")
def bidaf_self_attention():
    """BiDAF with self-attention and ELMo (ELMo paper, section A.4).

    The word vectors are to be GloVe's of 300 dimensions, with upper case. The
    paper leaves open the learning rate (1, as in Clark and Gardner 2017), the
    decay of the average (theirs, 0.999), the character convolution (theirs:
    100 filters of width 5 over 20 numbers a character) and how long to train.
    """
    return SquadExperimentConfig(
        task=SquadConfig(
            model=BiDAFSelfAttentionConfig(),
            elmo=ElmoConfig(location="input_and_output", l2=0.0, dropout=0.0),
            word_vectors=WordVectorsConfig(
                dim=300, trainable=False, lowercase=False
            ),
            character_encoder=CharacterEncoderConfig(
                filters=100, embedding_dim=20, width=5, dropout=0.2
            ),
            optimizer=OptimizerConfig(
                name="adadelta",
                learning_rate=1.0,
                rho=0.95,
                epsilon=1e-8,
                ema_decay=0.999,
            ),
            max_answer_length=17,
            train_data=TaskDataConfig(batch_size=45),
        ),
        trainer=TaskTrainerConfig(train_epochs=24, patience=5),
    )


@register_experiment("squad/bidaf_self_attention_small")
def bidaf_self_attention_small():
    """A narrower model for some thousand questions on two cores."""
    config = bidaf_self_attention()
    small = bidaf_small()
    return dataclasses.replace(
        config,
        task=dataclasses.replace(
            config.task,
            model=BiDAFSelfAttentionConfig(gru_units=45, linear_units=90),
            word_vectors=small.task.word_vectors,
            character_encoder=small.task.character_encoder,
            optimizer=small.task.optimizer,
            max_context_length=small.task.max_context_length,
            window_stride=small.task.window_stride,
            train_data=small.task.train_data,
        ),
        trainer=small.trainer,
    )
