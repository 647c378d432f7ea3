"""How a training came about: its experiment and its command."""

import os
import shlex

from elmo_tf.errors import InputError
from elmo_tf.training.experiment import experiment_config
from elmo_tf.training.experiment import experiment_names
from elmo_tf.training.overrides import override
from elmo_tf.training.overrides import read_overrides
from elmo_tf.training.run import CONFIG_FILE_NAME
from tasks.reporting.options import differing
from tasks.reporting.options import flat_options


def nearest_experiment(variant):
    """Finds the experiment that a variant started from.

    Args:
        variant: The `Variant`.

    Returns:
        A tuple of its name and a dictionary of the options that differ from
        it, but for the paths of files. The recorded one where there is one,
        else the one that differs in the fewest options; the name is None where
        no experiment is of the task.
    """
    recorded = variant.first.results.experiment
    candidates = {}
    for name in experiment_names():
        config = experiment_config(name)
        if type(config) is type(variant.config):
            changed = differing(variant.options, flat_options(config))
            candidates[name] = {
                option: value
                for option, value in changed.items()
                if not option.endswith("_path")
            }
    if recorded in candidates:
        return recorded, candidates[recorded]
    return min(
        candidates.items(), key=lambda item: len(item[1]), default=(None, {})
    )


def recorded_commands(variant):
    """The commands that the runs of a variant have recorded, each once."""
    commands = [run.results.command for run in variant.runs]
    return list(dict.fromkeys(filter(None, commands)))


def reproducing_command(variant, experiment, root):
    """Makes a command that gives the runs' configuration again.

    Args:
        variant: The `Variant`.
        experiment: Name of the experiment to start from, of the same task.
        root: The folder of all runs.

    Returns:
        The command; None: this experiment, changed by the run's configuration
        file, is not the run's configuration.
    """
    run = variant.first
    source = os.path.join(run.path, CONFIG_FILE_NAME)
    try:
        config = override(
            experiment_config(experiment),
            read_overrides(source, source),
            source,
        )
    except InputError:
        return None
    if flat_options(config) != run.options:
        return None
    seeds = ",".join(map(str, variant.seeds))
    arguments = [
        *("python", "-m", "tasks.train", f"--experiment={experiment}"),
        f"--config_file={os.path.join(root, run.folder, CONFIG_FILE_NAME)}",
        "--model_dir=MODEL_DIR",
    ]
    if len(variant.seeds) > 1:
        arguments.append(f"--params_override=seeds=[{seeds}]")
    return shlex.join(arguments)
