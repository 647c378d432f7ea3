"""The picture of the variants of a task model."""

from matplotlib.figure import Figure

from elmo_tf.atomic_file import write_file

_COLORS = {"validation": "#2a6f97", "test": "#c8384a"}
_LIGHT = "#e5e7eb"


def draw_variants(path, variants, metric):
    """Draws each seed's figures, their means and standard deviations.

    Args:
        path: The PNG file to write.
        variants: A dictionary from each variant's name to a dictionary of
            `validation` and `test`, as `tasks.results.summarize` makes them.
        metric: Name of the metric to draw.
    """
    figure = Figure(
        figsize=(8, 1.6 + 0.6 * len(variants)), layout="constrained"
    )
    axes = figure.subplots()
    for shift, (split, color) in zip(
        (-0.14, 0.14), _COLORS.items(), strict=True
    ):
        rows, means, deviations = [], [], []
        for number, found in enumerate(variants.values()):
            if found[split] is None:
                continue
            summary = found[split][metric]
            rows.append(number + shift)
            means.append(100 * summary["mean"])
            deviations.append(100 * (summary["standard_deviation"] or 0.0))
            axes.scatter(
                [100 * value for value in summary["values"]],
                [rows[-1]] * len(summary["values"]),
                color=color,
                alpha=0.35,
                linewidth=0,
            )
        if rows:
            axes.errorbar(
                means,
                rows,
                xerr=deviations,
                fmt="D",
                markersize=6,
                capsize=4,
                color=color,
                label=split,
            )
    axes.set_yticks(range(len(variants)), list(variants))
    axes.set_ylim(len(variants) - 0.5, -0.5)
    axes.set_xlabel(f"{metric} in %: each seed, mean and standard deviation")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color=_LIGHT)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)
