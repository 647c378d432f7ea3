"""What the parts of the serving benchmark have in common."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile

import h5py

from benchmarks.server_process import ServerProcess
from benchmarks.serving_requests import raw_sentence
from benchmarks.text import RandomText
from elmo_tf.errors import RunError

MODEL = "model"
_N_REQUESTS = 500


@dataclasses.dataclass(frozen=True)
class ServingSetting:
    """What the parts of the serving benchmark have in common.

    Attributes:
        folder: A folder for models.
        options_file: The biLM's options.json.
        weights_file: Its weights.hdf5.
        question_model: The folder of a question answering export, or None.
        clients: The numbers of clients of the part `load`.
        seconds: How long a measurement takes, a whole number.
        repeats: How many there are, of which the median counts.
        n_soak: The number of requests of the part `soak`.
        seed: Of sentences.
    """

    folder: str
    options_file: str
    weights_file: str
    question_model: str | None
    clients: tuple
    seconds: int
    repeats: int
    n_soak: int
    seed: int

    def version(self, number):
        """Returns the folder of a SavedModel of the biLM, made when it is new.

        Of each version other characters' vectors are scaled, so that it gives
        other outputs.

        Args:
            number: The version's number.
        """
        path = os.path.join(self.folder, "all", MODEL, str(number))
        if not os.path.exists(path):
            self.say(f"exporting version {number}")
            with tempfile.TemporaryDirectory() as folder:
                weights = os.path.join(folder, "weights.hdf5")
                shutil.copyfile(self.weights_file, weights)
                with h5py.File(weights, "r+") as file:
                    file["char_embed"][...] *= 1 + (number - 1) / 4
                self._export(weights, number)
        return path

    def served_folder(self, name):
        """Makes a folder of versions, of which the first is there."""
        path = os.path.join(self.folder, name, MODEL)
        os.makedirs(path)
        self.add_version(path, 1)
        return path

    def add_version(self, path, number):
        """Puts a version into a folder, at once as a whole."""
        partial = os.path.join(os.path.dirname(path), "partial")
        shutil.copytree(self.version(number), partial)
        os.rename(partial, os.path.join(path, str(number)))

    def start(self, *options, path=None):
        """Starts a server.

        Args:
            *options: More options.
            path: The model's folder; None: that of its first version.

        Returns:
            The `ServerProcess`.
        """
        models = {MODEL: path or self.version(1)}
        if self.question_model is not None:
            models["questions"] = self.question_model
        return ServerProcess(models, *options)

    def text(self):
        """Returns a `RandomText`, always the same."""
        return RandomText(self.seed)

    def sentences(self):
        """Makes requests of one sentence of 5 to 20 words each."""
        return [
            raw_sentence(MODEL, words)
            for words in self.text().sentences(_N_REQUESTS, 5, 20)
        ]

    def say(self, message):
        """Tells on standard error what goes on."""
        print(message, file=sys.stderr, flush=True)

    def _export(self, weights, number):
        result = subprocess.run(
            [
                *(sys.executable, "-m", "elmo_tf.export"),
                f"--options_file={self.options_file}",
                f"--weights_file={weights}",
                f"--output={os.path.join(self.folder, 'all', MODEL)}",
                f"--version={number}",
            ],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        if result.returncode != 0:
            raise RunError(f"the export failed: {result.stderr.strip()}")


def run_grpc_load(address, requests, n_clients, seconds, timeout=60):
    """As `benchmarks.wrk.run_wrk`, over gRPC.

    Args:
        address: Host and port.
        requests: A list of `ServingRequest`.
        n_clients: The number of connections.
        seconds: How long.
        timeout: The deadline of a request, in seconds.

    Returns:
        A dictionary like that of `run_wrk`, with `processor` in it: how much of
        a core the load's own process took.
    """
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.grpc_load"],
        input=json.dumps(
            {
                "target": address,
                "requests": [request.grpc_text() for request in requests],
                "n_clients": n_clients,
                "seconds": seconds,
                "timeout": timeout,
            }
        ),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if process.returncode != 0:
        raise RunError(f"the load failed: {process.stderr.strip()[-500:]}")
    return json.loads(process.stdout)
