"""Runs binaries as `python -m` does, without importing TensorFlow each time.

A test must not import a binary: several define the same flags, and absl takes
each name once in a process.

`run` hands its work to a process of its own, one for the whole test session,
that has imported what the binaries have in common and forks itself for each
run. It has run nothing of TensorFlow, so a fork is like a fresh process.
"""

import atexit
import dataclasses
import functools
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback


@dataclasses.dataclass(frozen=True)
class Result:
    """How a run ended.

    Attributes:
        returncode: The exit code; minus the signal's number after a signal.
        stdout: What the binary printed, text.
        stderr: Likewise.
    """

    returncode: int
    stdout: str
    stderr: str


def run(module, *arguments):
    """Runs a binary to its end, in this process' folder.

    Args:
        module: The binary's dotted name.
        *arguments: What stands after it on the command line.

    Returns:
        The `Result`.
    """
    server = _server()
    request = json.dumps([os.getcwd(), module, *map(str, arguments)])
    server.stdin.write(f"{request}\n")
    server.stdin.flush()
    return Result(*json.loads(server.stdout.readline()))


def program_environment():
    """The environment of a binary in a process of its own."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        # As the package sets it where the user has not.
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


def check_mistake(result, program, message):
    """Checks that a run ended in one line that says what is wrong.

    Args:
        result: The `Result`.
        program: The binary's name without dots.
        message: What the line says, or how that begins.
    """
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"{program}.py: error: {message}")
    assert result.returncode == 2
    assert result.stdout == ""


@functools.cache
def _server():
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.binaries"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=program_environment(),
    )
    atexit.register(_stop, server)
    return server


def _stop(server):
    server.stdin.close()
    server.wait()
    server.stdout.close()


def _serve():
    """Answers requests until there are no more."""
    import elmo_tf  # noqa: F401

    for request in sys.stdin:
        folder, module, *arguments = json.loads(request)
        with (
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            child = os.fork()
            if child == 0:
                os.dup2(stdout.fileno(), 1)
                os.dup2(stderr.fileno(), 2)
                os.chdir(folder)
                os._exit(run_module(module, arguments))
            _, status = os.waitpid(child, 0)
            texts = []
            for file in (stdout, stderr):
                file.seek(0)
                texts.append(file.read().decode())
        answer = [os.waitstatus_to_exitcode(status), *texts]
        print(json.dumps(answer), flush=True)


def run_module(module, arguments):
    """Runs a module as `python -m` does; returns the exit code."""
    sys.argv[1:] = arguments
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as exit_:
        code = exit_.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    _serve()
