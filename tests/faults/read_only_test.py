"""The folder is read-only: one line says so, and nothing was changed."""

import os

import pytest

from tests import binaries

pytestmark = pytest.mark.slow


def check(result, program, path):
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        f"{program}.py: error: [Errno 30] Read-only file system: '"
    )
    assert path in line
    assert result.returncode == 2


@pytest.mark.parametrize(
    "name, path",
    [
        ("elmo_tf.train", "model"),
        ("tasks.train", "cache"),
        ("elmo_tf.embed", "vectors.hdf5"),
        ("elmo_tf.export --format=hdf5", "exported"),
        ("tasks.export --version=1", "exported"),
    ],
)
def test_read_only(made, mount, tmp_path, name, path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("--bind", folder, folder)
    mount("-o", "remount,ro,bind", folder)
    result = made.try_to_run(name, folder)
    program = made.subjects[name].module.split(".")[1]
    check(result, program, path)
    assert os.listdir(folder) == []


def test_a_finished_run(made, mount, tmp_path):
    """It can be read, but not gone on with."""
    folder = made.copy("elmo_tf.train", tmp_path / "disk")
    mount("--bind", folder, folder)
    mount("-o", "remount,ro,bind", folder)
    check(made.try_to_run("elmo_tf.train", folder), "train", "model")
    result = binaries.run(
        "elmo_tf.export",
        *(f"--model_dir={folder}/model", f"--output={tmp_path}/exported"),
        "--format=hdf5",
    )
    assert result.returncode == 0, result.stderr
