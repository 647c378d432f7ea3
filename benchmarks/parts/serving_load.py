"""Requests a second, and how long they take, by the number of clients."""

import dataclasses
import statistics

from benchmarks import report
from benchmarks.serving_setting import MODEL
from benchmarks.serving_setting import run_grpc_load
from benchmarks.wrk import run_wrk
from elmo_tf.errors import RunError
from tasks.markdown_table import markdown_table

_BATCHES = {"joined": (), "alone": ("--max_batch_size=1",)}
_POOLED = ("default",)
_APIS = {
    "REST": "REST",
    "gRPC": "gRPC",
    "gRPC, one output": "gRPC, a vector a sentence",
}
_MEASURES = ("rate", "p50", "p95", "p99", "rows", "processor")


def run(setting):
    """Measures.

    Args:
        setting: A `ServingSetting`.

    Returns:
        A dictionary for the JSON: by API, number of clients and whether
        requests are joined, the medians of the requests a second (`rate`), the
        seconds that most take (`p50`, `p95`, `p99`), the rows of a batch, and
        how much of a core a client in Python took itself.

    Raises:
        RunError: A request failed.
    """
    asked = setting.sentences()
    measured = {}
    servers = {}
    try:
        for batches, options in _BATCHES.items():
            servers[batches] = setting.start(*options)
        # The first time is to warm up.
        for repeat in range(1 + setting.repeats):
            for api in _APIS:
                for n_clients in setting.clients:
                    setting.say(f"repetition {repeat}: {api}, {n_clients}")
                    for batches, server in servers.items():
                        found = _measure(setting, server, api, n_clients, asked)
                        if repeat:
                            key = api, n_clients, batches
                            measured.setdefault(key, []).append(found)
    finally:
        for server in servers.values():
            server.__exit__()
    result = {}
    for (api, n_clients, batches), all_found in measured.items():
        by_clients = result.setdefault(api, {}).setdefault(str(n_clients), {})
        by_clients[batches] = {
            name: statistics.median(found[name] for found in all_found)
            for name in _MEASURES
            if name in all_found[0]
        }
    return result


def table(result):
    """Makes the table of what `run` returned.

    Args:
        result: The dictionary.

    Returns:
        The text.
    """
    rows = []
    for api, by_clients in result.items():
        for n_clients, by_batches in by_clients.items():
            joined, alone = (by_batches[name] for name in _BATCHES)
            rows.append(
                [
                    f"{_APIS[api]}, {n_clients}",
                    report.number(joined["rate"]),
                    *(_milliseconds(joined[p]) for p in ("p50", "p95", "p99")),
                    f"{joined['rows']:.1f}",
                    report.number(alone["rate"]),
                    *(_milliseconds(alone[p]) for p in ("p50", "p95", "p99")),
                    f"{joined['rate'] / alone['rate']:.2f}",
                ]
            )
    times = ["p50", "p95", "p99"]
    return markdown_table(
        [
            "API, clients",
            *("requests/s", *times, "rows a batch"),
            *("one by one, requests/s", *times, "times as many"),
        ],
        rows,
    )


def _measure(setting, server, api, n_clients, asked):
    before = server.metrics()
    if api == "REST":
        found = run_wrk(
            server.rest,
            [request.rest() for request in asked],
            n_clients,
            setting.seconds,
        )
        failed = found["errors"]
    else:
        if api == "gRPC, one output":
            asked = [
                dataclasses.replace(request, outputs=_POOLED)
                for request in asked
            ]
        found = run_grpc_load(server.grpc, asked, n_clients, setting.seconds)
        failed = {
            code: n for code, n in found["statuses"].items() if code != "OK"
        }
    if any(failed.values()):
        raise RunError(f"{api}, {n_clients} clients: failed: {failed}")
    after = server.metrics()
    rows, batches = (
        after[name] - before.get(name, 0)
        for name in (
            f'elmo_tf_batch_rows_{kind}{{model="{MODEL}"}}'
            for kind in ("sum", "count")
        )
    )
    return {
        **found,
        "rate": found["requests"] / found["seconds"],
        "rows": rows / batches,
    }


def _milliseconds(seconds):
    return f"{1000 * seconds:,.1f} ms"
