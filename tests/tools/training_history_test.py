"""The time a training took, out of event files made by hand."""

import numpy as np
import pytest
import tensorflow as tf

from tools.training_history import training_hours


def write_events(folder, moments):
    """Writes an event file of (seconds, step)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"events.out.{len(list(folder.iterdir()))}"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for seconds, step in moments:
            event = tf.compat.v1.Event(wall_time=seconds, step=step)
            event.summary.value.add(tag="loss", simple_value=1.0)
            writer.write(event.SerializeToString())
            other = tf.compat.v1.Event(wall_time=seconds + 1, step=step)
            other.summary.value.add(tag="other", simple_value=1.0)
            writer.write(other.SerializeToString())


def test_interrupted(tmp_path):
    """An hour a hundred steps; a day between the two starts."""
    write_events(
        tmp_path / "train",
        [(3600 * (10 + i), 100 * i) for i in range(1, 5)],
    )
    day = 24 * 3600
    # Step 400 once more.
    write_events(
        tmp_path / "train",
        [(day + 3600 * (10 + i), 100 * i) for i in range(4, 7)],
    )
    steps, hours = training_hours(tmp_path)
    assert steps.tolist() == [100, 200, 300, 400, 500, 600]
    np.testing.assert_allclose(hours, [1, 2, 3, 5, 6, 7])


def test_one_summary(tmp_path):
    write_events(tmp_path / "train", [(7200, 100)])
    steps, hours = training_hours(tmp_path)
    assert steps.tolist() == [100] and hours.tolist() == [0]


@pytest.mark.parametrize("make", [False, True])
def test_none(tmp_path, make):
    if make:
        write_events(tmp_path / "train", [])
    steps, hours = training_hours(tmp_path)
    assert len(steps) == len(hours) == 0
