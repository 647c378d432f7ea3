"""Runs a binary in a process of its own."""

import os
import subprocess
import sys

from elmo_tf.errors import InputError
from elmo_tf.errors import RunError


def run_module(module, arguments, name, log_path):
    """Runs a binary to its end; what it prints goes to a file.

    Args:
        module: The binary's dotted name.
        arguments: A list of what stands after it on the command line.
        name: What to call the run in messages.
        log_path: The file, which grows if it is there.

    Raises:
        InputError: The process ended because of a mistake of the user's.
        RunError: It ended with another error.
    """
    print(f"{name}: training, see {log_path}", file=sys.stderr, flush=True)
    with open(log_path, "ab") as log:
        code = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ).returncode
    if code:
        kind = InputError if code == 2 else RunError
        with open(log_path, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        raise kind(
            f"{name}: {module} ended with exit code {code}: "
            f"{lines[-1] if lines else 'no message'}"
        )
