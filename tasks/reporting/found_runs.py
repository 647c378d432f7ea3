"""What a folder of runs holds."""

import dataclasses


@dataclasses.dataclass
class FoundRuns:
    """What a folder of runs holds.

    Attributes:
        tasks: A list of `TaskRun`.
        senses: A list of `ProbeRun` with `SenseResults`.
        fine_tunings: A list of `ProbeRun` with `FineTuningResults`.
        left_out: A list of tuples of a folder and the reason why what is in it
            is not in the report.
    """

    tasks: list = dataclasses.field(default_factory=list)
    senses: list = dataclasses.field(default_factory=list)
    fine_tunings: list = dataclasses.field(default_factory=list)
    left_out: list = dataclasses.field(default_factory=list)
