"""Overload, clients that are slow or leave; exchanges, the end under load."""

import asyncio
import collections
import concurrent.futures
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import grpc
import numpy as np
import pytest
import requests

from elmo_tf.serving.client import Client
from elmo_tf.serving.serving_error import ServingError
from tests import binaries
from tests.elmo_tf.serving import toy_model
from tests.elmo_tf.serving.running_server import RunningServer

PREDICT = "/v1/models/toy:predict"
BODY = b'{"instances": [1.0]}'
HEAD = (
    f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(BODY)}\r\n\r\n"
).encode()


def connect(running):
    host, port = running.rest.split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def ask(running):
    return requests.post(
        f"http://{running.rest}{PREDICT}", data=BODY, timeout=60
    )


def n_files():
    return len(os.listdir("/proc/self/fd"))


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    "sent, expected",
    [
        pytest.param(b"", b"", id="nothing"),
        pytest.param(HEAD[:20], b"", id="half of the headers"),
        pytest.param(HEAD, b"HTTP/1.1 504 ", id="no body"),
        pytest.param(HEAD + BODY[:5], b"HTTP/1.1 504 ", id="half a body"),
    ],
)
def test_who_does_not_go_on_is_cut_off(toy, sent, expected):
    with RunningServer({"toy": toy}, {"timeout": 0.5}) as running:
        before = n_files()
        clients = [connect(running) for _ in range(30)]
        for client in clients:
            client.sendall(sent)
        assert ask(running).json() == {"predictions": [2.5]}
        for client in clients:
            assert client.recv(13) == expected
            client.close()
        wait_for(lambda: n_files() <= before)
        assert running.models.n_active == 0


def test_who_sends_slowly_is_cut_off(toy):
    with RunningServer({"toy": toy}, {"timeout": 0.5}) as running:
        with connect(running) as client:
            start = time.monotonic()
            with pytest.raises(ConnectionError):
                for byte in HEAD * 100:
                    client.sendall(bytes([byte]))
                    time.sleep(0.05)
            assert time.monotonic() - start < 30


def test_who_does_not_read_is_cut_off(toy):
    limits = {"timeout": 2.0, "max_rows": 10**7}
    with RunningServer({"toy": toy}, limits) as running:
        before = n_files()
        body = json.dumps(
            {"instances": np.random.default_rng(0).random(600_000).tolist()}
        ).encode()
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            host, port = running.rest.split(":")
            client.connect((host, int(port)))
            client.sendall(
                f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode()
            )
            client.sendall(body)
            wait_for(lambda: running.models.n_active == 1)
            assert n_files() == before + 2
            wait_for(lambda: running.models.n_active == 0)
            wait_for(lambda: n_files() == before + 1)
        text = requests.get(f"http://{running.rest}/metrics", timeout=60).text
        assert 'code="DEADLINE_EXCEEDED",model="toy"} 1.0' in text
        assert ask(running).ok


def test_who_leaves_leaves_nothing(toy):
    with RunningServer({"toy": toy}, {"max_queue": 4}) as running:
        before = n_files()
        for sent in (HEAD + BODY, HEAD, HEAD[:20]) * 100:
            client = connect(running)
            client.sendall(sent)
            # A reset, not an orderly end.
            linger = b"\1\0\0\0\0\0\0\0"
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            client.close()
        wait_for(lambda: n_files() <= before and running.models.n_active == 0)
        with running.models.versions("toy").use() as loaded:
            assert loaded.batcher.n_waiting == 0
        assert ask(running).json() == {"predictions": [2.5]}


def test_many_more_than_may_wait(toy):
    with RunningServer({"toy": toy}, {"max_queue": 2}) as running:
        codes = {"http": collections.Counter(), "grpc": collections.Counter()}

        def over_rest(_):
            codes["http"][ask(running).status_code] += 1

        def over_grpc(_):
            with Client(f"grpc://{running.grpc}") as client:
                try:
                    client.predict("toy", {"x": np.ones(1)})
                    codes["grpc"][grpc.StatusCode.OK] += 1
                except ServingError as error:
                    codes["grpc"][error.code] += 1

        # So that they wait for each other.
        original = running.models.versions("toy")
        with original.use() as loaded:
            predict = loaded.model.predict
            loaded.model.predict = lambda *inputs: (
                time.sleep(0.05),
                predict(*inputs),
            )[1]
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            for ask_one in (over_rest, over_grpc):
                list(pool.map(ask_one, range(200)))
        assert set(codes["http"]) == {200, 429}
        assert codes["http"].total() == 200
        assert set(codes["grpc"]) == {
            grpc.StatusCode.OK,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
        }
        assert codes["grpc"].total() == 200
        assert ask(running).ok


