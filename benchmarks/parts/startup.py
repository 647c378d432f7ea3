"""Start-up time, and sentences one at a time."""

import contextlib
import statistics

from benchmarks.text import RandomText
from tasks.markdown_table import markdown_table

_LENGTH = 22
_N_SENTENCES = 20


def run(setting):
    """Measures.

    Args:
        setting: A `Setting`.

    Returns:
        A dictionary for the JSON: for each system the median seconds of each
        step of its start, and of a sentence by itself.
    """
    text = RandomText(setting.seed)
    steps = {
        system.name: {"import": [], "load": [], "first_sentence": []}
        for system in setting.systems
    }
    for repeat in range(setting.repeats):
        setting.say(f"start {repeat + 1} of {setting.repeats}")
        for system in setting.systems:
            with setting.start(system, max_batch_size=1) as worker:
                seconds = steps[system.name]
                seconds["import"].append(worker.import_seconds)
                seconds["load"].append(worker.load_seconds)
                seconds["first_sentence"] += _latency(worker, text, 1)
    with contextlib.ExitStack() as stack:
        workers = {
            system.name: stack.enter_context(
                setting.start(system, max_batch_size=1)
            )
            for system in setting.systems
        }
        for name, worker in workers.items():
            _latency(worker, text, _N_SENTENCES)
            steps[name]["one_sentence"] = []
        # In turns, so that what disturbs the machine disturbs all alike.
        for _ in range(setting.repeats):
            for name, worker in workers.items():
                steps[name]["one_sentence"] += _latency(
                    worker, text, _N_SENTENCES
                )
    return {
        name: {
            step: statistics.median(seconds) for step, seconds in values.items()
        }
        for name, values in steps.items()
    }


def table(setting, result):
    """Makes the table of what `run` returned.

    Args:
        setting: The `Setting`.
        result: The dictionary.

    Returns:
        The text.
    """
    return markdown_table(
        [
            f"{setting.size}, start-up",
            "import",
            "load",
            f"first sentence of {_LENGTH} tokens",
            "each one later",
        ],
        [
            [
                name,
                f"{values['import']:.2f} s",
                f"{values['load']:.2f} s",
                f"{values['first_sentence']:.2f} s",
                f"{1000 * values['one_sentence']:.1f} ms",
            ]
            for name, values in result.items()
        ],
    )


def _latency(worker, text, n):
    sentences = text.sentences(n, _LENGTH, _LENGTH)
    return worker.request("latency", sentences=sentences)["seconds"]
