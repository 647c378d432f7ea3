"""The picture of a task's training."""

import os

from matplotlib.figure import Figure

from elmo_tf.atomic_file import write_file
from elmo_tf.quickstart_pictures import read_scalars

PICTURE_FILE_NAME = "training.png"
_BLUE = "#2a6f97"
_RED = "#c8384a"


def draw_training(model_dir, history, metric):
    """Draws the training's loss and the validations' metric.

    Args:
        model_dir: The run's folder, which holds TensorBoard's files and gets
            `training.png`.
        history: The list of validations; see `Validation`.
        metric: Name of the metric that decides.
    """
    steps, losses = read_scalars(os.path.join(model_dir, "train"), "loss")
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(steps, losses, color=_BLUE, linewidth=1)
    axes.set_xlabel("step")
    axes.set_ylabel("training loss", color=_BLUE)
    if history:
        right = axes.twinx()
        right.plot(
            [found["step"] for found in history],
            [found[metric] for found in history],
            color=_RED,
            marker="o",
            markersize=4,
        )
        right.set_ylabel(f"validation {metric}", color=_RED)
    path = os.path.join(model_dir, PICTURE_FILE_NAME)
    with write_file(path) as partial:
        figure.savefig(partial, dpi=120, format="png")
