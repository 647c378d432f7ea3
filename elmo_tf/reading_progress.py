"""The progress line of a reading."""

import sys
import time

from elmo_tf.training.progress import format_duration


class ReadingProgress:
    """Prints on standard error how much is read, now and then.

    Args:
        seconds: Seconds between two lines.
        clock: Returns the time in seconds.

    Call arguments:
        done: Number of bytes read so far.
        total: Number of bytes to read.
    """

    def __init__(self, seconds=2.0, clock=time.monotonic):
        self._seconds = seconds
        self._clock = clock
        self._start = self._last = clock()

    def __call__(self, done, total):
        now = self._clock()
        if now - self._last < self._seconds and done < total:
            return
        self._last = now
        left = format_duration((now - self._start) * (total - done) / done)
        print(
            f"read {done / 1e6:,.1f} of {total / 1e6:,.1f} MB | {left} left",
            file=sys.stderr,
        )
