"""The example on Ray Serve, asked over both APIs, by two replicas."""

import json
import pathlib
import signal
import socket
import subprocess
import sys

import grpc
import numpy as np
import pytest

import elmo_tf
from elmo_tf.serving.client import Client
from elmo_tf.serving.serving_error import ServingError
from tests import binaries

pytestmark = pytest.mark.slow

STRINGS = ["A bank .", "word1 naïve", ""]


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture(scope="module")
def urls(tmp_path_factory):
    """The URLs of both APIs of the running example."""
    home = tmp_path_factory.mktemp("home")
    rest_port, grpc_port = free_ports(2)
    with open(home / "errors", "w") as errors:
        program = subprocess.Popen(
            [
                *(sys.executable, "-m", "examples.ray_serve"),
                *("--model=mini:mini", f"--rest_port={rest_port}"),
                f"--grpc_port={grpc_port}",
            ],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=pathlib.Path(__file__).parent.parent,
            env={
                **binaries.program_environment(),
                # Ray keeps a token there.
                "HOME": str(home),
                "RAY_USAGE_STATS_ENABLED": "0",
            },
        )
    try:
        line = program.stdout.readline()
        assert line, (home / "errors").read_text()
        assert json.loads(line)["grpc_port"] == grpc_port
        yield f"http://localhost:{rest_port}", f"grpc://localhost:{grpc_port}"
        program.send_signal(signal.SIGTERM)
        assert program.wait(60) == 0
    finally:
        program.kill()
        program.communicate()
    assert "Traceback" not in (home / "errors").read_text()


def test_both_apis(urls):
    sentences = [string.split() for string in STRINGS]
    expected = elmo_tf.Elmo("mini").embed(sentences, layers="average")
    for url in urls:
        with Client(url) as client:
            # Enough that each replica has its turn.
            for _ in range(6):
                outputs = client.predict(
                    "mini", {"strings": STRINGS}, signature="default"
                )
                assert outputs["sequence_len"].tolist() == [3, 2, 0]
                for vectors, row in zip(expected, outputs["elmo"], strict=True):
                    np.testing.assert_allclose(
                        row[: len(vectors)], vectors, atol=1e-5
                    )


@pytest.mark.parametrize(
    "model, inputs, signature, code",
    [
        ("none", {"strings": ["a"]}, "default", grpc.StatusCode.NOT_FOUND),
        ("mini", {"strings": ["a"]}, "x", grpc.StatusCode.INVALID_ARGUMENT),
        (
            "mini",
            {"strings": [["a"]]},
            "default",
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
)
def test_refusals(urls, model, inputs, signature, code):
    for url in urls:
        with Client(url) as client:
            with pytest.raises(ServingError) as info:
                client.predict(model, inputs, signature=signature)
            assert info.value.code == code
