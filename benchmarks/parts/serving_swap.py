"""Exchanges of versions, and the end, under load: is a request lost?"""

import asyncio
import collections
import functools
import os
import shutil
import time

import aiohttp
import grpc
import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import prediction_service_pb2_grpc

from benchmarks.serving_setting import MODEL
from elmo_tf.errors import RunError
from tasks.markdown_table import markdown_table

_N_CLIENTS = 8
_N_REQUESTS = 20
_OUTPUT = "elmo"
_TOLERANCE = 1e-4
_SWAPS = ("add 2", "add 3", "remove 3", "remove 2")
_UNAVAILABLE = ("503", "UNAVAILABLE")


def run(setting):
    """Measures.

    Args:
        setting: A `ServingSetting`.

    Returns:
        A dictionary for the JSON: `swaps` and `end`, each by API how many
        requests were answered by which version, and how the others ended;
        of the end also `seconds` and `exit_code`.

    Raises:
        RunError: An answer is of no version, or a version never served.
    """
    expected = _Expected(setting)
    return {
        "swaps": asyncio.run(_swap(setting, expected)),
        "end": asyncio.run(_end(setting, expected)),
    }


def table(result):
    """Makes the tables of what `run` returned.

    Args:
        result: The dictionary.

    Returns:
        The text.
    """
    swaps = [
        [
            api,
            f"{sum(found['versions'].values()):,}",
            *(f"{found['versions'].get(v, 0):,}" for v in "123"),
            f"{sum(found['others'].values()):,}",
            f"{1000 * found['longest']:,.0f} ms",
        ]
        for api, found in result["swaps"].items()
    ]
    end = result["end"]
    ends = [
        [
            api,
            f"{sum(found['versions'].values()):,}",
            f"{found['refused']:,}",
            f"{found['lost']:,}",
            f"{found['later']:,}",
        ]
        for api, found in end["apis"].items()
    ]
    return "\n\n".join(
        [
            markdown_table(
                [
                    "versions 1 → 2 → 3 → 2 → 1",
                    *("right answers", "of 1", "of 2", "of 3"),
                    *("anything else", "longest"),
                ],
                swaps,
            ),
            markdown_table(
                [
                    "SIGTERM",
                    *("right answers", "refused: 503 / UNAVAILABLE", "lost"),
                    "connections refused later",
                ],
                ends,
            ),
            f"ended after {end['seconds']:.2f} s with exit code "
            f"{end['exit_code']}",
        ]
    )


class _Expected:
    """What each version gives."""

    def __init__(self, setting):
        self.requests = setting.sentences()[:_N_REQUESTS]
        self._outputs = {}
        for version in (1, 2, 3):
            model = tf.saved_model.load(setting.version(version))
            function = model.signatures["default"]
            self._outputs[str(version)] = [
                function(tf.constant(request.inputs["strings"]))[
                    _OUTPUT
                ].numpy()
                for request in self.requests
            ]

    def version(self, number, output):
        """Says which version's answer to a request an output is."""
        for version, outputs in self._outputs.items():
            expected = outputs[number]
            if expected.shape == output.shape and np.allclose(
                expected, output, rtol=_TOLERANCE, atol=_TOLERANCE
            ):
                return version
        raise RunError(f"request {number}: an answer of no version")


class _Load:
    """Clients that ask over both APIs and compare, until they are stopped."""

    def __init__(self, server, expected):
        self._server = server
        self._expected = expected
        self._is_over = False
        # Set at the end: failures of what is asked later are no wonder.
        self.end = None
        self.counts = {
            api: {
                "versions": collections.Counter(),
                "others": collections.Counter(),
                "later": 0,
                "longest": 0.0,
            }
            for api in ("REST", "gRPC")
        }

    async def run(self):
        """Asks until `stop`."""
        async with (
            aiohttp.ClientSession(
                f"http://{self._server.rest}",
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(60),
            ) as session,
            grpc.aio.insecure_channel(
                self._server.grpc,
                [("grpc.max_receive_message_length", -1)],
            ) as channel,
        ):
            stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
            asks = {
                "REST": functools.partial(self._ask_rest, session),
                "gRPC": functools.partial(self._ask_grpc, stub),
            }
            await asyncio.gather(
                *(
                    self._client(api, ask, offset)
                    for offset in range(_N_CLIENTS)
                    for api, ask in asks.items()
                )
            )

    def stop(self):
        """Lets what runs be the last."""
        self._is_over = True

    async def _client(self, api, ask, number):
        counts = self.counts[api]
        while not self._is_over:
            number = (number + 1) % len(self._expected.requests)
            start = time.monotonic()
            code, output = await ask(number)
            seconds = time.monotonic() - start
            counts["longest"] = max(counts["longest"], seconds)
            if output is not None:
                version = self._expected.version(number, output)
                counts["versions"][version] += 1
            elif self.end is not None and start > self.end:
                counts["later"] += 1
                await asyncio.sleep(0.01)
            else:
                counts["others"][code] += 1

    async def _ask_rest(self, session, number):
        path, body = self._expected.requests[number].rest()
        try:
            async with session.post(path, data=body) as response:
                answer = await response.json()
                if response.status != 200:
                    return str(response.status), None
                output = np.array(answer["outputs"][_OUTPUT], np.float32)
                return "200", output
        except (aiohttp.ClientError, TimeoutError) as error:
            return type(error).__name__, None

    async def _ask_grpc(self, stub, number):
        request = self._expected.requests[number].grpc()
        try:
            response = await stub.Predict(request, timeout=60)
            return "OK", tf.make_ndarray(response.outputs[_OUTPUT])
        except grpc.aio.AioRpcError as error:
            return error.code().name, None


async def _swap(setting, expected):
    path = setting.served_folder("swap")
    with setting.start("--poll_seconds=0.2", path=path) as server:
        load = _Load(server, expected)
        work = asyncio.create_task(load.run())
        await asyncio.sleep(setting.seconds)
        for swap in _SWAPS:
            setting.say(swap)
            action, version = swap.split()
            if action == "add":
                await asyncio.to_thread(setting.add_version, path, version)
                served = int(version)
            else:
                shutil.rmtree(os.path.join(path, version))
                served = int(version) - 1
            await asyncio.to_thread(_wait_for_version, server, served)
            await asyncio.sleep(setting.seconds)
        load.stop()
        await work
    return load.counts


async def _end(setting, expected):
    with setting.start() as server:
        load = _Load(server, expected)
        work = asyncio.create_task(load.run())
        await asyncio.sleep(setting.seconds)
        setting.say("SIGTERM")
        load.end = time.monotonic()
        server.end()
        exit_code = await asyncio.to_thread(server.exit_code)
        seconds = time.monotonic() - load.end
        load.stop()
        await work
        errors = server.errors()
    if errors:
        raise RunError(f"the server said: {errors}")
    for counts in load.counts.values():
        counts["refused"] = sum(counts["others"][c] for c in _UNAVAILABLE)
        counts["lost"] = sum(counts["others"].values()) - counts["refused"]
    return {"apis": load.counts, "seconds": seconds, "exit_code": exit_code}


def _wait_for_version(server, version):
    name = f'elmo_tf_model_version{{model="{MODEL}"}}'
    end = time.monotonic() + 120
    while server.metrics()[name] != version:
        if time.monotonic() > end:
            raise RunError(f"version {version} never served")
        time.sleep(0.1)
