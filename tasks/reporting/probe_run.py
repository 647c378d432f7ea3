"""A finished measurement that trains no task model."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ProbeRun:
    """A finished measurement that trains no task model.

    Attributes:
        folder: Its folder, relative to the one that the report is about.
        title: What it measures.
        results: What its results.json holds, checked.
        date: When its results were written, as text.
    """

    folder: str
    title: str
    results: object
    date: str
