"""The trainings of one configuration, with one seed or several."""

import dataclasses
import functools
import os

import numpy as np

from tasks.probes.task_runs import seed_folder


@dataclasses.dataclass(frozen=True)
class Summary:
    """What a metric came to over the seeds.

    Attributes:
        mean: The mean.
        standard_deviation: That of the sample; None: one seed.
        values: The values by seed.
    """

    mean: float
    standard_deviation: float | None
    values: dict


@dataclasses.dataclass(frozen=True)
class Variant:
    """The trainings of one configuration, with one seed or several.

    Attributes:
        runs: The `TaskRun`s, by seed.
        number: The number of its entry in the list of runs.
    """

    runs: tuple
    number: int

    @property
    def first(self):
        """The run with the least seed; the others differ in the seed alone."""
        return self.runs[0]

    @property
    def config(self):
        """The `TaskExperimentConfig` of the first run."""
        return self.first.config

    @property
    def options(self):
        """The options of all runs; see `flat_options`."""
        return self.first.options

    @property
    def seeds(self):
        """The seeds, ascending."""
        return [run.results.seed for run in self.runs]

    @property
    def seeds_text(self):
        """How many seeds there are, as "5 seeds"."""
        return f"{len(self.runs)} seed{'' if len(self.runs) == 1 else 's'}"

    @functools.cached_property
    def name(self):
        """The folders of the runs; of several seeds the one they stand in."""
        return ", ".join(
            dict.fromkeys(folder_without_seed(run) for run in self.runs)
        )

    @property
    def uses_elmo(self):
        """Whether the task model reads the biLM."""
        return self.config.task.elmo.is_used

    @property
    def fraction(self):
        """Which part of the training data was used."""
        return self.config.task.train_fraction

    def has(self, split):
        """Whether all runs have metrics of a split."""
        return all(getattr(run.results, split) is not None for run in self.runs)

    def summary(self, split, metric=None):
        """Summarises a metric.

        Args:
            split: "validation" or "test".
            metric: The metric's name; None: the one that decides.

        Returns:
            The `Summary`; None: a run has no such metric.
        """
        metric = metric or self.first.metric
        values = {}
        for run in self.runs:
            metrics = getattr(run.results, split)
            if metrics is None or metric not in metrics:
                return None
            values[run.results.seed] = metrics[metric]
        return summarize(values)

    def layer_weights(self):
        """Takes the means of the layer weights over the seeds.

        Returns:
            A dictionary from place, as "input", to a tuple of γ, a float or
            None, and the layers' shares, a list or None.
        """
        places = {}
        for name in self.first.results.elmo:
            weights = [run.results.elmo.get(name) for run in self.runs]
            if None in weights:
                continue
            gammas = [one.gamma for one in weights]
            shares = [one.s for one in weights]
            places[name.removeprefix("elmo_")] = (
                None if None in gammas else float(np.mean(gammas)),
                None if None in shares else np.mean(shares, axis=0).tolist(),
            )
        return places


def folder_without_seed(run):
    """The folder of a run, or of the training that it is one seed of."""
    parent = os.path.dirname(run.folder)
    if run.folder == seed_folder(parent, run.results.seed):
        return parent or os.curdir
    return run.folder


def summarize(values):
    """Summarises values.

    Args:
        values: A dictionary from seed to number.

    Returns:
        The `Summary`.
    """
    numbers = list(values.values())
    return Summary(
        float(np.mean(numbers)),
        float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None,
        values,
    )
