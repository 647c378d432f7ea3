"""Loads a gRPC server, as wrk does one of HTTP: a process of its own.

It is a loop of asyncio with one connection for each client. Requests are sent
as bytes that were made before, and answers are not decoded, so that little of
the time is this process' own; how much, it says.
"""

import asyncio
import base64
import collections
import itertools
import json
import sys
import time

import grpc

_PREDICT = "/tensorflow.serving.PredictionService/Predict"


async def _run(target, requests, n_clients, seconds, timeout):
    """Sends requests until the time is over; returns what it measured."""
    requests = itertools.cycle(requests)
    codes = collections.Counter()
    durations = []
    start = time.monotonic()
    processor_start = time.process_time()

    async def client():
        options = [
            ("grpc.max_receive_message_length", -1),
            # A connection of its own.
            ("grpc.use_local_subchannel_pool", 1),
        ]
        async with grpc.aio.insecure_channel(target, options) as channel:
            predict = channel.unary_unary(_PREDICT)
            while time.monotonic() < start + seconds:
                begin = time.monotonic()
                try:
                    await predict(next(requests), timeout=timeout)
                    code = grpc.StatusCode.OK
                except grpc.aio.AioRpcError as error:
                    code = error.code()
                durations.append(time.monotonic() - begin)
                codes[code.name] += 1

    await asyncio.gather(*(client() for _ in range(n_clients)))
    passed = time.monotonic() - start
    durations.sort()
    return {
        "requests": len(durations),
        "seconds": passed,
        "statuses": codes,
        **{
            f"p{percent}": durations[(len(durations) - 1) * percent // 100]
            for percent in (50, 95, 99)
        },
        "longest": durations[-1],
        "processor": (time.process_time() - processor_start) / passed,
    }


def main():
    arguments = json.loads(sys.stdin.read())
    arguments["requests"] = [
        base64.b64decode(request) for request in arguments["requests"]
    ]
    print(json.dumps(asyncio.run(_run(**arguments))))


if __name__ == "__main__":
    main()
