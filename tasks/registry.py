"""All tasks, by name."""

from tasks.cloze.experiments import ClozeExperimentConfig
from tasks.cloze.task import ClozeTask
from tasks.coref.experiments import CorefExperimentConfig
from tasks.coref.task import CorefTask
from tasks.ner.experiments import NERExperimentConfig
from tasks.ner.task import NERTask
from tasks.pos.experiments import POSExperimentConfig
from tasks.pos.task import POSTask
from tasks.snli.experiments import SNLIExperimentConfig
from tasks.snli.task import SNLITask
from tasks.squad.experiments import SquadExperimentConfig
from tasks.squad.task import SquadTask
from tasks.srl.experiments import SRLExperimentConfig
from tasks.srl.task import SRLTask
from tasks.sst.experiments import SSTExperimentConfig
from tasks.sst.task import SSTTask

# The class of a task, and of its experiments' configuration.
_TASKS = {
    "cloze": (ClozeTask, ClozeExperimentConfig),
    "coref": (CorefTask, CorefExperimentConfig),
    "ner": (NERTask, NERExperimentConfig),
    "pos": (POSTask, POSExperimentConfig),
    "snli": (SNLITask, SNLIExperimentConfig),
    "squad": (SquadTask, SquadExperimentConfig),
    "srl": (SRLTask, SRLExperimentConfig),
    "sst": (SSTTask, SSTExperimentConfig),
}


def make_task(config):
    """Makes a task.

    Args:
        config: A task's configuration.

    Returns:
        The `Task`.
    """
    return _TASKS[config.name][0](config)


def experiment_class(name):
    """Returns the class of the configuration of a task's experiments.

    Args:
        name: The task's name.

    Returns:
        A subclass of `TaskExperimentConfig`; None if there is no such task.
    """
    return _TASKS[name][1] if name in _TASKS else None
