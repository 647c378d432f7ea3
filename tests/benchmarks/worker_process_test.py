"""Processes that wait to be told."""

import os
import signal
import sys
import time

import pytest

from benchmarks.worker_process import WorkerProcess
from elmo_tf.errors import RunError


def start(**arguments):
    return WorkerProcess(
        "adder", sys.executable, "tests.benchmarks.adder", arguments
    )


def test_a_worker_answers_and_ends():
    begin = time.time()
    with start(first=2) as worker:
        assert worker.versions == {"adder": "1"}
        assert 0 < worker.import_seconds < time.time() - begin
        assert 0 <= worker.load_seconds < 1
        # What it prints itself does not come between its answers.
        assert worker.request("sum", second=3) == {"sum": 5}
        assert worker.request("sum", second=4) == {"sum": 6}
        process = worker._process
    assert process.returncode == 0


def test_a_worker_that_cannot_start():
    with pytest.raises(RunError) as error:
        start(first="two")
    assert str(error.value) == (
        "adder: the worker ended with exit code 1: TypeError: no number: 'two'"
    )


def test_a_worker_that_fails():
    with start(first=2) as worker:
        with pytest.raises(RunError, match="exit code 1: TypeError: unsuppor"):
            worker.request("sum", second="three")
        with pytest.raises(RunError, match="exit code 1: TypeError: unsuppor"):
            worker.request("sum", second=3)


def test_a_worker_that_is_killed():
    with start(first=2) as worker:
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(RunError) as error:
            worker.request("sum", second=3)
    assert str(error.value) == (
        "adder: the worker was killed by signal 9; is there memory enough for "
        "all workers together?"
    )
