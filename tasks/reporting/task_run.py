"""A finished training of a task model with one seed."""

import dataclasses
import functools

from tasks.config import TaskExperimentConfig
from tasks.registry import make_task
from tasks.reporting.options import flat_options
from tasks.reporting.training_results import TrainingResults


@dataclasses.dataclass(frozen=True)
class TaskRun:
    """A finished training of a task model with one seed.

    Attributes:
        folder: Its folder, relative to the one that the report is about.
        path: Its folder, to open.
        config: Its configuration.
        results: What it has left.
        date: When it ended, or its results were written, as text.
        seconds: How long it trained, without start-up.
        curve: The steps of its validations and the task's metric there, two
            lists.
        elmo_fingerprint: That of its biLM; None: no ELMo.
    """

    folder: str
    path: str
    config: TaskExperimentConfig
    results: TrainingResults
    date: str
    seconds: float
    curve: tuple
    elmo_fingerprint: str | None

    @property
    def task(self):
        """The task's name."""
        return self.config.task.name

    @functools.cached_property
    def metric(self):
        """The name of the metric that decides."""
        return make_task(self.config.task).metric

    @functools.cached_property
    def options(self):
        """The options that decide what is learnt; see `flat_options`."""
        return flat_options(self.config)
