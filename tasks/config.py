"""The parts of a configuration that all tasks share."""

import dataclasses
import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.training.experiment import RuntimeConfig
from elmo_tf.training.experiment import TrainerConfig

STRICT = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)

Rate = typing.Annotated[float, pydantic.Field(ge=0, lt=1)]
PositiveOrNone = pydantic.PositiveFloat | None


@dataclass(frozen=True, config=STRICT)
class ElmoConfig:
    """How a task model reads the frozen biLM (section 3.3 of the paper).

    Attributes:
        saved_model: The biLM's SavedModel, or the name of a pre-trained biLM of
            the package.
        location: Where the task model takes ELMo: "none", "input" (beside the
            word vectors), "output" (beside the output of the lowest encoder)
            or "input_and_output", each with layer weights of its own.
        layers: "all" (the weighted sum), "top" (the last layer, times γ) or
            the number of the one layer to take, times γ: 0 is the token layer.
        l2: λ: `λ‖w‖²` of the raw layer weights joins the loss.
        use_gamma: Whether γ is learnt; otherwise it is one (section A.2).
        layer_norm: Layer normalisation before the sum: null, "bilm_tf" or
            "allennlp"; see `WeightedLayerSum`.
        dropout: The rate on the ELMo vectors.
        cache: Whether the biLM's layers are computed once for a file and kept
            on disk; otherwise they are computed in each epoch.
        cache_dir: Where to keep them; empty: `elmo_tf` in the user's cache
            folder (`$XDG_CACHE_HOME`, or else `~/.cache`).
    """

    saved_model: str = "mini"
    location: typing.Literal["none", "input", "output", "input_and_output"] = (
        "input"
    )
    layers: typing.Literal["all", "top"] | pydantic.NonNegativeInt = "all"
    l2: pydantic.NonNegativeFloat = 0.0
    use_gamma: bool = True
    layer_norm: typing.Literal["bilm_tf", "allennlp"] | None = None
    dropout: Rate = 0.5
    cache: bool = True
    cache_dir: str = ""

    @pydantic.field_validator("layers", mode="before")
    @classmethod
    def _check_layers(cls, value):
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if value not in ("all", "top") and not (is_number and value >= 0):
            raise ValueError(
                f"found {value!r}, expected all, top or the number of a layer, "
                "from 0 on"
            )
        return value

    @property
    def only_layer(self):
        """The number of the one layer to take, −1 the last; None: all."""
        return {"all": None, "top": -1}.get(self.layers, self.layers)

    @property
    def is_used(self):
        """Whether the task model reads the biLM at all."""
        return self.location != "none"

    @property
    def at_input(self):
        """Whether the task model takes ELMo beside the word vectors."""
        return self.location in ("input", "input_and_output")

    @property
    def at_output(self):
        """Whether the task model takes ELMo beside the encoder's output."""
        return self.location in ("output", "input_and_output")


@dataclass(frozen=True, config=STRICT)
class WordVectorsConfig:
    """The word vectors beside ELMo.

    Attributes:
        input_path: Files in GloVe's or word2vec's text format, plain or gzip: a
            glob, or several with commas between them; empty: vectors at
            random.
        words_path: A file of words, one a line, where `input_path` holds their
            vectors alone, as Senna's does; empty: they stand together.
        dim: Width of the vectors at random; 0, without `input_path`: the model
            reads no words.
        trainable: Whether training changes the vectors.
        lowercase: Whether a word without a vector takes the one of its
            lower-case form.
        zero_numbers: Whether numbers in it at last count as `0`, as for
            Senna's vectors.
        min_count: How often a word without a vector must occur in the training
            data to have an entry.
    """

    input_path: str = ""
    words_path: str = ""
    dim: pydantic.NonNegativeInt = 50
    trainable: bool = True
    lowercase: bool = True
    zero_numbers: bool = False
    min_count: pydantic.PositiveInt = 1

    @property
    def is_used(self):
        """Whether the model reads words."""
        return bool(self.input_path) or self.dim > 0


@dataclass(frozen=True, config=STRICT)
class CharacterEncoderConfig:
    """The trained character convolution beside the word vectors.

    Attributes:
        filters: Number of filters of each width; 0: the model reads no
            characters.
        embedding_dim: Width of a character's embedding.
        width: Width of a filter in characters, or a list of different ones; a
            tuple in either case.
        dropout: The rate on the characters' embeddings.
    """

    filters: pydantic.NonNegativeInt = 0
    embedding_dim: pydantic.PositiveInt = 16
    width: tuple[pydantic.PositiveInt, ...] = (3,)
    dropout: Rate = 0.0

    @pydantic.field_validator("width", mode="before")
    @classmethod
    def _as_tuple(cls, value):
        return (value,) if isinstance(value, int) else value

    @pydantic.field_validator("width")
    @classmethod
    def _check_width(cls, value):
        if not value or len({*value}) < len(value):
            raise ValueError(
                f"found {[*value]}, expected a width or different ones"
            )
        return value

    @property
    def is_used(self):
        """Whether the model reads characters."""
        return self.filters > 0


