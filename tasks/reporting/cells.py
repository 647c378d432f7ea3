"""Figures that lead to their runs."""

import dataclasses

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from tasks.reporting.table import NOTHING


@dataclasses.dataclass(frozen=True)
class Difference:
    """By how much one variant is above another.

    Attributes:
        absolute: The difference of the means.
        relative: The part of the other's error that it is.
        n_higher: With how many of the common seeds it is higher; None: the
            seeds are not the same, or there is only one.
    """

    absolute: float
    relative: float
    n_higher: int | None


def link(number, content):
    """Makes a link to an entry of the list of runs."""
    return tag("a", content, href=f"#run-{number}")


def percent(value):
    """Formats a share as "31.18"."""
    return f"{100 * value:.2f}"


def figure(variant, split, metric=None):
    """Makes a cell of a variant's figure.

    Args:
        variant: The `Variant`, or None.
        split: "validation" or "test".
        metric: The metric's name; None: the one that decides.

    Returns:
        `Markup` as "31.18 ± 1.25 5 seeds", a link to its entry, or a dash.
    """
    summary = None if variant is None else variant.summary(split, metric)
    if summary is None:
        return NOTHING
    text = percent(summary.mean)
    if summary.standard_deviation is not None:
        text += f" ± {percent(summary.standard_deviation)}"
    return joined(
        [link(variant.number, text), tag("small", variant.seeds_text)], " "
    )


def common_split(variants):
    """Chooses what to compare variants by: test data where all have it."""
    for split in ("test", "validation"):
        if all(variant.has(split) for variant in variants):
            return split
    return None


def difference(variant, baseline, split, metric=None):
    """Compares two variants.

    Args:
        variant: The `Variant`.
        baseline: The one to compare it with.
        split: "validation" or "test".
        metric: The metric's name; None: the one that decides.

    Returns:
        The `Difference`; None where one of them has a single seed and the other
        several or another one, or where there is no such metric.
    """
    mine, other = (one.summary(split, metric) for one in (variant, baseline))
    if mine is None or other is None:
        return None
    is_paired = mine.values.keys() == other.values.keys()
    if not is_paired and 1 in (len(mine.values), len(other.values)):
        return None
    error = 1 - other.mean
    return Difference(
        mine.mean - other.mean,
        (mine.mean - other.mean) / error if error else 0.0,
        sum(value > other.values[seed] for seed, value in mine.values.items())
        if is_paired and len(mine.values) > 1
        else None,
    )


def increase(variant, baseline, split, metric=None):
    """Makes a cell of how much a variant is above another.

    Args:
        variant: The `Variant`, or None.
        baseline: The one to compare it with, or None.
        split: "validation" or "test", or None.
        metric: The metric's name; None: the one that decides.

    Returns:
        Text or `Markup`: the `Difference` with the seeds that it is made of, a
        dash where there are not both.
    """
    if variant is None or baseline is None or split is None:
        return NOTHING
    found = difference(variant, baseline, split, metric)
    if found is None:
        counts = f"{len(baseline.seeds)} against {len(variant.seeds)}"
        return joined([NOTHING, tag("small", f"seeds: {counts}")], " ")
    text = f"{100 * found.absolute:+.2f} / {100 * found.relative:+.1f} %"
    if found.n_higher is not None:
        seeds = f"higher with {found.n_higher} of {len(variant.seeds)} seeds"
    elif len(variant.seeds) == 1:
        seeds = "one seed each"
    else:
        seeds = "different seeds"
    return joined([text.replace("-", "−"), tag("small", seeds)], " ")


def data_text(variant, split="train"):
    """Says which data a variant used, as "train.txt, 3,394 examples"."""
    data = getattr(variant.config.task, f"{split}_data")
    names = ",".join(
        part.rstrip("/").rpartition("/")[2]
        for part in data.input_path.split(",")
    )
    return f"{names}, {n_examples_text(variant, split)}"


def n_examples_text(variant, split):
    """Says how large a variant's data are, as far as it was recorded."""
    results = variant.first.results
    parts = []
    if results.examples is not None and split in results.examples:
        parts.append(f"{results.examples[split]:,} examples")
    elif split == "train":
        # How many exactly was not recorded.
        size = variant.config.task.train_data.batch_size
        parts.append(f"{results.steps_per_epoch:,} batches of {size}")
    if split in results.words:
        parts.append(f"{results.words[split].tokens:,} tokens")
    return ", ".join(parts) or "size not recorded"
