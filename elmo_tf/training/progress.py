"""The progress line of a long run."""

import time


class Progress:
    """Prints a line now and then: step, speed, loss, time left.

    Args:
        total_steps: The step at which the run ends.
        first_step: The step at which it starts.
        seconds: Seconds between two lines.
        unit: What a step works on, e.g. "tokens".
        step_name: What a step is called.
        file: Where to print; None: standard output.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        total_steps,
        first_step=0,
        seconds=10.0,
        unit="tokens",
        step_name="step",
        file=None,
        clock=time.monotonic,
    ):
        self._total_steps = total_steps
        self._seconds = seconds
        self._unit = unit
        self._step_name = step_name
        self._file = file
        self._clock = clock
        self._last_time = clock()
        self._last_step = first_step
        self._units = 0
        # Smoothed, so that the time left does not jump.
        self._seconds_per_step = None

    def update(self, step, units, values):
        """Counts a step; prints a line if it is time for one.

        Args:
            step: The number of steps done.
            units: How much this step worked on.
            values: A dictionary of named numbers to print.

        Returns:
            Units per second since the last line, if one was printed; else None.
        """
        self._units += units
        now = self._clock()
        elapsed = now - self._last_time
        is_last = step >= self._total_steps
        if elapsed < self._seconds and not is_last:
            return None
        elapsed = max(elapsed, 1e-9)
        speed = self._units / elapsed
        seconds_per_step = elapsed / max(step - self._last_step, 1)
        if self._seconds_per_step is None:
            self._seconds_per_step = seconds_per_step
        else:
            self._seconds_per_step = (
                0.7 * self._seconds_per_step + 0.3 * seconds_per_step
            )
        left = (self._total_steps - step) * self._seconds_per_step
        parts = [
            f"{self._step_name} {step:,}/{self._total_steps:,}",
            f"{speed:,.0f} {self._unit}/s",
            *(f"{name} {value:.4g}" for name, value in values.items()),
            f"{format_duration(left)} left",
        ]
        print(" | ".join(parts), file=self._file, flush=True)
        self._last_time = now
        self._last_step = step
        self._units = 0
        return speed

    def pause(self):
        """Leaves the time until `resume` out of the speed."""
        self._paused_at = self._clock()

    def resume(self):
        """Ends the pause."""
        self._last_time += self._clock() - self._paused_at


def format_duration(seconds):
    """Formats seconds as `H:MM:SS`, with days in front from one day on."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    prefix = f"{days} d " if days else ""
    return f"{prefix}{hours}:{minutes:02d}:{seconds:02d}"
