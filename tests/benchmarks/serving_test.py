"""The benchmark of the embedded server, on a tiny biLM."""

import collections
import http.server
import json
import pathlib
import shutil
import threading

import numpy as np
import pytest

from benchmarks.parts import serving_soak
from benchmarks.serving_requests import token_sentences
from benchmarks.wrk import check_wrk
from benchmarks.wrk import run_wrk
from elmo_tf.errors import InputError
from tests import binaries

TINY = pathlib.Path(__file__).parent.parent / "golden" / "tiny_bilm"
needs_wrk = pytest.mark.skipif(
    shutil.which("wrk") is None, reason="there is no wrk"
)


def run(*arguments):
    return binaries.run(
        "benchmarks.serving",
        f"--options_file={TINY}/options.json",
        f"--weights_file={TINY}/weights.hdf5",
        "--seconds=1",
        *arguments,
    )


@needs_wrk
@pytest.mark.slow
def test_what_it_prints(tmp_path):
    picture = tmp_path / "memory.png"
    result = run(
        "--parts=load,soak",
        "--clients=4",
        "--repeats=1",
        "--soak_requests=500",
        f"--picture={picture}",
    )
    assert result.returncode == 0, result.stderr
    *_, line = result.stdout.splitlines()
    parts = json.loads(line)["parts"]
    for by_clients in parts["load"].values():
        assert set(by_clients) == {"4"}
        for by_batches in by_clients.values():
            for found in by_batches.values():
                assert found["rate"] > 0
                assert 0 < found["p50"] <= found["p95"] <= found["p99"] < 60
            assert by_batches["alone"]["rows"] == 1
        assert by_clients["4"]["joined"]["rows"] > 1
    soak = parts["soak"]
    assert soak["requests"] >= 500
    assert [version for _, version in soak["swaps"]] == [2, 3, 2, 1]
    assert soak["samples"][0][1] > 100e6
    assert picture.read_bytes().startswith(b"\x89PNG")


@needs_wrk
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--parts=load,x"], "--parts: found 'x', expected some of load, soa"),
        (["--clients=0"], "--clients: found '0', expected "),
        (["--parts=load", "--picture=a"], "--picture is for the part soak"),
        (["--options_file=a"], "--options_file and --weights_file need each"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = binaries.run("benchmarks.serving", *arguments)
    binaries.check_mistake(result, "serving", message)


def test_without_wrk(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="wrk is not on PATH"):
        check_wrk()


@needs_wrk
def test_wrk_sends_all_and_counts():
    bodies = collections.Counter()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies[self.path, body.decode()] += 1
            self.send_response(429 if body == b"c" else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    requests = [("/one", "a"), ("/two", "ü b"), ("/one", "c")]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            found = run_wrk(
                f"127.0.0.1:{server.server_port}", requests, 2, 1, count=True
            )
        finally:
            server.shutdown()
            thread.join()
    assert set(bodies) == set(requests)
    assert set(found["statuses"]) == {"200", "429"}
    assert sum(found["statuses"].values()) == found["requests"]
    assert found["errors"]["status"] == found["statuses"]["429"]
    assert 0 < found["p50"] <= found["p99"] <= found["longest"]


def test_a_request_over_both_apis():
    request = token_sentences("m", [["a"], ["b", "c"]])
    path, body = request.rest()
    assert path == "/v1/models/m:predict"
    assert json.loads(body)["inputs"] == {
        "tokens": [["a", ""], ["b", "c"]],
        "sequence_len": [1, 2],
    }
    tensor = request.grpc().inputs["tokens"]
    assert list(tensor.string_val) == [b"a", b"", b"b", b"c"]


def test_growth():
    # Much before it is warm; then 2,000 bytes in 1,000 requests, and noise;
    # an exchange moves all of it.
    requests = np.arange(0, 100_000, 500)
    generator = np.random.default_rng(0)
    memory = 5e8 + 2 * requests + generator.normal(size=len(requests)) * 1000
    memory[requests < 18_000] -= 3e8
    memory[requests >= 50_000] += 1e8
    memory[(requests >= 50_000) & (requests < 52_000)] += 1e8
    found = serving_soak.growth(
        [(*pair, 9) for pair in zip(requests, memory, strict=True)],
        [(50_000, 2)],
    )
    assert abs(found["growth"] - 2000) < 2 * found["growth_error"] < 100
