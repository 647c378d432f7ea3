"""More connections than may wait, and clients that are slow or leave."""

import asyncio
import statistics
import time

import requests

from benchmarks import report
from benchmarks.serving_requests import token_sentences
from benchmarks.serving_setting import MODEL
from benchmarks.serving_setting import run_grpc_load
from benchmarks.slow_clients import SlowClients
from benchmarks.wrk import run_wrk
from elmo_tf.errors import RunError
from tasks.markdown_table import markdown_table

_N_CONNECTIONS = 512
_MAX_QUEUE = 16
_TIMEOUT = 5
_N_SLOW = 64
# How long after the time-out the last slow client may be there still.
_PATIENCE = 30


def run(setting):
    """Measures.

    Args:
        setting: A `ServingSetting`.

    Returns:
        A dictionary for the JSON: `apis`, by API how requests were answered;
        `slow`, by kind of slow clients how long they were borne and how long
        the requests of others took before, meanwhile and afterwards; `open`,
        the server's open files beforehand and in the end.

    Raises:
        RunError: The server does not answer any more.
    """
    asked = setting.sentences()
    with setting.start(
        f"--max_queue={_MAX_QUEUE}", f"--timeout={_TIMEOUT}"
    ) as server:
        run_wrk(server.rest, [asked[0].rest()], 1, 1)
        run_grpc_load(server.grpc, asked[:1], 1, 1)
        _wait_for_files(server, 0)
        n_files = server.n_files()
        memory = server.memory()
        apis = {}
        setting.say(f"{_N_CONNECTIONS} connections, REST")
        found = run_wrk(
            server.rest,
            [request.rest() for request in asked],
            _N_CONNECTIONS,
            setting.seconds,
            count=True,
        )
        apis["REST"] = _overload(
            found, found["statuses"], sum(found["errors"].values()), "200"
        )
        # wrk calls refusals errors too.
        apis["REST"]["unanswered"] -= found["errors"]["status"]
        _probe(server, asked[0])
        setting.say(f"{_N_CONNECTIONS} connections, gRPC")
        found = run_grpc_load(
            server.grpc, asked, _N_CONNECTIONS, setting.seconds
        )
        answered = {
            code: n
            for code, n in found["statuses"].items()
            if code in ("OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED")
        }
        apis["gRPC"] = _overload(
            found, answered, found["requests"] - sum(answered.values()), "OK"
        )
        _probe(server, asked[0])
        slow = asyncio.run(
            _bear_slow_clients(setting, server, asked[0], n_files)
        )
        _wait_for_files(server, n_files)
        return {
            "connections": _N_CONNECTIONS,
            "max_queue": _MAX_QUEUE,
            "timeout": _TIMEOUT,
            "apis": apis,
            "slow": slow,
            "open": [n_files, server.n_files()],
            "memory": [memory, server.memory()],
        }


def table(result):
    """Makes the tables of what `run` returned.

    Args:
        result: The dictionary.

    Returns:
        The text.
    """
    answers = [
        [
            name,
            _count(found["answered"]),
            _count(found["good"]),
            _count(found["refused"]),
            _count(found["late"]),
            _count(found["unanswered"]),
            f"{1000 * found['p50']:,.0f} ms",
            f"{1000 * found['longest']:,.0f} ms",
        ]
        for name, found in result["apis"].items()
    ]
    slow = [
        [
            name.replace("_", " "),
            str(found["clients"]),
            f"{found['longest']:.1f} s" if "longest" in found else "—",
            *(
                f"{1000 * found[when]:.1f} ms"
                for when in ("before", "meanwhile", "afterwards")
            ),
        ]
        for name, found in result["slow"].items()
    ]
    return "\n\n".join(
        [
            markdown_table(
                [
                    f"{result['connections']} connections, queue of "
                    f"{result['max_queue']}",
                    *("answered", "200 / OK", "429 / RESOURCE_EXHAUSTED"),
                    *("504 / DEADLINE_EXCEEDED", "unanswered", "p50"),
                    "longest",
                ],
                answers,
            ),
            markdown_table(
                [
                    f"slow clients, time-out {result['timeout']} s",
                    *("clients", "cut off after", "median of others before"),
                    *("meanwhile", "afterwards"),
                ],
                slow,
            ),
            "open files before and after: {} and {}; memory: {} and {}".format(
                *result["open"], *map(report.megabytes, result["memory"])
            ),
        ]
    )


