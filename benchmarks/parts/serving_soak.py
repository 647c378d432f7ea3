"""Memory of the server over many requests of several kinds."""

import os
import shutil
import threading
import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks import report
from benchmarks.serving_requests import question
from benchmarks.serving_requests import raw_sentence
from benchmarks.serving_requests import token_sentences
from benchmarks.serving_setting import MODEL
from benchmarks.serving_setting import run_grpc_load
from benchmarks.wrk import run_wrk
from elmo_tf.atomic_file import write_file
from elmo_tf.errors import RunError
from tasks.markdown_table import markdown_table

_N_CLIENTS = 8
_N_REQUESTS = 3000
_LONGEST = 12
# The version that is served after each fifth of the requests.
_VERSIONS = (2, 3, 2, 1)
# What comes before is warming up; after an exchange, something is.
_WARM = 0.2
_SETTLED = 0.03


def run(setting):
    """Measures.

    Args:
        setting: A `ServingSetting`.

    Returns:
        A dictionary for the JSON: `samples`, a list of the requests answered so
        far, bytes of memory and open files, one a second; `swaps`, of the
        requests and the version then put in; `requests`; and of the memory
        after the warming-up what `growth` gives.

    Raises:
        RunError: A request failed.
    """
    for version in sorted({1, *_VERSIONS}):
        setting.version(version)
    path = setting.served_folder("soak")
    requests = _requests(setting)
    over_rest = [request.rest() for request in requests]
    samples, swaps = [], []
    done = threading.Event()
    with setting.start("--poll_seconds=0.5", path=path) as server:

        def watch():
            while not done.is_set():
                samples.append(
                    (server.n_requests(), server.memory(), server.n_files())
                )
                time.sleep(1)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            chunk = n_done = 0
            wanted = 1
            while (
                n_done < setting.n_soak
                or len(swaps) < len(_VERSIONS)
                or _served_version(server) != wanted
            ):
                setting.say(f"{n_done:,} requests: {samples[-1:]}")
                if (
                    len(swaps) < len(_VERSIONS)
                    and _served_version(server) == wanted
                    and n_done
                    >= setting.n_soak * (len(swaps) + 1) / (len(_VERSIONS) + 1)
                ):
                    wanted = _VERSIONS[len(swaps)]
                    swaps.append((n_done, wanted))
                    _serve(setting, path, wanted)
                chunk += 1
                if chunk % 3:
                    found = run_wrk(
                        server.rest, over_rest, _N_CLIENTS, setting.seconds
                    )
                    failed = found["errors"]
                else:
                    found = run_grpc_load(
                        server.grpc, requests, _N_CLIENTS, setting.seconds
                    )
                    failed = {**found["statuses"], "OK": 0}
                if any(failed.values()):
                    raise RunError(f"requests failed: {failed}")
                if server.errors():
                    raise RunError(f"the server said: {server.errors()}")
                n_done = server.n_requests()
        finally:
            done.set()
            watcher.join()
        server.end()
        if server.exit_code() != 0:
            raise RunError("the server did not end well")
    return {
        "samples": samples,
        "swaps": swaps,
        "requests": n_done,
        **growth(samples, swaps),
    }


def table(result):
    """Makes the table of what `run` returned.

    Args:
        result: The dictionary.

    Returns:
        The text.
    """
    memory = [sample[1] for sample in result["samples"]]
    slope, error = result["growth"], result["growth_error"]
    return markdown_table(
        [
            "soak",
            *(
                "requests",
                "exchanges",
                "memory when warm",
                "at the end",
                "peak",
            ),
            "growth in 1,000 requests between exchanges",
        ],
        [
            [
                "mixed requests",
                f"{result['requests']:,}",
                str(len(result["swaps"])),
                report.megabytes(result["warm_bytes"]),
                report.megabytes(memory[-1]),
                report.megabytes(max(memory)),
                f"{slope / 1000:.1f} ± {error / 1000:.1f} kB",
            ]
        ],
    )


def draw(path, result):
    """Draws the memory over the requests.

    Args:
        path: The PNG file to write.
        result: What `run` returned.
    """
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots()
    samples = np.array(result["samples"])
    axes.plot(samples[:, 0], samples[:, 1] / 1e6, color="#2a6f97")
    for n_requests, version in result["swaps"]:
        axes.axvline(n_requests, color="#adb5bd", linewidth=1)
        axes.annotate(
            f"version {version}",
            (n_requests, 0.04),
            xycoords=("data", "axes fraction"),
            xytext=(4, 0),
            textcoords="offset points",
            color="#6c757d",
        )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("requests answered")
    axes.set_ylabel("resident memory, MB")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title("Memory of the server", loc="left", fontweight="bold")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)


def _requests(setting):
    """Short requests of all kinds, mixed."""
    text = setting.text()
    random = np.random.default_rng(setting.seed)
    requests = []
    for _ in range(_N_REQUESTS):
        kind = random.integers(3 if setting.question_model else 2)
        if kind == 0:
            (words,) = text.sentences(1, 1, _LONGEST)
            requests.append(raw_sentence(MODEL, words))
        elif kind == 1:
            sentences = text.sentences(random.integers(1, 4), 1, _LONGEST)
            requests.append(token_sentences(MODEL, sentences))
        else:
            asked, context = text.sentences(2, 1, _LONGEST)
            requests.append(question("questions", asked, context))
    return requests


def _served_version(server):
    return server.metrics()[f'elmo_tf_model_version{{model="{MODEL}"}}']


def _serve(setting, path, version):
    """Lets a version be the greatest of those that are there."""
    for name in os.listdir(path):
        if name.isdigit() and int(name) > version:
            shutil.rmtree(os.path.join(path, name))
    if not os.path.exists(os.path.join(path, str(version))):
        setting.add_version(path, version)


def growth(samples, swaps):
    """Fits lines to the memory after the warming-up.

    They have one slope, and each version a level of its own: an exchange of
    versions moves memory up or down at once.

    Args:
        samples: As `run` gives them.
        swaps: Likewise.

    Returns:
        A dictionary of `warm_bytes`, the memory in the beginning; `growth`, of
        bytes in 1,000 requests, by least squares; `growth_error`, 1.96 standard
        errors of that.

    Raises:
        RunError: There are too few samples.
    """
    n_requests, memory, _ = np.array(samples, np.float64).T
    last = n_requests[-1]
    starts = [0, *(start for start, _ in swaps)]
    x, y, first = [], [], None
    for start, end in zip(starts, [*starts[1:], np.inf], strict=True):
        chosen = (n_requests >= max(start + _SETTLED * last, _WARM * last)) & (
            n_requests < end
        )
        if chosen.any():
            x.append(n_requests[chosen] / 1000)
            y.append(memory[chosen])
            first = y[-1][0] if first is None else first
    freedom = sum(map(len, x)) - len(x) - 1
    if freedom < 1:
        raise RunError("too few samples: ask for more requests")
    x = np.concatenate([values - values.mean() for values in x])
    y = np.concatenate([values - values.mean() for values in y])
    slope = (x @ y) / (x @ x)
    error = np.sqrt(((y - slope * x) ** 2).sum() / freedom / (x @ x))
    return {
        "warm_bytes": first,
        "growth": slope,
        "growth_error": 1.96 * error,
    }
