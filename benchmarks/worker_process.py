"""The benchmark's side of a worker: a process that waits to be told."""

import json
import pathlib
import subprocess
import tempfile
import time

from benchmarks.original_environment import ENVIRONMENT
from elmo_tf.errors import RunError

_REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


class WorkerProcess:
    """A process that runs a module which calls `benchmarks.peers.worker.serve`.

    It does nothing but what `request` asks, so that of several workers only one
    runs at a time. Use it as a context manager, which ends the process.

    Args:
        name: What to call it in messages.
        python: The Python to run it with.
        module: The worker's module, by its dotted name.
        arguments: A dictionary of the worker's arguments.

    Attributes:
        name: As given.
        versions: What the worker runs, a dictionary.
        import_seconds: From the process' start until all was imported.
        load_seconds: From then on until the model was there.

    Raises:
        RunError: The process ended before it was ready.
    """

    def __init__(self, name, python, module, arguments):
        self.name = name
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [
                python,
                "-W",
                "ignore",
                "-m",
                module,
                json.dumps({**arguments, "started": time.time()}),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=_REPOSITORY,
            env={**ENVIRONMENT, "TF_CPP_MIN_LOG_LEVEL": "2"},
            text=True,
        )
        try:
            ready = self._read()
        except RunError:
            self.close()
            raise
        self.versions = ready["versions"]
        self.import_seconds = ready["import_seconds"]
        self.load_seconds = ready["load_seconds"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def request(self, command, **values):
        """Tells the worker to do something and waits until it is done.

        Args:
            command: The `answer_…` method to call.
            **values: Its arguments, plain Python values.

        Returns:
            The answer, a dictionary.

        Raises:
            RunError: The worker failed; with the last line that it printed.
        """
        line = json.dumps({"command": command, **values})
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # It is gone; reading says why.
        return self._read()

    def close(self):
        """Ends the process."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        self._process.stdout.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _read(self):
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        code = self._process.wait()
        if code < 0:
            raise RunError(
                f"{self.name}: the worker was killed by signal {-code}; is "
                "there memory enough for all workers together?"
            )
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        raise RunError(
            f"{self.name}: the worker ended with exit code {code}: "
            f"{said[-1] if said else 'no message'}"
        )
