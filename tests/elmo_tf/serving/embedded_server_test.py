"""Time-outs, overload, the end, tokens and TLS."""

import concurrent.futures
import subprocess
import threading
import time

import grpc
import numpy as np
import pytest
import requests

from elmo_tf.errors import InputError
from elmo_tf.serving.bearer_token import BearerToken
from elmo_tf.serving.client import Client
from elmo_tf.serving.embedded_server import Address
from elmo_tf.serving.served_model import ServedModel
from elmo_tf.serving.serving_error import ServingError
from tests.elmo_tf.serving.running_server import RunningServer

X = {"x": np.ones(1)}


@pytest.fixture
def gate(monkeypatch):
    """Models run when it is set."""
    gate = threading.Event()
    predict = ServedModel.predict

    def predict_later(*arguments):
        assert gate.wait(60)
        return predict(*arguments)

    monkeypatch.setattr(ServedModel, "predict", predict_later)
    yield gate
    gate.set()


def urls(running):
    return f"http://{running.rest}", f"grpc://{running.grpc}"


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def code_of(function, *arguments):
    with pytest.raises(ServingError) as error:
        function(*arguments)
    return error.value.code


def n_waiting(running):
    with running.models.versions("toy").use() as loaded:
        return loaded.batcher.n_waiting


def test_a_request_that_takes_too_long(toy, gate):
    with RunningServer({"toy": toy}, {"timeout": 0.2}) as running:
        for url in urls(running):
            with Client(url) as client:
                assert code_of(client.predict, "toy", X) == (
                    grpc.StatusCode.DEADLINE_EXCEEDED
                )
        response = requests.post(
            f"http://{running.rest}/v1/models/toy:predict",
            data='{"instances": [1.0]}',
            timeout=60,
        )
        assert response.status_code == 504
        gate.set()


def test_overload(toy, gate):
    with (
        RunningServer({"toy": toy}, {"max_queue": 1}) as running,
        concurrent.futures.ThreadPoolExecutor(2) as pool,
    ):
        clients = [Client(url) for url in urls(running)]
        first = pool.submit(clients[0].predict, "toy", X)
        path = f"http://{running.rest}/metrics"
        wait_for(lambda: running.models.n_active == 1)
        # Until it has left the queue for the worker.
        time.sleep(0.2)
        wait_for(lambda: n_waiting(running) == 0)
        second = pool.submit(clients[1].predict, "toy", X)
        wait_for(lambda: n_waiting(running) == 1)
        for url in urls(running):
            with Client(url) as client:
                assert code_of(client.predict, "toy", X) == (
                    grpc.StatusCode.RESOURCE_EXHAUSTED
                )
        response = requests.post(
            f"http://{running.rest}/v1/models/toy:predict",
            data='{"instances": [1.0]}',
            timeout=60,
        )
        assert response.status_code == 429
        text = requests.get(path, timeout=60).text
        assert 'elmo_tf_waiting_requests{model="toy"} 1.0' in text
        gate.set()
        for future in (first, second):
            assert future.result()["y"].tolist() == [2.5]
        for client in clients:
            client.close()


def test_the_end_waits_for_what_runs(toy, gate):
    with (
        RunningServer({"toy": toy}) as running,
        concurrent.futures.ThreadPoolExecutor(3) as pool,
    ):
        rest, grpc_url = urls(running)
        clients = [Client(rest), Client(grpc_url)]
        work = [pool.submit(client.predict, "toy", X) for client in clients]
        wait_for(lambda: running.models.n_active == 2)
        end = pool.submit(running.stop)
        wait_for(lambda: not running.models.is_ready)
        assert requests.get(f"{rest}/healthz", timeout=60).status_code == 200
        assert requests.get(f"{rest}/readyz", timeout=60).status_code == 503
        for url in (rest, grpc_url):
            with Client(url) as client:
                assert code_of(client.predict, "toy", X) == (
                    grpc.StatusCode.UNAVAILABLE
                )
        assert not end.done()
        gate.set()
        for future in work:
            assert future.result()["y"].tolist() == [2.5]
        end.result()
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{rest}/healthz", timeout=60)
        for client in clients:
            client.close()


def test_token(toy, tmp_path):
    path = tmp_path / "token"
    path.write_text("s3cret-token\n")
    address = {"token": BearerToken.from_file(path)}
    with RunningServer({"toy": toy}, address=address) as running:
        for url in urls(running):
            for token in (None, "other", "s3cret-toke", "s3cret-token2"):
                with Client(url, token=token) as client:
                    assert code_of(client.predict, "toy", X) == (
                        grpc.StatusCode.UNAUTHENTICATED
                    )
            with Client(url, token="s3cret-token") as client:
                assert client.predict("toy", X)["y"].tolist() == [2.5]
        base = f"http://{running.rest}"
        assert requests.get(f"{base}/healthz", timeout=60).status_code == 200
        for path in ("/metrics", "/v1/models/toy", "/other"):
            response = requests.get(f"{base}{path}", timeout=60)
            assert response.status_code == 401
            assert response.json() == {"error": "expected a valid bearer token"}
        headers = {"Authorization": b"Bearer \xff"}
        response = requests.get(f"{base}/metrics", headers=headers, timeout=60)
        assert response.status_code == 401


@pytest.mark.parametrize("text", ["", "two words", "naïve", "a\nb"])
def test_no_token(tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text)
    with pytest.raises(InputError, match="expected one line of printable"):
        BearerToken.from_file(path)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The files of a certificate of localhost, which signs itself."""
    folder = tmp_path_factory.mktemp("tls")
    try:
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
                *("-days", "2", "-subj", "/CN=localhost"),
                *("-addext", "subjectAltName=DNS:localhost"),
                *("-keyout", "key.pem", "-out", "cert.pem"),
            ],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("there is no openssl")
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_tls(toy, certificate):
    cert, key = certificate
    address = {"tls_cert": cert, "tls_key": key}
    with RunningServer({"toy": toy}, address=address) as running:
        for url in (f"https://{running.rest}", f"grpcs://{running.grpc}"):
            with Client(url, ca_file=cert) as client:
                assert client.predict("toy", X)["y"].tolist() == [2.5]
        for url in (f"https://{running.rest}", f"http://{running.rest}"):
            with Client(url) as client:
                assert code_of(client.predict, "toy", X) in (
                    grpc.StatusCode.UNAVAILABLE,
                    grpc.StatusCode.INVALID_ARGUMENT,
                )


def test_tls_files(toy, certificate, tmp_path):
    cert, key = certificate
    with pytest.raises(InputError, match="--tls_cert and --tls_key need each"):
        Address(tls_cert=cert)
    with pytest.raises(InputError, match="not a certificate and its key: "):
        with RunningServer(
            {"toy": toy}, address={"tls_cert": key, "tls_key": cert}
        ):
            pass


@pytest.mark.parametrize(
    "host, expected",
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("example.org", False),
    ],
)
def test_loopback(host, expected):
    assert Address(host).is_loopback == expected