class Askers:
    """Threads that ask for the half of numbers plus a version's offset."""

    def __init__(self, urls, n_threads):
        self._is_over = False
        # Answers less the half, and errors' codes.
        self.found = {url: collections.Counter() for url in urls}
        self._threads = [
            threading.Thread(target=self._ask, args=(url,))
            for url in urls
            for _ in range(n_threads)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        for thread in self._threads:
            thread.join()

    def _ask(self, url):
        with Client(url) as client:
            x = 0
            while not self._is_over:
                x += 1
                try:
                    (y,) = client.predict("toy", {"x": [x]})["y"]
                    self.found[url][float(y) - x / 2] += 1
                except ServingError as error:
                    self.found[url][error.code] += 1
                    time.sleep(0.01)


def test_an_exchange_loses_no_request(tmp_path):
    for number in (1, 2, 3):
        toy_model.save(tmp_path / f"model{number}", float(number))
    folder = tmp_path / "toy"
    folder.mkdir()

    def add(number):
        os.rename(tmp_path / f"model{number}", folder / str(number))

    add(1)
    with RunningServer({"toy": str(folder)}) as running:
        urls = [f"http://{running.rest}", f"grpc://{running.grpc}"]
        with Askers(urls, 3) as askers:

            def wait_for_answers_of(number):
                seen = {url: askers.found[url][number] for url in urls}
                wait_for(
                    lambda: all(
                        askers.found[url][number] > seen[url] + 5
                        for url in urls
                    )
                )

            wait_for_answers_of(1)
            for number in (2, 3):
                add(number)
                wait_for_answers_of(number)
            for number in (3, 2):
                shutil.rmtree(folder / str(number))
                wait_for_answers_of(number - 1)
        for url in urls:
            assert set(askers.found[url]) == {1, 2, 3}


@pytest.mark.slow
def test_sigterm_under_load(tmp_path):
    toy_model.save(tmp_path / "toy" / "1", 1.0)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "elmo_tf.serve"),
            *(f"--model=toy:{tmp_path}/toy", "--rest_port=0", "--grpc_port=0"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=binaries.program_environment(),
    )
    try:
        ports = json.loads(process.stdout.readline())
        found = asyncio.run(_load_until_the_end(process, ports["rest_port"]))
        stdout, stderr = process.communicate(timeout=60)
        assert (process.returncode, stdout, stderr) == (0, "", "")
    finally:
        process.kill()
        process.communicate()
    assert found["answered"] > 20
    assert found["lost"] == 0


async def _load_until_the_end(process, port):
    """Counts the requests sent before SIGTERM that were answered, or not."""
    found = collections.Counter()
    end = None

    async def client():
        while True:
            sent = None
            try:
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port
                )
                while True:
                    sent = time.monotonic()
                    writer.write(HEAD + BODY)
                    head = await reader.readuntil(b"\r\n\r\n")
                    status = head.split()[1]
                    length = head.lower().split(b"content-length: ")[1]
                    await reader.readexactly(int(length.split()[0]))
                    if status == b"200":
                        found["answered"] += 1
                    else:
                        assert status == b"503"
                        break
            except (ConnectionError, asyncio.IncompleteReadError):
                if sent is not None and (end is None or sent < end):
                    found["lost"] += 1
            if sent is not None:
                writer.close()
            if end is not None:
                return

    tasks = [asyncio.create_task(client()) for _ in range(16)]
    await asyncio.sleep(1)
    end = time.monotonic()
    process.send_signal(signal.SIGTERM)
    await asyncio.gather(*tasks)
    return found
