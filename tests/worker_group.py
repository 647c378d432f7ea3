"""The workers of one training, processes on this machine."""

import dataclasses
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

from elmo_tf.errors import LostWorkerError
from tests import binaries

_POLL_SECONDS = 0.02
# At once, a worker would mostly meet others that have not noticed yet.
_RESTART_SECONDS = 5


@dataclasses.dataclass(frozen=True)
class End:
    """How a process of a worker ended.

    Attributes:
        worker: The worker's number.
        returncode: Its exit code; minus the signal's number after a signal.
        errors: What it printed to standard error.
        time: When, as `time.monotonic` has it.
    """

    worker: int
    returncode: int
    errors: str
    time: float


class WorkerGroup:
    """Workers that are started again as Kubernetes does it.

    A process that was killed, or asks for it by an exit code of 128 or more, is
    started again; one that ends with another code is not.

    Args:
        command: The command line of all, or a list of each one's.
        n_workers: Their number.
        folder: Where what they print goes.
        n_workers_told: How many workers TF_CONFIG names, a list of each one's;
            by default `n_workers`.

    Attributes:
        ends: A list of each `End` so far.
    """

    def __init__(self, command, n_workers, folder, n_workers_told=None):
        self._commands = command
        if isinstance(command[0], str):
            self._commands = [command] * n_workers
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        told = n_workers_told or [n_workers] * n_workers
        addresses = [f"127.0.0.1:{port}" for port in _free_ports(max(told))]
        self._configs = [
            json.dumps(
                {
                    "cluster": {"worker": addresses[:n_told]},
                    "task": {"type": "worker", "index": index},
                }
            )
            for index, n_told in enumerate(told)
        ]
        self._processes = {}
        self._restarts = {}
        self.ends = []

    def __enter__(self):
        for index in range(len(self._commands)):
            self._start(index)
        return self

    def __exit__(self, *_):
        for process in self._processes.values():
            process.kill()
            process.wait()

    def kill(self, index):
        """Kills a worker; returns when, as `time.monotonic` has it."""
        self._processes[index].send_signal(signal.SIGKILL)
        return time.monotonic()

    def wait_for(self, path, seconds=600):
        """Waits until there is a file, which the workers must write."""
        self._wait(lambda: os.path.exists(path), seconds)
        assert self._processes, f"the run ended without {path}"

    def wait_for_ends(self, number, seconds=600):
        """Waits until so many processes have ended in all."""
        self._wait(lambda: len(self.ends) >= number, seconds)

    def finish(self, seconds=600):
        """Waits until none is left."""
        self._wait(lambda: not self._processes and not self._restarts, seconds)

    def printed(self, index, stream="out"):
        """What a worker has printed, all its processes together."""
        return self._path(index, stream).read_text(encoding="utf-8")

    def _wait(self, is_over, seconds):
        deadline = time.monotonic() + seconds
        while not is_over() and (self._processes or self._restarts):
            assert time.monotonic() < deadline, self._all_printed()
            time.sleep(_POLL_SECONDS)
            for index, process in list(self._processes.items()):
                if process.poll() is not None:
                    self._ended(index, process.returncode)
            for index, due in list(self._restarts.items()):
                if time.monotonic() > due:
                    del self._restarts[index]
                    self._start(index)

    def _ended(self, index, returncode):
        self.ends.append(
            End(
                index,
                returncode,
                self.printed(index, "err"),
                time.monotonic(),
            )
        )
        del self._processes[index]
        if returncode < 0 or returncode >= 128:
            self._restarts[index] = time.monotonic() + _RESTART_SECONDS

    def _start(self, index):
        with (
            open(self._path(index, "out"), "a") as out,
            open(self._path(index, "err"), "w") as err,
        ):
            self._processes[index] = subprocess.Popen(
                self._commands[index],
                stdout=out,
                stderr=err,
                env={
                    **binaries.program_environment(),
                    "TF_CONFIG": self._configs[index],
                },
            )

    def _path(self, index, stream):
        return self._folder / f"worker_{index}.{stream}"

    def _all_printed(self):
        return "\n".join(
            f"{path}:\n{path.read_text(encoding='utf-8')}"
            for path in sorted(self._folder.glob("worker_*"))
        )


def _free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def check_restarts(group, killed):
    """Checks that all have come to a good end, after one was killed.

    The others must have noticed, each in one line of its own and in time; who
    was started again too soon may have met one that had not noticed yet.

    Args:
        group: The `WorkerGroup`, finished.
        killed: The number of the worker that was killed.
    """
    first, *others = group.ends
    assert (first.worker, first.returncode) == (killed, -signal.SIGKILL)
    lost = [end for end in others if end.returncode]
    assert {0, 1, 2} - {killed} <= {end.worker for end in lost}
    for end in lost:
        # TensorFlow's own threads may end the process before ours does.
        if end.returncode == LostWorkerError.exit_code:
            assert "train.py: error: lost " in end.errors, end
            assert "Start all workers again" in end.errors, end
    noticed = {end.worker: end for end in reversed(lost)}
    for worker in {0, 1, 2} - {killed}:
        assert noticed[worker].returncode == LostWorkerError.exit_code
        assert noticed[worker].time - first.time < 40
    done = {end.worker for end in others if end.returncode == 0}
    assert done == {0, 1, 2}
