"""How a pre-training went, out of the files that it wrote for TensorBoard."""

import glob
import os

import numpy as np
import tensorflow as tf

# A gap so many times the usual one is an interruption.
_PAUSE = 10


def training_hours(model_dir):
    """Adds up the time that a pre-training took, without interruptions.

    Args:
        model_dir: The pre-training's folder.

    Returns:
        A tuple of the steps at which summaries were written and the hours up to
        there, float arrays `[points]`; empty if there are none. Of a step that
        an interrupted run took twice the later time counts.
    """
    moments = sorted(
        {
            (event.wall_time, event.step)
            for path in glob.glob(
                os.path.join(model_dir, "train", "events.out.*")
            )
            for event in _events(path)
            if any(value.tag == "loss" for value in event.summary.value)
        }
    )
    if not moments:
        return np.zeros(0), np.zeros(0)
    times, steps = np.array(moments).T
    gaps = np.diff(times)
    if len(gaps):
        gaps[gaps > _PAUSE * np.median(gaps)] = np.median(gaps)
    # Up to the first summary the run took as long a step as up to the second.
    first = gaps[0] * steps[0] / (steps[1] - steps[0]) if len(gaps) else 0.0
    seconds = first + np.concatenate([[0], np.cumsum(gaps)])
    by_step = dict(zip(steps, seconds / 3600, strict=True))
    steps = sorted(by_step)
    return np.array(steps), np.array([by_step[step] for step in steps])


def _events(path):
    """Yields the events of a file, up to where a kill cut it off."""
    try:
        for record in tf.data.TFRecordDataset(path):
            yield tf.compat.v1.Event.FromString(record.numpy())
    except tf.errors.DataLossError:
        return
