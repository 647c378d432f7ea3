"""What a training makes of its validations."""

import json
import math


class Validation:
    """Remembers the validations, and decides what follows from them.

    Args:
        metric: Name of the metric that decides: the larger, the better.
        patience: After how many validations without improvement to stop; None:
            never.

    Attributes:
        history: A list of a dictionary of each validation: its `step` and the
            metrics.
    """

    def __init__(self, metric, patience=None):
        self._metric = metric
        self._patience = patience
        self.history = []

    @property
    def last_step(self):
        """The step of the last validation; 0 if there was none."""
        return self.history[-1]["step"] if self.history else 0

    @property
    def best(self):
        """The best validation, of equal ones the first; None if none."""
        # A metric that is not a number is no improvement.
        candidates = [
            found
            for found in self.history
            if not math.isnan(found[self._metric])
        ]
        return max(
            candidates, key=lambda found: found[self._metric], default=None
        )

    @property
    def n_without_improvement(self):
        """Number of validations since the best one."""
        best = self.best
        return sum(
            best is None or found["step"] > best["step"]
            for found in self.history
        )

    @property
    def is_over(self):
        """Whether to stop."""
        return (
            self._patience is not None
            and self.n_without_improvement >= self._patience
        )

    def add(self, step, metrics):
        """Adds a validation.

        Args:
            step: The number of steps done.
            metrics: A dictionary of numbers.

        Returns:
            Whether it is the best one so far.
        """
        entry = {"step": step, **metrics}
        self.history.append(entry)
        return self.best is entry

    def save_state(self):
        """Returns the validations so far as bytes."""
        return json.dumps(self.history).encode()

    def restore_state(self, state):
        """Takes what `save_state` has returned."""
        self.history = json.loads(state)
