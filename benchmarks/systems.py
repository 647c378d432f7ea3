"""The implementations of ELMo that the benchmark compares."""

import dataclasses
import os
import pathlib
import sys

from benchmarks.worker_process import WorkerProcess
from elmo_tf.errors import InputError

PEERS = ("simple_elmo", "bilm_tf", "allennlp")
DTYPES = ("float32", "bfloat16")
WORD_CACHES = ("on", "off")

_PEERS_SCRIPT = pathlib.Path(__file__).with_name("peers.sh")


@dataclasses.dataclass(frozen=True)
class System:
    """One implementation, with the options that it runs with.

    Attributes:
        name: What tables call it.
        python: The Python to run its worker with.
        module: The worker's module.
        arguments: Arguments of the worker besides the biLM's files.
        peer: Its name among `PEERS`; None: this project's own.
        dtype: What it computes in.
        word_cache: Whether it keeps words' vectors from call to call.
    """

    name: str
    python: str
    module: str
    arguments: dict
    peer: str | None = None
    dtype: str = "float32"
    word_cache: bool = False

    def start(self, options_file, weights_file, max_batch_size):
        """Starts a worker with a biLM loaded.

        Args:
            options_file: The biLM's options.json.
            weights_file: The biLM's weights.
            max_batch_size: The largest batch that it will be asked for.

        Returns:
            A `WorkerProcess`.

        Raises:
            RunError: It could not load the biLM.
        """
        return WorkerProcess(
            self.name,
            self.python,
            self.module,
            {
                "options_file": os.path.abspath(options_file),
                "weights_file": os.path.abspath(weights_file),
                "max_batch_size": max_batch_size,
                **self.arguments,
            },
        )


def our_systems(dtypes, word_caches, environments):
    """Lists this project's systems.

    They run beside what embedding needs, as the peers do, where `peers.sh` has
    made such an environment, else in this one.

    Args:
        dtypes: Some of `DTYPES`.
        word_caches: Some of `WORD_CACHES`.
        environments: The folder that `peers.sh` has filled.

    Returns:
        A list of `System`.
    """
    python = _python_of(environments, "elmo_tf")
    systems = []
    for dtype in dtypes:
        for word_cache in word_caches:
            arguments = {}
            name = f"elmo_tf {dtype}"
            # What is not given stays as it comes.
            if dtype != "float32":
                arguments["dtype"] = dtype
            if word_cache == "off":
                arguments["word_cache_size"] = 0
                name += ", no word cache"
            systems.append(
                System(
                    name,
                    str(python) if python.exists() else sys.executable,
                    "benchmarks.elmo_tf_worker",
                    arguments,
                    dtype=dtype,
                    word_cache=word_cache == "on",
                )
            )
    return systems


def peer_systems(peers, environments):
    """Lists the peers' systems.

    Args:
        peers: Some of `PEERS`.
        environments: The folder that `peers.sh` has filled.

    Returns:
        A list of `System`.

    Raises:
        InputError: A peer's environment is not there.
    """
    systems = []
    for peer in peers:
        python = _python_of(environments, peer)
        if not python.exists():
            raise InputError(
                f"--environments={environments}: has no {peer}/bin/python; "
                f"make it with: {_PEERS_SCRIPT} {environments} {peer}"
            )
        systems.append(
            System(
                peer,
                str(python),
                f"benchmarks.peers.{peer}_worker",
                {},
                peer=peer,
            )
        )
    return systems


def _python_of(environments, name):
    return pathlib.Path(environments).absolute() / name / "bin" / "python"
