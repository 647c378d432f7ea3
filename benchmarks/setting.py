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
        batch_size: Number of sentences in a batch of the peers; this project
            chooses its batches by itself.
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

    def time(self, system, worker, sentences, batch_size=None):
        """Has a worker embed sentences.

        Args:
            system: The worker's system.
            worker: The `WorkerProcess`.
            sentences: A list of lists of tokens.
            batch_size: Number of sentences in a batch; None: as usual.

        Returns:
            The seconds that it took.
        """
        answer = worker.request(
            "time",
            sentences=sentences,
            batch_size=batch_size or self.batch_size_of(system),
        )
        return answer["seconds"]

    def batch_size_of(self, system):
        """The batch size to ask a system for; None: as it comes."""
        return self.batch_size if system.peer else None

    def say(self, message):
        """Says on standard error what is going on."""
        print(f"{self.size}: {message}", file=sys.stderr, flush=True)
