"""The picture of what parts of the training data suffice for."""

from matplotlib.figure import Figure

from elmo_tf.atomic_file import write_file

_STYLES = {
    "none": ("without ELMo", "#c8384a", "s"),
    "elmo": ("with ELMo", "#2a6f97", "o"),
}
_LIGHT = "#e5e7eb"


def draw_fractions(path, found, metric):
    """Draws a metric over the share of the training data (figure 1).

    Args:
        path: The PNG file to write.
        found: A dictionary from none and elmo to a dictionary from each share,
            as a string, to a dictionary of `validation` and `test`, as
            `tasks.results.summarize` makes them. Test figures are drawn where
            all have them, else those of the validation.
        metric: Name of the metric to draw.
    """
    has_test = all(
        results["test"] is not None
        for by_fraction in found.values()
        for results in by_fraction.values()
    )
    split = "test" if has_test else "validation"
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for kind, by_fraction in found.items():
        label, color, marker = _STYLES[kind]
        points = sorted(
            (100 * float(fraction), results[split][metric])
            for fraction, results in by_fraction.items()
        )
        axes.errorbar(
            [share for share, _ in points],
            [100 * summary["mean"] for _, summary in points],
            yerr=[
                100 * (summary["standard_deviation"] or 0.0)
                for _, summary in points
            ],
            label=label,
            color=color,
            marker=marker,
            capsize=4,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:g} %")
    axes.set_xlabel("share of the training data")
    axes.set_ylabel(f"{split} {metric} in %")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=_LIGHT)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)
