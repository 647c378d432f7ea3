"""What came of the variants of a task model, over their seeds."""

import numpy as np

from tasks.markdown_table import markdown_table
from tasks.probes.task_runs import event_files
from tasks.probes.task_runs import read_events
from tasks.probes.task_runs import read_results
from tasks.probes.task_runs import seed_folder
from tasks.results import percent
from tasks.results import summarize


def read(model_dir, seeds):
    """Reads the results of a variant.

    Args:
        model_dir: The folder of its finished training.
        seeds: The seeds.

    Returns:
        A dictionary of `validation` and `test`, as `tasks.results.summarize`
        makes them; of `elmo`, the means of the layer weights `gamma` and `s`
        by the place of ELMo; and of the means of `trainable_parameters` and of
        `seconds`, see `training_seconds`.
    """
    folders = [seed_folder(model_dir, seed) for seed in seeds]
    results = [read_results(folder) for folder in folders]
    summary = summarize(dict(zip(seeds, results, strict=True)))
    return {
        "validation": summary["validation"],
        "test": summary["test"],
        "elmo": {
            layer.removeprefix("elmo_"): {
                name: np.mean(
                    [result["elmo"][layer][name] for result in results], axis=0
                ).tolist()
                for name in weights
            }
            for layer, weights in results[0]["elmo"].items()
        },
        "trainable_parameters": round(
            np.mean([result["parameters"]["trainable"] for result in results])
        ),
        "seconds": round(float(np.mean([*map(training_seconds, folders)])), 1),
    }


def training_seconds(model_dir):
    """Measures how long a training took, however often it was interrupted.

    The seconds in results.json are those of the last process alone, and the
    first training over a file waits for the biLM besides.

    Args:
        model_dir: The training's folder, with one seed.

    Returns:
        The seconds between the first and the last entry for TensorBoard of each
        process, summed up.
    """
    seconds = 0.0
    for path in event_files(model_dir):
        times = [event.wall_time for event in read_events(path)]
        seconds += max(times, default=0.0) - min(times, default=0.0)
    return seconds


def table(variants, metric):
    """Makes the table of the variants.

    Args:
        variants: A dictionary from each one's name to what `read` returned.
        metric: Name of the metric to show.

    Returns:
        Markdown text, without a newline at its end.
    """
    rows = []
    for name, found in variants.items():
        rows.append(
            [
                name,
                *(
                    percent(found[split][metric]) if found[split] else "—"
                    for split in ("validation", "test")
                ),
                _by_place(found["elmo"], "gamma"),
                _by_place(found["elmo"], "s"),
                f"{found['trainable_parameters']:,}",
                f"{found['seconds']:,.0f}",
            ]
        )
    return markdown_table(
        [
            "ELMo",
            f"validation {metric}",
            f"test {metric}",
            "γ",
            "s",
            "trainable parameters",
            "seconds",
        ],
        rows,
    )


def _by_place(elmo, name):
    """A cell such as "input 1.02, output 0.97"."""
    parts = []
    for place, weights in elmo.items():
        if name in weights:
            values = np.atleast_1d(weights[name])
            parts.append(
                " ".join([place, *(f"{value:.2f}" for value in values)])
            )
    return ", ".join(parts) or "—"
