"""The charts of a report: learning curves, and parts of the training data."""

import os

from bidaf_tf.report.markup import joined
from bidaf_tf.report.markup import tag
from tasks.reporting.cells import common_split
from tasks.reporting.cells import figure
from tasks.reporting.cells import link
from tasks.reporting.grouping import common_folder
from tasks.reporting.grouping import elmo_text
from tasks.reporting.grouping import families
from tasks.reporting.grouping import fraction_families
from tasks.reporting.grouping import metric_name
from tasks.reporting.grouping import task_title
from tasks.reporting.line_chart import Series
from tasks.reporting.line_chart import line_chart
from tasks.reporting.options import without
from tasks.reporting.table import NOTHING
from tasks.reporting.table import scrolling_table
from tasks.reporting.table import section


def learning_curves_section(variants):
    """Makes the curves of all runs.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    charts = []
    for family in families(variants):
        series = [
            Series(
                _named(variant, elmo_text(variant)),
                tuple(
                    [
                        (step, 100 * value)
                        for step, value in zip(*run.curve, strict=True)
                    ]
                    for run in variant.runs
                    if run.curve[0]
                ),
            )
            for variant in family
        ]
        series = [one for one in series if one.lines]
        if series:
            metric = metric_name(family[0])
            title = f"{task_title(family[0])}: {common_folder(family)}"
            charts.append(
                line_chart(title, "step", f"validation {metric}, %", series)
            )
    if not charts:
        return None
    return section(
        "Learning curves",
        tag(
            "p",
            "The metric of each validation, a line for each seed. In a chart "
            "stand the runs that differ in ELMo alone.",
            class_="note",
        ),
        tag("div", *charts, class_="charts"),
    )


def fractions_section(variants):
    """Makes figure 1: parts of the training data, with and without ELMo.

    Args:
        variants: All `Variant`s.

    Returns:
        A tuple of its name and the `Markup`; None: there are no runs for it.
    """
    groups = [
        group
        for group in fraction_families(variants)
        if _by_use_and_fraction(group)
    ]
    if not groups:
        return None
    return section(
        "ELMo figure 1: less training data",
        tag(
            "p",
            "Task models trained on parts of their training data (figure 1 of "
            "the ELMo paper, for SNLI and SRL, which prints no numbers). The "
            "paper says: with ELMo, a hundredth of the training data is worth "
            "as much as a tenth without, in SRL. How long each was trained "
            "stands in its entry: those on fewer data may have had more "
            "epochs.",
            class_="note",
        ),
        *(_fractions(group) for group in groups),
    )


def _fractions(group):
    uses = _by_use_and_fraction(group)
    group = [variant for found in uses for variant in found.values()]
    split = common_split(group)
    if split is None:
        return tag(
            "p",
            f"{task_title(group[0])}: {common_folder(group)}: the runs were "
            "not measured on the same kind of data.",
            class_="note",
        )
    fractions = sorted({fraction for found in uses for fraction in found})
    labels = {100 * fraction: f"{100 * fraction:g}" for fraction in fractions}
    names = [elmo_text(next(iter(found.values()))) for found in uses]
    series = [
        Series(
            name,
            (
                [
                    (
                        100 * fraction,
                        100 * found[fraction].summary(split).mean,
                    )
                    for fraction in sorted(found)
                ],
            ),
            has_markers=True,
        )
        for name, found in zip(names, uses, strict=True)
    ]
    title = f"{task_title(group[0])}: {common_folder(group)}"
    metric = metric_name(group[0])
    chart = line_chart(
        title,
        "part of the training data, %",
        f"{split} {metric}, %",
        series,
        is_log=True,
        x_ticks=labels,
    )
    table = scrolling_table(
        f"{title}: {split} {metric} in %, here",
        ["training data", *names],
        [
            [
                f"{100 * fraction:g} %",
                *(
                    figure(found[fraction], split)
                    if fraction in found
                    else NOTHING
                    for found in uses
                ),
            ]
            for fraction in fractions
        ],
    )
    return joined([tag("div", chart, class_="charts"), table])


def _by_use_and_fraction(group):
    """For each use of ELMo a dictionary from fraction to variant.

    Of several, whose budgets differ, the one counts that stands in a folder
    with the most fractions: those were made to be compared.
    """
    folders = {}
    for variant in group:
        folder = os.path.dirname(variant.name)
        folders.setdefault(folder, set()).add(variant.fraction)
    uses = {}
    for variant in sorted(
        group, key=lambda one: -len(folders[os.path.dirname(one.name)])
    ):
        elmo = tuple(
            pair
            for pair in without(variant.options)
            if pair[0].startswith("task.elmo.")
        )
        uses.setdefault(elmo, {}).setdefault(variant.fraction, variant)
    return [found for found in uses.values() if len(found) > 1]


def _named(variant, name):
    if variant.fraction != 1.0:
        name += f", {100 * variant.fraction:g} % of the data"
    return joined([link(variant.number, name), f" ({variant.seeds_text})"])
