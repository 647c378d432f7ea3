"""The pictures of the quickstart."""

import glob
import os

import numpy as np
import tensorflow as tf
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from matplotlib.ticker import LogLocator
from matplotlib.ticker import NullLocator

from elmo_tf.atomic_file import write_file

_BLUE = "#2a6f97"
_RED = "#c8384a"
_LIGHT = "#e5e7eb"


def read_scalars(folder, tag):
    """Reads a curve out of TensorBoard's files.

    Args:
        folder: The folder of the event files.
        tag: The curve's name.

    Returns:
        A tuple of the steps and the values, arrays `[points]` in the order of
        the steps. Of a step that an interrupted run took twice the later value
        counts.
    """
    values = {}
    for path in sorted(glob.glob(os.path.join(folder, "events.out.*"))):
        for event in _events(path):
            for value in event.summary.value:
                if value.tag == tag:
                    values[event.step] = float(tf.make_ndarray(value.tensor))
    steps = sorted(values)
    return np.array(steps), np.array([values[step] for step in steps])


def with_start(curve, value):
    """Puts a point at step 0 before a curve's other points.

    Args:
        curve: A tuple of steps and values.
        value: The value at step 0.

    Returns:
        A tuple of steps and values.
    """
    steps, values = curve
    return np.concatenate([[0], steps]), np.concatenate([[value], values])


def draw_training_curve(path, training, heldout):
    """Draws the perplexities on the training and the held-out text.

    Args:
        path: The PNG file to write.
        training: A tuple of steps and perplexities.
        heldout: A tuple of steps and perplexities.
    """
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    steps, values = training
    axes.plot(steps, values, color=_BLUE, linewidth=0.8, alpha=0.25)
    smooth = _smoothed(values)
    axes.plot(steps, smooth, color=_BLUE, linewidth=2)
    axes.plot(*heldout, color=_RED, linewidth=2, marker="o", markersize=4)
    for (x, y), text, color, above in (
        ((heldout[0][0], heldout[1][0]), "{:,.0f} untrained", _RED, 0),
        ((heldout[0][-1], heldout[1][-1]), "held-out text {:,.0f}", _RED, 1),
        ((steps[-1], smooth[-1]), "training text {:,.0f}", _BLUE, -1),
    ):
        axes.annotate(
            text.format(y),
            (x, y),
            xytext=(0, 22 * above) if above else (9, 0),
            textcoords="offset points",
            ha="right" if above else "left",
            va="center",
            color=color,
            fontweight="bold",
        )
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:,.0f}")
        )
    axes.set_ylim(bottom=0.6 * min(smooth[-1], heldout[1].min()))
    axes.set_xlabel("step")
    axes.set_ylabel("perplexity (log scale)")
    axes.set_title(
        "Perplexity of the biLM, mean of its two directions",
        loc="left",
        fontweight="bold",
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=_LIGHT)
    axes.set_axisbelow(True)
    _save(figure, path)


def draw_layer_similarities(path, similarities, word, sentences):
    """Draws the cosines between a word's occurrences, a matrix for each layer.

    Args:
        path: The PNG file to write.
        similarities: Float array `[n_layers, n, n]`.
        word: The word.
        sentences: A dictionary from a use of the word to its sentences, n in
            all.
    """
    n_layers = len(similarities)
    figure = Figure(figsize=(2.8 * n_layers + 2.8, 3.5), layout="constrained")
    all_axes = figure.subplots(1, n_layers, squeeze=False)[0]
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    figure.suptitle(
        f"Cosines between the vectors of “{word}” in {len(similarities[0])} "
        "sentences, by layer",
        x=0.01,
        ha="left",
        fontweight="bold",
    )
    bold_word = rf"$\bf{{{word}}}$"
    labels = [
        f"{use}:  {text.replace(word, bold_word)}"
        for use, texts in sentences.items()
        for text in texts
    ]
    ends = np.cumsum([len(texts) for texts in sentences.values()])[:-1]
    for layer, (axes, matrix) in enumerate(
        zip(all_axes, similarities, strict=True)
    ):
        axes.imshow(matrix, vmin=0, vmax=1, cmap="YlGnBu")
        axes.set_title(f"LSTM layer {layer}" if layer else "token layer")
        for (row, column), value in np.ndenumerate(matrix):
            axes.text(
                *(column, row, f"{value:.2f}"),
                ha="center",
                va="center_baseline",
                fontsize=9,
                color="white" if value > 0.55 else "black",
            )
        for end in ends - 0.5:
            axes.axhline(end, color="white", linewidth=3)
            axes.axvline(end, color="white", linewidth=3)
        axes.set_xticks([])
        axes.set_yticks(range(len(labels)), labels if layer == 0 else [])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    _save(figure, path)


def draw_senses(path, maps, word):
    """Draws where the vectors of a word lie, sense by sense and layer by layer.

    Args:
        path: The PNG file to write.
        maps: A dictionary from each sense to a float array `[n_layers, n, 2]`.
        word: The word.
    """
    n_layers = len(next(iter(maps.values())))
    figure = Figure(figsize=(3.4 * n_layers, 3.9), layout="constrained")
    figure.suptitle(
        f"“{word}” in the two directions in which its vectors differ most",
        x=0.01,
        ha="left",
        fontweight="bold",
    )
    all_axes = figure.subplots(1, n_layers, squeeze=False)[0]
    limit = 1.15 * max(np.abs(points).max() for points in maps.values())
    for layer, axes in enumerate(all_axes):
        for (sense, points), color, marker in zip(
            maps.items(), (_BLUE, _RED), "os", strict=False
        ):
            axes.scatter(
                *points[layer].T,
                color=color,
                marker=marker,
                alpha=0.7,
                label=None if layer else sense,
            )
        axes.set_title(f"LSTM layer {layer}" if layer else "token layer")
        axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_color(_LIGHT)
    figure.legend(loc="outside lower left", ncols=2, frameon=False)
    _save(figure, path)


def _events(path):
    """Yields the events of a file, up to where a kill cut it off."""
    try:
        for record in tf.data.TFRecordDataset(path):
            yield tf.compat.v1.Event.FromString(record.numpy())
    except tf.errors.DataLossError:
        return


def _smoothed(values, half_width=7):
    """The geometric mean of each value and those around it."""
    logarithms = np.log(values)
    means = [
        logarithms[max(0, i - width) : i + width + 1].mean()
        for i in range(len(values))
        # As many on each side, so that the ends are not drawn inwards.
        for width in [min(half_width, i, len(values) - 1 - i)]
    ]
    return np.exp(means)


def _save(figure, path):
    with write_file(path) as partial:
        figure.savefig(partial, format="png", dpi=150)
