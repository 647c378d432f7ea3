"""The disk is full: one line says so, nothing half-written has a name."""

import os

import pytest

pytestmark = pytest.mark.slow

# A size at which it happens early, and one at which it happens late.
_CASES = [
    ("elmo_tf.train", 8, "model"),
    ("elmo_tf.train", 60, "model"),
    ("tasks.train", 80, "model"),
    ("elmo_tf.embed", 100, "vectors.hdf5"),
    ("tasks.predict", 4, "tagged.txt"),
    ("elmo_tf.export --format=hdf5", 24, "exported"),
    ("tasks.export --version=1", 400, "exported/1"),
]


@pytest.mark.parametrize("name, kilobytes, path", _CASES)
def test_full(made, mount, tmp_path, name, kilobytes, path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder)
    result = made.try_to_run(name, folder)
    program = made.subjects[name].module.split(".")[1]
    assert result.stderr.splitlines()[-1].startswith(
        f"{program}.py: error: [Errno 28] No space left on device: '"
    ), result.stderr
    assert f"{path}" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.returncode == 2
    for whole in made.subjects[name].wholes:
        assert not os.path.exists(folder / whole)
    # With more room the same command does it, or goes on.
    mount("-o", "remount,size=100m", folder)
    made.run(name, folder)
