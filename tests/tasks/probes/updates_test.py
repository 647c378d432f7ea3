import pytest
import tensorflow as tf

from tasks.probes.updates import updates_to_reach


def write(folder, values_by_seed):
    for seed, values in values_by_seed.items():
        path = str(folder / f"seed_{seed}" / "validation")
        writer = tf.summary.create_file_writer(path)
        with writer.as_default():
            for step, value in values.items():
                tf.summary.scalar("f1", value, step=step)
        writer.close()


@pytest.mark.parametrize(
    "values, expected",
    [
        ({1: {5: 0.1, 10: 0.5, 15: 0.9}, 2: {5: 0.6, 10: 0.2}}, 7.5),
        # Its best may be the last.
        ({1: {5: 0.1, 20: 0.5}, 2: {5: 0.6}}, 12.5),
        ({1: {5: 0.9}, 2: {5: 0.1, 10: 0.59}}, None),
    ],
)
def test_updates_to_reach(tmp_path, values, expected):
    write(tmp_path / "other", {1: {5: 0.5, 10: 0.3}, 2: {5: 0.2, 10: 0.6}})
    write(tmp_path / "model", values)
    folders = tmp_path / "model", tmp_path / "other"
    assert updates_to_reach(*folders, [1, 2], "f1") == expected
    assert updates_to_reach(folders[1], folders[1], [1, 2], "f1") == 7.5