def _count(n):
    return f"{n:,}"


def _overload(found, statuses, unanswered, good):
    refused = statuses.get("429", statuses.get("RESOURCE_EXHAUSTED", 0))
    late = statuses.get("504", statuses.get("DEADLINE_EXCEEDED", 0))
    return {
        "answered": sum(statuses.values()),
        "good": statuses.get(good, 0),
        "refused": refused,
        "late": late,
        "statuses": statuses,
        "unanswered": unanswered,
        "p50": found["p50"],
        "p99": found["p99"],
        "longest": found["longest"],
    }


async def _bear_slow_clients(setting, server, asked, n_files):
    (words,) = setting.text().sentences(1, 20, 20)
    large = SlowClients(
        server.rest, *token_sentences(MODEL, [words] * 64).rest()
    )
    clients = SlowClients(server.rest, *asked.rest())

    async def reads_nothing():
        # The server's side shows it: the kernel has accepted what is unread.
        start = time.monotonic()
        task = asyncio.create_task(large.reads_nothing())
        try:
            await asyncio.sleep(2)
            while server.n_files() > n_files:
                await asyncio.sleep(0.2)
        finally:
            task.cancel()
        return time.monotonic() - start

    kinds = {
        "half_a_body": clients.half_a_body,
        "silence": clients.silence,
        "slow_headers": clients.slow_headers,
        "reads_nothing": reads_nothing,
    }
    results = {}
    for name, kind in kinds.items():
        setting.say(f"slow clients: {name}")
        before = await _probes(server, asked)
        # So that what they ask for themselves is not measured with others'.
        n_clients = 8 if name == "reads_nothing" else _N_SLOW
        tasks = [asyncio.create_task(kind()) for _ in range(n_clients)]
        await asyncio.sleep(1)
        meanwhile = await _probes(server, asked)
        try:
            async with asyncio.timeout(_TIMEOUT + _PATIENCE):
                seconds = await asyncio.gather(*tasks)
        except TimeoutError:
            raise RunError(f"{name}: never cut off") from None
        results[name] = {
            "clients": n_clients,
            "longest": max(seconds),
            "before": before,
            "meanwhile": meanwhile,
            "afterwards": await _probes(server, asked),
        }
    setting.say("clients that leave")
    before = await _probes(server, asked)
    end = time.monotonic() + setting.seconds
    n_clients = 0
    meanwhile = []
    while time.monotonic() < end:
        await asyncio.gather(*(clients.leaves() for _ in range(_MAX_QUEUE)))
        n_clients += _MAX_QUEUE
        meanwhile.append(await asyncio.to_thread(_probe, server, asked))
    results["leave"] = {
        "clients": n_clients,
        "before": before,
        "meanwhile": statistics.median(meanwhile),
        "afterwards": await _probes(server, asked),
    }
    return results


async def _probes(server, asked):
    """The median seconds of a request that comes alone."""
    seconds = [
        await asyncio.to_thread(_probe, server, asked) for _ in range(20)
    ]
    return statistics.median(seconds)


def _probe(server, asked):
    path, body = asked.rest()
    start = time.monotonic()
    while True:
        response = requests.post(
            f"http://{server.rest}{path}", data=body, timeout=60
        )
        # Of those that have just left, some may wait still.
        if response.status_code != 429:
            break
    if response.status_code != 200:
        raise RunError(f"{response.status_code}: {response.text}")
    response.close()
    return time.monotonic() - start


def _wait_for_files(server, n_files):
    """Waits until no more files are open; gives up after some time."""
    end = time.monotonic() + _PATIENCE
    last = None
    while time.monotonic() < end:
        time.sleep(0.5)
        found = server.n_files()
        if found <= n_files or (n_files == 0 and found == last):
            return
        last = found
