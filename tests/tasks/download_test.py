"""The binary that downloads data sets, run as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests import binaries
from tests.tasks.downloads import published
from tests.tasks.downloads.file_server import FileServer

# A data set on this machine, in place of those in the catalogue.
_PROGRAM = """
import dataclasses
import runpy
import signal
import sys

from tasks.downloads import catalogue

# A shell's background jobs ignore it, and so would what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
address, sha256, size = sys.argv[1:4]
data_set = catalogue.find("sst")
remote = dataclasses.replace(
    data_set.files[0], address=address, sha256=sha256, size=int(size)
)
catalogue._DATA_SETS["sst"] = lambda: dataclasses.replace(
    data_set, files=(remote,)
)
sys.argv[1:] = sys.argv[4:]
runpy.run_module("tasks.download", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def server():
    with FileServer() as running:
        yield running


@pytest.fixture
def start(server, tmp_path):
    """A function that starts a download into `tmp_path / "sst"`."""

    def start_program(checksum=None):
        (content,) = published.files("sst").values()
        server.files.setdefault("trees.zip", content)
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                _PROGRAM,
                f"{server.address}trees.zip",
                checksum or published.sha256(content),
                str(len(content)),
                "--dataset=sst",
                f"--output={tmp_path / 'sst'}",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**binaries.program_environment(), "no_proxy": "127.0.0.1"},
        )

    return start_program


@pytest.mark.slow
def test_files_and_last_line(start, tmp_path):
    program = start()
    stdout, stderr = program.communicate()
    assert program.returncode == 0, stderr
    files = {"train.txt": 2, "dev.txt": 2, "test.txt": 2}
    # One line and nothing else.
    assert json.loads(stdout) == {"dataset": "sst", "files": files}
    assert sorted(os.listdir(tmp_path / "sst")) == sorted(files)
    lines = stderr.splitlines()
    assert lines[0] == "sst: trees of the Stanford Sentiment Treebank"
    assert lines[1] == "source: its authors' address"
    assert lines[2].startswith("address: http://127.0.0.1:")
    assert lines[3] == "licence: its authors state none"
    assert lines[-1] == "counting trees"


@pytest.mark.slow
def test_another_checksum(start, server, tmp_path):
    program = start("0" * 64)
    stdout, stderr = program.communicate()
    assert program.returncode == 2
    assert stdout == ""
    found = published.sha256(server.files["trees.zip"])
    assert stderr.splitlines()[-1] == (
        f"download.py: error: {server.address}trees.zip: found the SHA-256 "
        f"checksum {found}, expected {'0' * 64}"
    )
    assert "Traceback" not in stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_an_interruption(start, server, tmp_path):
    (content,) = published.files("sst").values()
    reached, interrupted = threading.Event(), threading.Event()

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[:100])
        handler.wfile.flush()
        reached.set()
        interrupted.wait()

    server.files["trees.zip"] = answer
    program = start()
    assert reached.wait(timeout=300)
    # In the midst of the file, not while it connects.
    time.sleep(1.0)
    assert len(os.listdir(tmp_path)) == 1
    program.send_signal(signal.SIGINT)
    stdout, stderr = program.communicate()
    interrupted.set()
    assert program.returncode == 128 + signal.SIGINT, stderr
    assert stdout == ""
    assert stderr.splitlines()[-1].endswith(": interrupted")
    assert "Traceback" not in stderr
    assert os.listdir(tmp_path) == []


def test_an_existing_folder(tmp_path):
    result = binaries.run(
        "tasks.download", "--dataset=sst", f"--output={tmp_path}"
    )
    binaries.check_mistake(
        result, "download", f"{tmp_path}: exists already; remove it first\n"
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--dataset=sst2", "--output=x"],
            "flag --dataset=sst2: value should be one of "
            "<conll2003|glove|lm1b|snli|squad|sst|wnut17>\n",
        ),
        (["--dataset=sst"], "flag --output=None: Flag --output must have"),
        (["--output=x"], "flag --dataset=None: Flag --dataset must have"),
        (
            ["--dataset=sst", "--output=x", "extra"],
            "unexpected argument 'extra'; every option is a flag",
        ),
    ],
)
def test_wrong_flags(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = binaries.run("tasks.download", *arguments)
    binaries.check_mistake(result, "download", message)
    assert os.listdir(tmp_path) == []
