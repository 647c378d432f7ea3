"""The embedded server in a process of its own, watched from outside."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request

from elmo_tf.errors import RunError


class ServerProcess:
    """The embedded server in a process of its own; a context manager.

    Args:
        models: A dictionary from names to folders.
        *options: More options of `elmo_tf.serve`.

    Attributes:
        rest: Host and port of REST.
        grpc: Those of gRPC.

    Raises:
        RunError: It ended before it took requests.
    """

    def __init__(self, models, *options):
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "elmo_tf.serve"),
                *(f"--model={name}:{path}" for name, path in models.items()),
                *("--rest_port=0", "--grpc_port=0", *options),
            ],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            message = self.errors()
            self.__exit__()
            raise RunError(f"the server did not start: {message}")
        ports = json.loads(line)
        self.rest = f"127.0.0.1:{ports['rest_port']}"
        self.grpc = f"127.0.0.1:{ports['grpc_port']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def end(self):
        """Asks it to end, as a service manager does, and does not wait."""
        self._process.send_signal(signal.SIGTERM)

    def exit_code(self, timeout=120):
        """Waits for its end.

        Args:
            timeout: The most seconds to wait.

        Returns:
            Its exit code; None: it runs still.
        """
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def errors(self):
        """Returns what it has printed on standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace").strip()

    def memory(self):
        """Returns the bytes of memory that it holds (its resident set)."""
        path = f"/proc/{self._process.pid}/status"
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return 1024 * int(line.split()[1])
        raise RunError("the server has ended")

    def n_files(self):
        """Returns the number of its open files, connections included."""
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))

    def metrics(self):
        """Asks it for its metrics.

        Returns:
            A dictionary from a name and its labels, as they are written, to a
            float.
        """
        url = f"http://{self.rest}/metrics"
        with urllib.request.urlopen(url, timeout=60) as response:
            lines = response.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line[:1] != "#")
        return {name: float(value) for name, value in pairs}

    def n_requests(self):
        """Returns how many requests for predictions it has answered."""
        return round(
            sum(
                value
                for name, value in self.metrics().items()
                if name.startswith("elmo_tf_requests_total")
            )
        )
