"""The quickstart's pictures, and the curves that they are drawn from."""

import numpy as np
import pytest
import tensorflow as tf

from elmo_tf import quickstart_pictures as pictures


def write_scalars(folder, steps, values):
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step, value in zip(steps, values, strict=True):
            tf.summary.scalar("loss", value, step=step)
            tf.summary.scalar("other", -1.0, step=step)


def test_a_curve_out_of_event_files(tmp_path):
    write_scalars(tmp_path, [10, 20, 30], [3.0, 2.0, 1.0])
    steps, values = pictures.read_scalars(str(tmp_path), "loss")
    assert steps.tolist() == [10, 20, 30] and values.tolist() == [3, 2, 1]


def test_a_curve_of_an_interrupted_run(tmp_path):
    write_scalars(tmp_path, [10, 20, 30], [3.0, 2.0, 1.0])
    (first,) = tmp_path.iterdir()
    # Killed while it wrote the last event.
    first.write_bytes(first.read_bytes()[:-5])
    first.rename(tmp_path / "events.out.tfevents.1")
    write_scalars(tmp_path, [20, 40], [2.5, 0.5])
    steps, values = pictures.read_scalars(str(tmp_path), "loss")
    assert steps[0] == 10 and steps[-1] == 40
    assert dict(zip(steps, values, strict=True))[20] == 2.5


def test_start():
    steps, values = pictures.with_start((np.array([5]), np.array([2.0])), 9.0)
    assert steps.tolist() == [0, 5] and values.tolist() == [9, 2]


@pytest.mark.parametrize("n_points", [1, 300])
def test_training_curve(tmp_path, n_points):
    steps = np.arange(1, n_points + 1)
    path = tmp_path / "curve.png"
    pictures.draw_training_curve(
        str(path), (steps, 1000.0 / steps), (steps, 1100.0 / steps)
    )
    assert is_png(path)
    assert [file.name for file in tmp_path.iterdir()] == ["curve.png"]


def test_layer_similarities(tmp_path):
    path = tmp_path / "layers.png"
    pictures.draw_layer_similarities(
        str(path),
        np.ones((3, 2, 2)),
        "call",
        {"noun": ["a call"], "verb": ["I call"]},
    )
    assert is_png(path)


def test_senses(tmp_path):
    path = tmp_path / "senses.png"
    points = np.random.default_rng(0).normal(size=(3, 4, 2))
    pictures.draw_senses(
        str(path), {"flower": points, "went up": -points}, "rose"
    )
    assert is_png(path)


def is_png(path):
    return (
        path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 9e3
    )
