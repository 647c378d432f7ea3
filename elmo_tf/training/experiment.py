"""Named configurations, and the parts that all of them share."""

import typing

import pydantic
from pydantic.dataclasses import dataclass

from elmo_tf.errors import InputError
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides

_STRICT = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)

PositiveOrNone = pydantic.PositiveInt | None


@dataclass(frozen=True, config=_STRICT)
class RuntimeConfig:
    """On what the training runs.

    Attributes:
        distribution_strategy: "one_device"; "mirrored" (all given devices of
            this machine); or "multi_worker_mirrored" (the machines that the
            environment variable TF_CONFIG names).
        worker_timeout: For how many seconds "multi_worker_mirrored" waits at
            the start for the other machines.
        num_gpus: Number of GPUs of this machine to use; 0: the CPU.
        num_logical_cpus: Into how many logical devices to split the CPU when
            `num_gpus` is 0; "mirrored" runs a replica on each.
        mixed_precision: "float32", or "mixed_bfloat16": products in bfloat16,
            weights in float32.
        seed: Determines weights, data order, dropout and negative samples.
        deterministic: Whether TensorFlow must give the same bits for the same
            seed, at some cost in speed.
    """

    distribution_strategy: typing.Literal[
        "one_device", "mirrored", "multi_worker_mirrored"
    ] = "one_device"
    worker_timeout: pydantic.PositiveFloat = 600
    num_gpus: pydantic.NonNegativeInt = 0
    num_logical_cpus: pydantic.PositiveInt = 1
    mixed_precision: typing.Literal["float32", "mixed_bfloat16"] = "float32"
    # TensorFlow's stateless operations take seeds of 32 bits.
    seed: typing.Annotated[int, pydantic.Field(ge=0, lt=2**31)] = 1
    deterministic: bool = True


@dataclass(frozen=True, config=_STRICT)
class TrainerConfig:
    """How long to train, and what to write meanwhile.

    Attributes:
        train_steps: Number of steps; None: `train_epochs` decides.
        train_epochs: Number of passes over the training data.
        checkpoint_interval: Steps between two checkpoints.
        max_to_keep: Number of checkpoints kept.
        validation_interval: Steps between two validations in train_and_eval;
            None: only at the end.
        summary_interval: Steps between two entries for TensorBoard.
        progress_seconds: Seconds between two progress lines.
    """

    train_steps: PositiveOrNone = None
    train_epochs: pydantic.PositiveFloat = 10
    checkpoint_interval: pydantic.PositiveInt = 1000
    max_to_keep: pydantic.PositiveInt = 2
    validation_interval: PositiveOrNone = None
    summary_interval: pydantic.PositiveInt = 100
    progress_seconds: pydantic.NonNegativeFloat = 10


_EXPERIMENTS = {}


def register_experiment(name):
    """Registers a function that makes a configuration, under a name.

    Args:
        name: The name, as given to `--experiment`.

    Returns:
        A decorator of a function without arguments that returns a pydantic
        dataclass with the fields `task`, `trainer` and `runtime`.
    """

    def register(factory):
        if name in _EXPERIMENTS:
            raise ValueError(f"the experiment {name!r} is registered twice")
        _EXPERIMENTS[name] = factory
        return factory

    return register


def experiment_names():
    """Lists the names of the registered configurations, sorted."""
    return sorted(_EXPERIMENTS)


def experiment_config(name, config_files=(), params_override=None):
    """Makes the configuration of an experiment.

    Args:
        name: A registered name.
        config_files: YAML or JSON files whose values override the experiment's,
            in this order.
        params_override: YAML or JSON text, a file of it, or `a.b=1,c.d=2`,
            which overrides both.

    Returns:
        The experiment's dataclass.

    Raises:
        InputError: There is no such experiment or option, or a value is of the
            wrong kind.
    """
    if name not in _EXPERIMENTS:
        raise InputError(
            f"--experiment: unknown experiment {name!r}; expected one of "
            f"{', '.join(experiment_names())}"
        )
    config = _EXPERIMENTS[name]()
    for path in config_files:
        source = f"--config_file {path}"
        config = override(config, read_overrides(path, source), source)
    if params_override:
        source = "--params_override"
        config = override(
            config, read_overrides(params_override, source), source
        )
    return config
