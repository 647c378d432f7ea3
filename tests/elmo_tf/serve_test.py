"""The binary that serves, run as a user runs it."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from elmo_tf.serving.client import Client
from tests import binaries
from tests.elmo_tf.serving import toy_model


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_two_models_until_the_end(tmp_path, end):
    toy_model.save(tmp_path / "toy" / "3")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "elmo_tf.serve"),
            *(f"--model=toy:{tmp_path}/toy", "--model=small:mini"),
            *("--rest_port=0", "--grpc_port=0"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=binaries.program_environment(),
    )
    try:
        ports = json.loads(process.stdout.readline())
        assert ports["host"] == "127.0.0.1"
        for url in (
            f"http://localhost:{ports['rest_port']}",
            f"grpc://localhost:{ports['grpc_port']}",
        ):
            with Client(url, timeout=300) as client:
                outputs = client.predict("toy", {"x": np.ones(1)}, version=3)
                assert outputs["y"].tolist() == [2.5]
                strings = {"strings": ["A bank ."]}
                outputs = client.predict("small", strings, "default")
                assert outputs["elmo"].shape == (1, 3, 256)
        process.send_signal(end)
        stdout, stderr = process.communicate(timeout=120)
        assert (process.returncode, stdout, stderr) == (0, "", "")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "--model: expected NAME:DIR, found nothing"),
        (["--model=a"], "--model=a: expected NAME:DIR with a name of letters"),
        (["--model=../a:b"], "--model=../a:b: expected NAME:DIR with a name"),
        (["--model=a/b:c"], "--model=a/b:c: expected NAME:DIR with a name"),
        (["--model=a:"], "--model=a:: expected NAME:DIR with a name"),
        (["--model=a:b", "--model=a:c"], "--model=a:c: a is there twice"),
        (["--model=a:none"], "none: no such folder"),
        (["--model=a:."], ".: expected a SavedModel, or folders 1, 2 … of th"),
        (
            ["--model=a:b", "--tls_cert=c"],
            "--tls_cert and --tls_key need each other",
        ),
        (
            ["--model=a:b", "--token_file=none"],
            "[Errno 2] No such file or directory: 'none'",
        ),
    ],
)
def test_mistakes(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = binaries.run("elmo_tf.serve", *arguments)
    binaries.check_mistake(result, "serve", message)


def test_a_warning_of_an_open_door(tmp_path):
    result = binaries.run(
        "elmo_tf.serve", f"--model=a:{tmp_path}/none", "--host=0.0.0.0"
    )
    assert result.returncode == 2
    assert result.stderr.startswith(
        "warning: --host=0.0.0.0: whoever reaches it may use it; --token_file "
    )
