"""The wheel has the three packages whole, and nothing else."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

from tools import source_tree
from tools import update_build

# The first that knows the licence field of pyproject.toml.
pytest.importorskip("setuptools", minversion="77.0.3")

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The opened wheel, built from a copy: building writes into its source."""
    copy = tmp_path_factory.mktemp("checkout")
    for path in source_tree.list_files(REPOSITORY):
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / path, target)
    for name in ("LICENSE", "README.md", "pyproject.toml", "requirements.txt"):
        shutil.copy2(REPOSITORY / name, copy)
    output = tmp_path_factory.mktemp("dist")
    build = (
        "import sys; from setuptools import build_meta; "
        "build_meta.build_wheel(sys.argv[1])"
    )
    subprocess.run(
        [sys.executable, "-c", build, output],
        cwd=copy,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    with zipfile.ZipFile(next(output.glob("*.whl"))) as opened:
        yield opened


def test_the_packages_are_whole_and_alone(wheel):
    files = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert files == set(
        source_tree.list_files(REPOSITORY, source_tree.PACKAGES)
    )


@pytest.mark.slow
def test_the_pretrained_bilm_works_after_installation(wheel, tmp_path):
    """From a folder that cannot be written, in two processes at once."""
    site = tmp_path / "site-packages"
    wheel.extractall(site)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in (site, elsewhere):
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
    program = (
        "import elmo_tf; print(elmo_tf.Elmo('mini')"
        ".embed([['The', 'bank', '.']])[0].shape, elmo_tf.__file__)"
    )
    processes = [
        subprocess.Popen(
            # -P: not from the checkout; -B: no bytecode is tried to be written.
            [sys.executable, "-P", "-B", "-c", program],
            cwd=elsewhere,
            env={**os.environ, "PYTHONPATH": str(site)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        stdout, stderr = process.communicate(timeout=600)
        assert process.returncode == 0, stderr
        assert stdout == f"(3, 3, 256) {site}/elmo_tf/__init__.py\n"
    assert list(elsewhere.iterdir()) == []


def test_the_licence_and_the_requirements_come_along(wheel):
    folder = next(n for n in wheel.namelist() if n.endswith("/METADATA"))
    metadata = wheel.read(folder).decode()
    assert "License-Expression: Apache-2.0\n" in metadata
    assert "Requires-Python: <3.14,>=3.11\n" in metadata
    for name, version in update_build.requirements(
        REPOSITORY / "requirements.txt"
    ).items():
        line = f"requires-dist: {name.replace('_', '-')}=={version}\n"
        assert line in metadata.lower()
    assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())
