"""The losses of several implementations in pre-training, step by step."""

import itertools

import numpy as np
from matplotlib.figure import Figure

from elmo_tf.atomic_file import write_file
from tasks.markdown_table import markdown_table

# Steps that one implementation does before it is the next one's turn.
_TURN = 10
# Steps of a running mean: a step's loss depends on which words it drew.
_SMOOTHING = 25


def run(setting, steps):
    """Trains all implementations from the same weights on the same windows.

    Args:
        setting: A `TrainingSetting`.
        steps: How many steps.

    Returns:
        A dictionary for the JSON: all losses, and for each two implementations
        the largest difference of their smoothed losses.
    """
    losses = {name: [] for name in setting.names}
    with setting.workers() as workers:
        while (done := len(losses[setting.names[0]])) < steps:
            for name, worker in workers.items():
                answer = worker.request("train", steps=min(_TURN, steps - done))
                losses[name] += answer["losses"]
            setting.say(f"{min(done + _TURN, steps)} of {steps} steps done")
    smooth = {name: smoothed(values) for name, values in losses.items()}
    differences = {
        f"{left} and {right}": np.abs(smooth[left] - smooth[right])
        for left, right in itertools.combinations(setting.names, 2)
    }
    return {
        "steps": steps,
        "batch_size": setting.batch_size,
        "smoothing_steps": min(_SMOOTHING, steps),
        "largest_smoothed_difference": {
            pair: float(values.max()) for pair, values in differences.items()
        },
        # The losses fall steeply at first.
        "largest_smoothed_difference_of_second_half": {
            pair: float(values[len(values) // 2 :].max())
            for pair, values in differences.items()
        },
        "last_smoothed_loss": {
            name: float(values[-1]) for name, values in smooth.items()
        },
        "losses": losses,
    }


def table(result):
    """Makes the table of what `run` returned: text."""
    losses = result["losses"]
    steps = result["steps"]
    shown = sorted(
        {1, *(round(steps * part) for part in (0.1, 0.25, 0.5, 0.75, 1))} - {0}
    )
    smooth = {name: smoothed(values) for name, values in losses.items()}
    rows = []
    for step in shown:
        # The mean of the last steps up to this one; of the first, its own.
        end = max(0, step - result["smoothing_steps"])
        rows.append(
            [
                f"{step:,}",
                *(
                    f"{losses[name][0] if step == 1 else smooth[name][end]:.3f}"
                    for name in losses
                ),
            ]
        )
    text = markdown_table(["loss up to step", *losses], rows)
    second_half = result["largest_smoothed_difference_of_second_half"]
    differences = [
        [pair, f"{value:.4f}", f"{second_half[pair]:.4f}"]
        for pair, value in result["largest_smoothed_difference"].items()
    ]
    return f"{text}\n\n" + markdown_table(
        [
            "largest difference of the mean over "
            f"{result['smoothing_steps']} steps",
            "nats",
            "second half",
        ],
        differences,
    )


def draw(path, result):
    """Draws the smoothed losses over each other.

    Args:
        path: The PNG file to write.
        result: What `run` returned.
    """
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for (name, losses), (color, style) in zip(
        result["losses"].items(),
        itertools.cycle(
            [("#2a6f97", "-"), ("#c8384a", "--"), ("#404040", ":")]
        ),
    ):
        values = smoothed(losses)
        steps = np.arange(len(losses) - len(values) + 1, len(losses) + 1)
        axes.plot(steps, values, style, color=color, linewidth=1.8, label=name)
    axes.set_xlabel("Step")
    axes.set_ylabel("Loss of the sampled softmax in nats a token")
    axes.set_title(
        f"Mean over {result['smoothing_steps']} steps, rows of a batch: "
        f"{result['batch_size']}",
        loc="left",
        fontsize=10,
    )
    axes.grid(color="#e5e7eb")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with write_file(path) as partial:
        figure.savefig(partial, dpi=150, format="png")


def smoothed(losses):
    """The running mean, of as many steps fewer as it covers less one."""
    width = min(_SMOOTHING, len(losses))
    return np.convolve(losses, np.full(width, 1 / width), mode="valid")
