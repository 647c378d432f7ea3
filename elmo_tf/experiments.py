"""The configurations of pre-training, by name."""

import dataclasses

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.config import BiLMConfig
from elmo_tf.config import CharacterEmbeddingOptions
from elmo_tf.config import CharCNNOptions
from elmo_tf.config import LSTMOptions
from elmo_tf.training.experiment import RuntimeConfig
from elmo_tf.training.experiment import TrainerConfig
from elmo_tf.training.experiment import register_experiment

_STRICT = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, config=_STRICT)
class TrainingDataConfig:
    """The text to train on.

    Attributes:
        input_path: Files of one tokenised sentence a line, plain or gzip: a
            glob, or several with commas between them.
        global_batch_size: Number of rows of a batch, on all devices together.
        unroll_steps: Number of tokens of a row in a batch.
        shuffle: Whether to shuffle the files, and the sentences in each.
    """

    input_path: str = ""
    global_batch_size: pydantic.PositiveInt = 128
    unroll_steps: pydantic.PositiveInt = 20
    shuffle: bool = True


@dataclass(frozen=True, config=_STRICT)
class ValidationDataConfig:
    """The held-out text.

    Attributes:
        input_path: As the training data's; empty: no validation.
        batch_size: Number of rows of a batch; without influence on the result.
    """

    input_path: str = ""
    batch_size: pydantic.PositiveInt = 32


@dataclass(frozen=True, config=_STRICT)
class PretrainingTaskConfig:
    """What to train, on which data, how.

    Attributes:
        model: The biLM's shape; `n_tokens_vocab` is taken from the vocabulary.
        vocab_file: The vocabulary, one word a line, most frequent first.
        init_weights: Where to start from, to fine-tune: the model_dir of a
            finished training, or an official HDF5 weights file (which has no
            softmax: it starts at random, unless softmax.h5 and vocab.txt of
            an export lie beside it); empty: from random weights.
        train_data: The text to train on.
        validation_data: The held-out text.
        n_negative_samples_batch: Number of negatives of the sampled softmax;
            None: the exact softmax.
        learning_rate: Adagrad's.
        initial_accumulator_value: Where Adagrad's accumulators start.
        all_clip_norm_val: Bound of the gradients' global norm, the gradients
            being those of the loss times `unroll_steps`; None: not clipped.
    """

    model: BiLMConfig
    vocab_file: str = ""
    init_weights: str = ""
    train_data: TrainingDataConfig = dataclasses.field(
        default_factory=TrainingDataConfig
    )
    validation_data: ValidationDataConfig = dataclasses.field(
        default_factory=ValidationDataConfig
    )
    n_negative_samples_batch: pydantic.PositiveInt | None = 8192
    learning_rate: pydantic.PositiveFloat = 0.2
    initial_accumulator_value: pydantic.PositiveFloat = 1.0
    all_clip_norm_val: pydantic.PositiveFloat | None = 10.0


@dataclass(frozen=True, config=_STRICT)
class PretrainingConfig:
    """The configuration of a pre-training.

    Attributes:
        task: What to train.
        trainer: How long, and what to write meanwhile.
        runtime: On what.
    """

    task: PretrainingTaskConfig
    trainer: TrainerConfig = dataclasses.field(default_factory=TrainerConfig)
    runtime: RuntimeConfig = dataclasses.field(default_factory=RuntimeConfig)


_OFFICIAL_FILTERS = (
    (1, 32),
    (2, 32),
    (3, 64),
    (4, 128),
    (5, 256),
    (6, 512),
    (7, 1024),
)


def _bilm(dim, projection_dim, filters, n_highway, dropout=0.1):
    return BiLMConfig(
        lstm=LSTMOptions(
            dim=dim,
            projection_dim=projection_dim,
            n_layers=2,
            cell_clip=3.0,
            proj_clip=3.0,
            use_skip_connections=True,
        ),
        char_cnn=CharCNNOptions(
            filters=filters,
            activation="relu",
            n_highway=n_highway,
            embedding=CharacterEmbeddingOptions(dim=16),
        ),
        dropout=dropout,
    )


@register_experiment("elmo/original")
def original():
    """The biLM of the paper (section 3.4), trained as the official code does.

    A batch of 384 rows is what the official code spread over three GPUs.
    """
    return PretrainingConfig(
        task=PretrainingTaskConfig(
            model=_bilm(4096, 512, _OFFICIAL_FILTERS, n_highway=2),
            train_data=TrainingDataConfig(global_batch_size=384),
        )
    )


@register_experiment("elmo/medium")
def medium():
    """The shape of the official medium model, half the original's widths."""
    return PretrainingConfig(
        task=PretrainingTaskConfig(
            model=_bilm(2048, 256, _OFFICIAL_FILTERS, n_highway=1)
        )
    )


@register_experiment("elmo/small")
def small():
    """The shape of the official small model, a quarter of the original's."""
    return PretrainingConfig(
        task=PretrainingTaskConfig(
            model=_bilm(1024, 128, _OFFICIAL_FILTERS, n_highway=1)
        )
    )


@register_experiment("elmo/mini")
def mini():
    """A biLM that trains on a CPU in hours."""
    filters = ((1, 16), (2, 32), (3, 64), (4, 100), (5, 150), (6, 150))
    return PretrainingConfig(
        task=PretrainingTaskConfig(model=_bilm(512, 128, filters, n_highway=1))
    )


@register_experiment("elmo/tiny")
def tiny():
    """A biLM that trains on a CPU in minutes: for tests and first steps."""
    return PretrainingConfig(
        task=PretrainingTaskConfig(
            model=_bilm(128, 32, ((1, 16), (2, 32), (3, 64)), n_highway=1),
            train_data=TrainingDataConfig(global_batch_size=32),
            n_negative_samples_batch=512,
        )
    )