@dataclass(frozen=True, config=STRICT)
class OptimizerConfig:
    """The optimizer.

    Attributes:
        name: "adam", "adadelta" or "adagrad".
        learning_rate: The learning rate to begin with.
        beta_1: Adam's.
        beta_2: Adam's.
        rho: Adadelta's.
        epsilon: Of all three.
        initial_accumulator_value: Adagrad's.
        clip_norm: Bound of the gradients' global norm; null: none.
        clip_value: Bound of each gradient's absolute value; null: none.
        decay_rate: By what the learning rate is multiplied every
            `decay_steps` steps; null: it is constant.
        decay_steps: Number of steps.
        plateau_factor: By what the learning rate is multiplied when the
            validation has not improved; null: it is constant.
        plateau_patience: After how many validations without improvement.
        ema_decay: Decay of an exponential moving average of the weights, with
            whose values the model is validated, tested and kept; null: none.
    """

    name: typing.Literal["adam", "adadelta", "adagrad"] = "adam"
    learning_rate: pydantic.PositiveFloat = 0.001
    beta_1: Rate = 0.9
    beta_2: Rate = 0.999
    rho: Rate = 0.95
    epsilon: pydantic.PositiveFloat = 1e-7
    initial_accumulator_value: pydantic.NonNegativeFloat = 0.1
    clip_norm: PositiveOrNone = None
    clip_value: PositiveOrNone = None
    decay_rate: typing.Annotated[float, pydantic.Field(gt=0, lt=1)] | None = (
        None
    )
    decay_steps: pydantic.PositiveInt = 100
    plateau_factor: (
        typing.Annotated[float, pydantic.Field(gt=0, lt=1)] | None
    ) = None
    plateau_patience: pydantic.PositiveInt = 1
    ema_decay: Rate | None = None

    @pydantic.model_validator(mode="after")
    def _check_learning_rate(self):
        if self.decay_rate is not None and self.plateau_factor is not None:
            raise ValueError(
                "found both decay_rate and plateau_factor, expected one of them"
            )
        return self


@dataclass(frozen=True, config=STRICT)
class TaskDataConfig:
    """Labelled data.

    Attributes:
        input_path: A file in the task's format, plain or gzip, for the cloze
            test also a folder of files or an archive; empty: none.
        batch_size: Number of examples of a batch, on all devices together; of
            validation and test data without influence on the result, but for
            `elmo.layer_norm`, whose moments are a batch's.
    """

    input_path: str = ""
    batch_size: pydantic.PositiveInt = 32


@dataclass(frozen=True, config=STRICT)
class TaskConfig:
    """What every task has; each adds its model and its data's format.

    Attributes:
        elmo: How the model reads the biLM.
        word_vectors: The word vectors beside ELMo.
        character_encoder: The character convolution beside both.
        optimizer: The optimizer.
        train_data: What to train on.
        train_fraction: Which part of the training examples to use, drawn with
            the run's seed. The classes are those of all.
        validation_data: What decides when to stop and which weights to keep.
        test_data: What is measured at the end, with the weights kept.
    """

    elmo: ElmoConfig = dataclasses.field(default_factory=ElmoConfig)
    word_vectors: WordVectorsConfig = dataclasses.field(
        default_factory=WordVectorsConfig
    )
    character_encoder: CharacterEncoderConfig = dataclasses.field(
        default_factory=CharacterEncoderConfig
    )
    optimizer: OptimizerConfig = dataclasses.field(
        default_factory=OptimizerConfig
    )
    train_data: TaskDataConfig = dataclasses.field(
        default_factory=TaskDataConfig
    )
    train_fraction: typing.Annotated[float, pydantic.Field(gt=0, le=1)] = 1.0
    validation_data: TaskDataConfig = dataclasses.field(
        default_factory=TaskDataConfig
    )
    test_data: TaskDataConfig = dataclasses.field(
        default_factory=TaskDataConfig
    )

    @pydantic.model_validator(mode="after")
    def _check_inputs(self):
        if not (
            self.word_vectors.is_used
            or self.character_encoder.is_used
            or self.elmo.at_input
        ):
            raise ValueError(
                "found no word vectors (word_vectors.dim=0 without "
                "input_path), no characters (character_encoder.filters=0) and "
                f"elmo.location={self.elmo.location}, expected one of them at "
                "the model's input"
            )
        return self


@dataclass(frozen=True, config=STRICT)
class TaskTrainerConfig(TrainerConfig):
    """How long to train a task model.

    Attributes:
        checkpoint_interval: Steps between two checkpoints; null: an epoch.
        validation_interval: Steps between two validations; null: an epoch.
        summary_interval: Steps between two entries for TensorBoard.
        patience: After how many validations without improvement to stop; null:
            never before the end.
    """

    checkpoint_interval: pydantic.PositiveInt | None = None
    summary_interval: pydantic.PositiveInt = 10
    patience: pydantic.PositiveInt | None = None


@dataclass(frozen=True, config=STRICT)
class TaskExperimentConfig:
    """The configuration of a task's training; each task gives `task` its type.

    Attributes:
        task: What to train: a `TaskConfig` of one of the tasks.
        trainer: How long, and what to write meanwhile.
        runtime: On what.
        seeds: Trains once with each in place of `runtime.seed`, in folders of
            their own, and reports mean and standard deviation; empty: once.
    """

    task: TaskConfig
    trainer: TaskTrainerConfig = dataclasses.field(
        default_factory=TaskTrainerConfig
    )
    runtime: RuntimeConfig = dataclasses.field(default_factory=RuntimeConfig)
    seeds: tuple[int, ...] = ()
