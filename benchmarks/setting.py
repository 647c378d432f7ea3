"""What a part of the benchmark is run with."""

import dataclasses
import sys

from benchmarks.systems import System
from elmo_tf import BiLMConfig


@dataclasses.dataclass(frozen=True)
class Setting:
    """A biLM, the systems that run it, and how often.

    Attributes:
        size: The name of the biLM's shape.
        config: Its `BiLMConfig`.
        options_file: Its options.json.
        weights_file: Its weights.
        ours: This project's systems, that in float32 first.
        peers: The others.
        n_sentences: Number of sentences of a measurement.
        batch_size: Number of sentences in a batch.
        repeats: Number of measurements, of which the median counts.
        seed: Of the sentences.
    """

    size: str
    config: BiLMConfig
    options_file: str
    weights_file: str
    ours: tuple[System, ...]
    peers: tuple[System, ...]
    n_sentences: int
    batch_size: int
    repeats: int
    seed: int

    @property
    def systems(self):
        """All systems, this project's first."""
        return (*self.ours, *self.peers)

    def start(self, system, max_batch_size=None):
        """Starts a system's worker; see `System.start`."""
        self.say(f"starting {system.name}")
        return system.start(
            self.options_file,
            self.weights_file,
            max_batch_size or self.batch_size,
        )

    def say(self, message):
        """Says on standard error what is going on."""
        print(f"{self.size}: {message}", file=sys.stderr, flush=True)
