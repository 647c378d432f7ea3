"""Runs a binary and kills it at a chosen moment."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from tests import binaries
from tests.faults.folder_watch import FolderWatch

# How a process is started and when it is killed.
AT_A_TIME = "at a time"
AFTER_AN_EVENT = "after an event"
BEFORE_A_CALL = "before a call"

# What Python tells of before it does it.
_CALLS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir")


@dataclasses.dataclass(frozen=True)
class Plan:
    """When and how to kill.

    Attributes:
        moment: `AT_A_TIME`: `seconds` after the start. `AFTER_AN_EVENT`:
            `seconds` after the `number`-th thing that happened in the folder.
            `BEFORE_A_CALL`: the process kills itself just before the
            `number`-th time that Python opens a file to write, renames or
            removes something in the folder. None: never.
        seconds: See above.
        number: See above.
        group: Whether to kill the group of processes, else the process alone.
        fork: Whether the process is a fork of this one, which has imported
            TensorFlow; else it is one of `python -m`.
    """

    moment: str | None = None
    seconds: float = 0.0
    number: int = 0
    group: bool = False
    fork: bool = True


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        returncode: The exit code; minus the signal's number after a signal.
        seconds: How long it ran.
        n_events: How many things happened in its folder.
        n_calls: How often it made a call of those above; only in a fork.
        output: What it printed.
    """

    returncode: int
    seconds: float
    n_events: int
    n_calls: int
    output: str

    @property
    def was_killed(self):
        return self.returncode == -signal.SIGKILL


def run(folder, module, arguments, plan):
    """Runs a binary in the subfolder `run` of a folder, and kills it.

    Args:
        folder: A `pathlib.Path`, which has also a folder `tmp` for temporary
            files and gets the files `output` and `calls`.
        module: The binary's dotted name.
        arguments: What stands after it on the command line.
        plan: The `Plan`.

    Returns:
        The `Outcome`.
    """
    for name in ("output", "calls"):
        (folder / name).write_bytes(b"")
    with FolderWatch(folder / "run") as watch:
        first = watch.n_events
        started = time.monotonic()
        start = _fork if plan.fork else _start
        process = start(folder, module, arguments, plan)
        status = _kill(process, watch, first, plan, started)
        seconds = time.monotonic() - started
        watch.wait(0)
        n_events = watch.n_events - first
    try:
        # What it has started may outlive it.
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return Outcome(
        os.waitstatus_to_exitcode(status),
        seconds,
        n_events,
        (folder / "calls").stat().st_size,
        (folder / "output").read_text(encoding="utf-8", errors="replace"),
    )


def in_child(function, *arguments):
    """Calls a function in a fork of this process.

    Args:
        function: Returns something that JSON can hold.
        *arguments: Its arguments.

    Returns:
        What it returned.

    Raises:
        RuntimeError: It raised something.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            answer = {"result": function(*arguments)}
        except BaseException as error:  # noqa: BLE001 (the parent raises it)
            answer = {"error": f"{type(error).__name__}: {error}"}
        with open(writer, "w", encoding="utf-8") as file:
            json.dump(answer, file)
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as file:
        answer = json.loads(file.read() or '{"error": "died"}')
    os.waitpid(child, 0)
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def _environment(folder):
    return {"TMPDIR": str(folder / "tmp")}


def _start(folder, module, arguments, plan):
    del plan  # Of the moments none is the process' own affair.
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=folder / "run",
            env={**binaries.program_environment(), **_environment(folder)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    # `_kill` waits for it.
    process.returncode = 0
    return process.pid


def _fork(folder, module, arguments, plan):
    child = os.fork()
    if child:
        return child
    os.setsid()
    output = os.open(folder / "output", os.O_WRONLY | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder / "run")
    os.environ |= _environment(folder)
    _count_calls(folder, plan)
    os._exit(binaries.run_module(module, arguments))


def _count_calls(folder, plan):
    calls = os.open(folder / "calls", os.O_WRONLY | os.O_APPEND)
    inside = str(folder / "run")
    last = plan.number if plan.moment == BEFORE_A_CALL else None
    n_calls = 0

    def hook(event, arguments):
        nonlocal n_calls
        if event == "open":
            path, _, flags = arguments
            is_write = isinstance(path, str) and flags & (
                os.O_WRONLY | os.O_RDWR
            )
        else:
            path = arguments[0] if event in _CALLS else None
            is_write = isinstance(path, str)
        if is_write and os.path.abspath(path).startswith(inside):
            n_calls += 1
            if n_calls == last:
                os.kill(os.getpid(), signal.SIGKILL)
            os.write(calls, b".")

    sys.addaudithook(hook)


def _kill(process, watch, first, plan, started):
    """Waits for the end or the moment; returns the status."""
    deadline = None
    if plan.moment == AT_A_TIME:
        deadline = started + plan.seconds
    while True:
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            break
        watch.wait(0.02 if deadline is None else min(0.02, deadline - now))
        if (
            plan.moment == AFTER_AN_EVENT
            and deadline is None
            and watch.n_events - first >= plan.number
        ):
            deadline = time.monotonic() + plan.seconds
            continue
        pid, status = os.waitpid(process, os.WNOHANG)
        if pid:
            return status
    try:
        (os.killpg if plan.group else os.kill)(process, signal.SIGKILL)
    except ProcessLookupError:
        # It has no group of its own yet.
        os.kill(process, signal.SIGKILL)
    return os.waitpid(process, 0)[1]


def make_folders(folder):
    """Makes the folders that `run` needs.

    Args:
        folder: A `pathlib.Path`; what was there is not touched.
    """
    for name in ("run", "tmp"):
        pathlib.Path(folder, name).mkdir(parents=True)
