"""Runs wrk, a load generator of HTTP."""

import json
import pathlib
import shutil
import subprocess
import tempfile

from elmo_tf.errors import InputError
from elmo_tf.errors import RunError

_SCRIPT = pathlib.Path(__file__).with_name("wrk.lua")


def check_wrk():
    """Checks that there is wrk.

    Raises:
        InputError: There is not.
    """
    if shutil.which("wrk") is None:
        raise InputError("wrk is not on PATH; on Debian: apt-get install wrk")


def run_wrk(address, requests, n_clients, seconds, count=False, timeout=60):
    """Sends requests over many connections, the next when one is answered.

    Args:
        address: Host and port.
        requests: A list of pairs: a path and a body, str without line ends.
        n_clients: The number of connections.
        seconds: How long, a whole number.
        count: Whether to count answers by their status.
        timeout: After how many seconds an answer counts as missing.

    Returns:
        A dictionary: `requests` and `seconds` that were measured; `p50`, `p95`,
        `p99` and `longest`, seconds; `errors`, a dictionary of counts; and
        `statuses`, likewise.

    Raises:
        RunError: wrk failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "requests")
        path.write_text(
            "".join(f"{path}\t{body}\n" for path, body in requests),
            encoding="utf-8",
        )
        result = pathlib.Path(folder, "result")
        process = subprocess.run(
            [
                *("wrk", "--threads=1", f"--connections={n_clients}"),
                *(f"--duration={seconds}s", f"--timeout={timeout}s"),
                *(f"--script={_SCRIPT}", f"http://{address}", "--"),
                *(path, result, *(["count"] if count else [])),
            ],
            capture_output=True,
            text=True,
        )
        if process.returncode != 0 or not result.exists():
            raise RunError(
                f"wrk failed: {process.stderr.strip() or process.stdout}"
            )
        return json.loads(result.read_text())
