"""Tokens a second of all systems and of bare matrix products; their outputs."""

import contextlib
import dataclasses
import os
import statistics
import sys
import tempfile

import numpy as np

from benchmarks import ceiling
from benchmarks import report
from benchmarks.comparison import agree
from benchmarks.comparison import compare
from benchmarks.text import RandomText
from benchmarks.text import distinct_words
from benchmarks.text import n_tokens
from benchmarks.worker_process import WorkerProcess
from tasks.markdown_table import markdown_table


def run(setting, tolerance):
    """Measures and compares.

    Every worker embeds the first batch from the zero state: these outputs are
    compared. Then, after a batch to warm up, each repetition gives all workers,
    one after the other, the same new sentences. What is stated relative to
    something else is so within a repetition, and the median of that: machines
    are faster at one time than at another.

    Args:
        setting: A `Setting`.
        tolerance: The largest error of a vector, relative to its length, with
            which two systems in float32 agree.

    Returns:
        A dictionary for the JSON; `disagreements` lists what does not agree.
    """
    text = RandomText(setting.seed)
    with contextlib.ExitStack() as stack:
        workers = {
            system.name: stack.enter_context(setting.start(system))
            for system in setting.systems
        }
        products = stack.enter_context(_matmul_worker(setting))
        dtypes = list(dict.fromkeys(system.dtype for system in setting.ours))
        first = text.sentences(setting.batch_size)
        outputs = _outputs(setting, workers, first)
        warm_up = text.sentences(setting.batch_size)
        for system in setting.systems:
            setting.time(system, workers[system.name], warm_up)
        seen = distinct_words(first + warm_up)
        rates = {}
        unit_seconds = {dtype: [] for dtype in dtypes}
        for repeat in range(setting.repeats):
            setting.say(f"repetition {repeat + 1} of {setting.repeats}")
            sentences = text.sentences(setting.n_sentences)
            _measure(
                setting, workers, products, sentences, seen, rates, unit_seconds
            )
            seen |= distinct_words(sentences)
        again = _outputs(setting, workers, first, setting.ours[:1])
        peaks = {
            name: worker.request("memory")["peak_bytes"]
            for name, worker in workers.items()
        }
        versions = {name: worker.versions for name, worker in workers.items()}
    return {
        "tokens": n_tokens(sentences),
        "distinct_words": len(distinct_words(sentences)),
        "weights_bytes": os.path.getsize(setting.weights_file),
        "systems": {
            system.name: {
                "versions": versions[system.name],
                "peak_bytes": peaks[system.name],
                "tokens_per_second": statistics.median(
                    rates[system.name, "given"]
                ),
                "tokens_per_second_sorted": statistics.median(
                    rates[system.name, "sorted"]
                )
                if system.peer
                else None,
                "ceiling_tokens_per_second": None
                if system.peer
                else statistics.median(rates[system.name, "ceiling"]),
                "relative": {}
                if system.peer
                else _relative(setting, system, rates),
            }
            for system in setting.systems
        },
        "products": {
            dtype: _describe_products(setting.config, unit_seconds[dtype])
            for dtype in dtypes
        },
        **_compare(setting, outputs, again, tolerance),
    }


def tables(setting, result):
    """Makes the tables of what `run` returned.

    Args:
        setting: The `Setting`.
        result: The dictionary.

    Returns:
        The text.
    """
    systems = result["systems"]
    weights = result["weights_bytes"]
    rows = []
    for system in setting.systems:
        values = systems[system.name]
        relative = values["relative"]
        cells = [
            system.name,
            report.number(values["tokens_per_second"]),
            report.number(values["tokens_per_second_sorted"]),
            *(
                f"{relative[order]:.2f}" if order in relative else "—"
                for order in ("given", "sorted")
            ),
            report.number(values["ceiling_tokens_per_second"]),
            f"{relative['ceiling']:.0%}" if relative else "—",
            report.megabytes(values["peak_bytes"]),
            report.megabytes(values["peak_bytes"] - weights),
        ]
        rows.append(cells)
    speeds = markdown_table(
        [
            f"{setting.size}, tokens/s",
            "as given",
            "sorted",
            "× best peer as given",
            "× best peer sorted",
            "ceiling",
            "of ceiling",
            "peak memory",
            "less the weights",
        ],
        rows,
    )
    differences = markdown_table(
        [
            f"{setting.size}, difference",
            "layer",
            "largest absolute",
            "largest relative",
            "mean relative",
        ],
        [
            [
                name,
                str(layer),
                *(f"{value:.1e}" for value in difference.values()),
            ]
            for name, layers in result["differences"].items()
            for layer, difference in enumerate(layers)
        ],
    )
    return f"{speeds}\n\n{_ceiling_text(result)}\n\n{differences}"


