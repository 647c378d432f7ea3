"""After how many updates a training is as good as another."""

import os

import numpy as np

from elmo_tf.quickstart_pictures import read_scalars
from tasks.probes.task_runs import seed_folder


def updates_to_reach(model_dir, other_dir, seeds, metric):
    """Counts the updates until a training is as good as another ever was.

    Args:
        model_dir: The folder of a finished training with several seeds.
        other_dir: The folder of the other one.
        seeds: The seeds.
        metric: Name of the metric that the validations compare; more is better.

    Returns:
        The mean over the seeds of the first step whose validation is at least
        as good as the best of the other training with the same seed; None if it
        never is, with any of the seeds.
    """
    found = []
    for seed in seeds:
        steps, values = _validations(seed_folder(model_dir, seed), metric)
        _, others = _validations(seed_folder(other_dir, seed), metric)
        is_reached = values >= others.max()
        if not is_reached.any():
            return None
        found.append(int(steps[is_reached.argmax()]))
    return float(np.mean(found))


def _validations(folder, metric):
    return read_scalars(os.path.join(folder, "validation"), metric)
