"""Tokens a second of pre-training, and time against the vocabulary's size."""

import contextlib
import statistics

from benchmarks import report
from benchmarks.training_setting import our_name
from tasks.markdown_table import markdown_table


def run(setting, repeats, block_steps):
    """Times blocks of steps, all implementations in turns.

    Args:
        setting: A `TrainingSetting`.
        repeats: Number of blocks, of which the median counts; one more comes
            before, to warm up.
        block_steps: Steps of a block.

    Returns:
        A dictionary for the JSON.
    """
    with setting.workers() as workers:
        seconds = _time(setting, workers, repeats, block_steps)
        results = {}
        for name, worker in workers.items():
            median = statistics.median(seconds[name])
            results[name] = {
                "versions": worker.versions,
                "seconds_per_step": median,
                "all_seconds_per_step": seconds[name],
                "tokens_per_second": setting.tokens_per_step / median,
                "peak_bytes": worker.request("memory")["peak_bytes"],
            }
    ratios = {
        peer: {
            name: results[peer]["seconds_per_step"]
            / results[name]["seconds_per_step"]
            for name in map(our_name, setting.dtypes)
        }
        for peer in setting.peers
    }
    return {"systems": results, "times_faster": ratios}


def table(setting, result):
    """Makes the table of what `run` returned: text."""
    rows = []
    for name in setting.names:
        found = result["systems"][name]
        rows.append(
            [
                name,
                f"{found['seconds_per_step']:.3f}",
                report.number(found["tokens_per_second"]),
                *(
                    f"{result['times_faster'][peer].get(name, 1):.2f}"
                    for peer in setting.peers
                ),
                report.megabytes(found["peak_bytes"]),
            ]
        )
    return markdown_table(
        [
            f"{setting.size}, {setting.vocabulary_size:,} words",
            "s a step",
            "tokens/s",
            *(f"times {peer}" for peer in setting.peers),
            "peak memory",
        ],
        rows,
    )


def run_vocabulary(setting, vocabulary_sizes, repeats, block_steps):
    """Times this project with vocabularies of several sizes, in turns.

    The text is the same, so that nothing but the softmax differs: of a small
    vocabulary more words are unknown, a large one is filled up with words that
    the text lacks.

    Args:
        setting: A `TrainingSetting`.
        vocabulary_sizes: A list of numbers of words.
        repeats: As in `run`.
        block_steps: As in `run`.

    Returns:
        A dictionary for the JSON.
    """
    results = {}
    for dtype in setting.dtypes:
        with contextlib.ExitStack() as stack:
            workers = {
                size: stack.enter_context(setting.start_ours(dtype, size))
                for size in vocabulary_sizes
            }
            seconds = _time(setting, workers, repeats, block_steps)
            medians = {
                size: statistics.median(values)
                for size, values in seconds.items()
            }
            results[our_name(dtype)] = {
                "seconds_per_step": medians,
                "all_seconds_per_step": seconds,
                "largest_over_smallest": max(medians.values())
                / min(medians.values()),
                "peak_bytes": {
                    size: worker.request("memory")["peak_bytes"]
                    for size, worker in workers.items()
                },
            }
    return results


def vocabulary_table(setting, result):
    """Makes the table of what `run_vocabulary` returned: text."""
    rows = [
        [
            f"{name}, {size:,} words",
            f"{seconds:.3f}",
            f"{seconds / min(found['seconds_per_step'].values()):.3f}",
            report.megabytes(found["peak_bytes"][size]),
        ]
        for name, found in result.items()
        for size, seconds in found["seconds_per_step"].items()
    ]
    header = [setting.size, "s a step", "times the fastest", "peak memory"]
    return markdown_table(header, rows)


def _time(setting, workers, repeats, block_steps):
    """Seconds a step of each block, lists by the workers' keys."""
    seconds = {key: [] for key in workers}
    for repeat in range(repeats + 1):
        for key, worker in workers.items():
            answer = worker.request("train", steps=block_steps)
            if repeat:
                seconds[key].append(answer["seconds"] / block_steps)
        setting.say(f"block {repeat} of {repeats} done")
    return seconds
