"""The picture of the sense probe."""

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from elmo_tf.atomic_file import write_file

# The token layer, the LSTM layers from the bottom.
_COLORS = ("#adb5bd", "#7fb5d5", "#2a6f97", "#12324a", "#c8384a")


def draw_accuracies(path, rows):
    """Draws the accuracy of the nearest neighbour's sense by layer.

    Args:
        path: The PNG file to write.
        rows: A dictionary from a label to a dictionary of `layers`, a list of
            accuracies, and `most_frequent_sense`, one.
    """
    n_layers = len(next(iter(rows.values()))["layers"])
    figure = Figure(figsize=(9, 0.8 + 0.42 * len(rows)), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / n_layers
    for layer in range(n_layers):
        axes.barh(
            [row + (layer + 0.5) * height - 0.4 for row in range(len(rows))],
            [row["layers"][layer] for row in rows.values()],
            height=height,
            color=_COLORS[layer % len(_COLORS)],
            label=f"LSTM layer {layer}" if layer else "token layer",
        )
    for number, row in enumerate(rows.values()):
        axes.plot(
            [row["most_frequent_sense"]] * 2,
            [number - 0.42, number + 0.42],
            color="black",
            linewidth=1.5,
            label=None if number else "most frequent sense",
        )
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title(
        "How often the nearest neighbour has the same sense",
        loc="left",
        fontweight="bold",
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="outside lower center", ncols=n_layers + 1, frameon=False)
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)
