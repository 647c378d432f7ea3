"""Figure 2 of the ELMo paper as a picture by itself."""

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from elmo_tf.atomic_file import write_file
from tasks.reporting.learned_weights import HIGH
from tasks.reporting.learned_weights import LOW
from tasks.reporting.learned_weights import layer_name

_COLORS = LinearSegmentedColormap.from_list("shares", ["#f4f8fb", "#2a6f97"])
_HATCH = "#5b6472"


def draw_learned_weights(path, weights):
    """Draws the layers' shares, with γ beside them.

    Args:
        path: The PNG file to write.
        weights: A list of `LearnedWeights`, one with shares at least; those
            without are left out.
    """
    weights = [one for one in weights if one.shares is not None]
    places = list(dict.fromkeys(one.place for one in weights))
    n_layers = max(len(one.shares) for one in weights)
    counts = [sum(one.place == place for one in weights) for place in places]
    figure = Figure(
        figsize=(4.6 + 1.1 * n_layers, 0.9 * len(places) + 0.36 * sum(counts)),
        layout="constrained",
    )
    all_axes = figure.subplots(
        len(places), 1, squeeze=False, gridspec_kw={"height_ratios": counts}
    )[:, 0]
    for axes, place in zip(all_axes, places, strict=True):
        mine = [one for one in weights if one.place == place]
        for row, one in enumerate(mine):
            for layer, share in enumerate(one.shares):
                _draw_share(axes, layer, row, share)
            if one.gamma is not None:
                axes.text(
                    n_layers + 0.1, row + 0.5, f"γ {one.gamma:.2f}", va="center"
                )
        axes.set(xlim=(0, n_layers + 0.7), ylim=(len(mine), 0))
        axes.set_xticks(
            [layer + 0.5 for layer in range(n_layers)],
            [layer_name(layer) for layer in range(n_layers)],
        )
        axes.set_yticks(
            [row + 0.5 for row in range(len(mine))],
            [
                f"{one.name}, {one.variant.seeds_text}".replace("$", r"\$")
                for one in mine
            ],
        )
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.set_title(f"ELMo at the {place}", loc="left", fontweight="bold")
        for spine in axes.spines.values():
            spine.set_visible(False)
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)


def _draw_share(axes, layer, row, share):
    hatch = "---" if share < LOW else "..." if share > HIGH else None
    axes.add_patch(
        Rectangle(
            (layer + 0.03, row + 0.06),
            0.94,
            0.88,
            facecolor=_COLORS(share),
            edgecolor=_HATCH,
            linewidth=0,
            hatch=hatch,
        )
    )
    axes.text(
        layer + 0.5,
        row + 0.5,
        f"{share:.2f}",
        ha="center",
        va="center",
        bbox={
            "boxstyle": "round,pad=0.15",
            "facecolor": "white",
            "linewidth": 0,
        },
    )