def _ceiling_text(result):
    lines = []
    for dtype, units in result["products"].items():
        terms = [
            f"{unit}s × {values['operations'] / 1e6:.2f} MFLOP / "
            f"{values['flops'] / 1e9:.0f} GFLOP/s"
            for unit, values in units.items()
        ]
        lines.append(f"Ceiling in {dtype}: tokens / ({' + '.join(terms)})")
    lines.append(
        "Steps: tokens. Inputs: of the first LSTMs, where words share them "
        "those of each stretch of steps, else tokens. Words: the distinct "
        "ones of a measurement; with a word cache those not seen before. "
        "Windows: of these words' characters, one of the padding behind them."
    )
    return "\n".join(lines)


def _matmul_worker(setting):
    return WorkerProcess(
        "matrix products",
        sys.executable,
        "benchmarks.matmul_worker",
        {"shapes": ceiling.shapes(setting.config)},
    )


def _outputs(setting, workers, sentences, systems=None):
    """Embeds one batch; returns a dictionary of arrays."""
    outputs = {}
    with tempfile.TemporaryDirectory() as folder:
        for system in systems or setting.systems:
            file = os.path.join(folder, "vectors.npy")
            workers[system.name].request(
                "outputs",
                sentences=sentences,
                batch_size=setting.batch_size_of(system),
                file=file,
            )
            outputs[system.name] = np.load(file)
    return outputs


def _measure(setting, workers, products, sentences, seen, rates, unit_seconds):
    """Runs one repetition.

    Appends each system's tokens per second to its list in `rates`, and those
    that the products alone would reach; the products' times, measured right
    after, to the dtype's list in `unit_seconds`.
    """
    tokens = n_tokens(sentences)
    orders = {"given": sentences, "sorted": sorted(sentences, key=len)}
    for system in setting.systems:
        for order, ordered in orders.items():
            # This project sorts by itself.
            if order == "given" or system.peer:
                seconds = setting.time(system, workers[system.name], ordered)
                rates.setdefault((system.name, order), []).append(
                    tokens / seconds
                )
        if not system.peer:
            found = ceiling.seconds_per_unit(
                setting.config,
                products.request("time", dtype=system.dtype)["seconds"],
            )
            unit_seconds[system.dtype].append(found)
            words = distinct_words(sentences)
            counts = ceiling.count_units(
                setting.config,
                sentences,
                words - seen if system.word_cache else words,
            )
            seconds = sum(counts[unit] * found[unit] for unit in ceiling.UNITS)
            rates.setdefault((system.name, "ceiling"), []).append(
                tokens / seconds
            )


def _relative(setting, system, rates):
    """How one of this project's systems compares, as medians of repetitions.

    A dictionary: its rate over the best peer's, sentences as `given` and
    `sorted` for the peer, and over its `ceiling`.
    """
    ours = rates[system.name, "given"]
    others = {"ceiling": rates[system.name, "ceiling"]}
    if setting.peers:
        for order in ("given", "sorted"):
            others[order] = [
                max(repetition)
                for repetition in zip(
                    *(rates[peer.name, order] for peer in setting.peers),
                    strict=True,
                )
            ]
    return {
        name: statistics.median(
            rate / other for rate, other in zip(ours, found, strict=True)
        )
        for name, found in others.items()
    }


def _describe_products(config, unit_seconds):
    operations = ceiling.operations_per_unit(config)
    return {
        unit: {
            "operations": operations[unit],
            "flops": operations[unit]
            / statistics.median(seconds[unit] for seconds in unit_seconds),
        }
        for unit in ceiling.UNITS
    }


def _compare(setting, outputs, again, tolerance):
    reference_system = setting.ours[0]
    reference = outputs[reference_system.name]
    differences = {}
    disagreements = []

    def add(name, vectors, must_agree=True):
        found = compare(vectors, reference)
        differences[name] = [dataclasses.asdict(layer) for layer in found]
        if must_agree and not agree(found, tolerance):
            disagreements.append(
                f"{setting.size}: {name}: largest relative difference "
                f"{max(layer.largest_relative for layer in found):.1e}, "
                f"tolerance {tolerance:.1e}"
            )

    for system in setting.systems:
        if system is not reference_system:
            add(
                f"{system.name} / {reference_system.name}",
                outputs[system.name],
                must_agree=system.dtype == "float32",
            )
    for name, vectors in again.items():
        add(f"{name} / itself, earlier", vectors)
    return {
        "tolerance": tolerance,
        "differences": differences,
        "disagreements": disagreements,
    }
