"""Trains one of several variants of a task model."""

import dataclasses
import math
import os

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.overrides import to_dict
from elmo_tf.training.run import CONFIG_FILE_NAME
from tasks.probes.child_process import run_module
from tasks.probes.task_runs import read_results
from tasks.probes.task_runs import seed_folder
from tasks.registry import make_task


def common_overrides(params_override, seeds, taken):
    """Puts together the overrides that all variants have.

    Args:
        params_override: The user's, as `a.b=1,c.d=2`; may be empty.
        seeds: The seeds, a list of str.
        taken: A dictionary from what makes a variant, or has a flag of its
            own, to the reason why it is not to be set here.

    Returns:
        The overrides as `a.b=1,c.d=2`.

    Raises:
        InputError: They have another form, or set what the variants set.
    """
    text = f"seeds=[{','.join(seeds)}]"
    if not params_override:
        return text
    changes = {}
    if "=" in params_override.split(":")[0]:
        changes = read_overrides(params_override, "--params_override")
    if not changes:
        raise InputError(
            f"--params_override: found {params_override!r}, expected a.b=1,"
            "c.d=2"
        )
    for name, reason in taken.items():
        if name in changes:
            raise InputError(f"--params_override: found {name}, but {reason}")
    return f"{text},{params_override}"


def variant_overrides(lambdas):
    """Lists the variants.

    Args:
        lambdas: The values of λ, a list of str.

    Returns:
        A dictionary from each variant's name to the overrides that make it.

    Raises:
        InputError: A λ is not a number, or less than 0.
    """
    for value in lambdas:
        try:
            is_usable = 0 <= float(value) < math.inf
        except ValueError:
            is_usable = False
        if not is_usable:
            raise InputError(
                f"--lambdas: found {value!r}, expected numbers from 0 on"
            )
    return {
        "none": "task.elmo.location=none",
        "top": "task.elmo.layers=top,task.elmo.l2=0",
        **{
            f"all_{value}": f"task.elmo.layers=all,task.elmo.l2={value}"
            for value in lambdas
        },
        "top_without_gamma": (
            "task.elmo.layers=top,task.elmo.l2=0,task.elmo.use_gamma=false"
        ),
        **{
            location: f"task.elmo.location={location}"
            for location in ("input", "output", "input_and_output")
        },
    }


def check(experiment, overrides, model_dir):
    """Checks a variant before it is trained.

    Args:
        experiment: The experiment's name.
        overrides: What tasks.train will get as its overrides.
        model_dir: The folder of the training, which may have begun.

    Returns:
        The training's configuration.

    Raises:
        InputError: The configuration is wrong, or the training in the folder
            has another one, so that the variants could not be compared.
    """
    config = experiment_config(experiment, params_override=overrides)
    for seed in config.seeds:
        path = os.path.join(seed_folder(model_dir, seed), CONFIG_FILE_NAME)
        if not os.path.exists(path):
            continue
        expected = dataclasses.replace(
            config,
            seeds=(),
            runtime=dataclasses.replace(config.runtime, seed=seed),
        )
        found = override(expected, read_overrides(path, path), path)
        expected, found = map(_comparable, (expected, found))
        for name, value in found.items():
            if value != expected[name]:
                raise InputError(
                    f"{path}: found {name}={value}, expected "
                    f"{expected[name]}; use another --output"
                )
    return config


def metric(config):
    """Returns the name of the metric that decides in a training."""
    return make_task(config.task).metric


def train(experiment, overrides, model_dir, seeds):
    """Trains a variant by tasks.train, in a process of its own.

    What has ended is left alone.

    Args:
        experiment: As for `run_training`.
        overrides: Likewise.
        model_dir: Likewise.
        seeds: The seeds.

    Raises:
        InputError: As `run_training` does.
        RunError: Likewise.
    """
    if not _is_finished(model_dir, seeds):
        run_training(experiment, overrides, model_dir)


def run_training(experiment, overrides, model_dir):
    """Runs tasks.train in a process of its own.

    The process' output goes to `MODEL_DIR.log`.

    Args:
        experiment: The experiment's name.
        overrides: What tasks.train gets as its overrides.
        model_dir: The folder of the training; the one that it is in exists.

    Raises:
        InputError: The process ended because of a mistake of the user's.
        RunError: It ended with another error.
    """
    run_module(
        "tasks.train",
        [
            f"--experiment={experiment}",
            f"--model_dir={model_dir}",
            f"--params_override={overrides}",
        ],
        os.path.basename(model_dir),
        f"{model_dir}.log",
    )


def _is_finished(model_dir, seeds):
    results = read_results(model_dir)
    return (
        results is not None
        and results.get("seeds") == list(seeds)
        and all(read_results(seed_folder(model_dir, seed)) for seed in seeds)
    )


def _comparable(config):
    """A configuration's options by dotted name, without those of no effect."""
    options = dict(_flat(to_dict(config), ""))
    for name in ("cache", "cache_dir"):
        del options[f"task.elmo.{name}"]
    for name, value in options.items():
        if name.endswith("_path") and value:
            options[name] = os.path.realpath(value)
    return options


def _flat(values, prefix):
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
