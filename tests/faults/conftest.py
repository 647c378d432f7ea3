"""What the binaries make, each once, for tests that spoil copies of it."""

import contextlib
import os
import shutil
import subprocess

import pytest

from tests import binaries
from tests.faults.subjects import BILM
from tests.faults.subjects import Subjects
from tests.faults.subjects import place_of


class Made:
    """Runs of the binaries in a folder.

    Args:
        folder: A `pathlib.Path`.

    Attributes:
        subjects: The `Subject`s by name.
    """

    def __init__(self, folder):
        self._folder = folder
        subjects = Subjects(folder / "work")
        self.subjects = {
            subject.name: subject
            for of_binary in subjects.by_binary.values()
            for subject in of_binary
        }
        self._done = {}

    @property
    def sentences(self):
        """A text."""
        return self._folder / "work" / "sentences.txt"

    @property
    def test(self):
        """The tagger's test data."""
        return self._folder / "work" / "ner" / "test.txt"

    def result(self, name):
        """The folder in which a binary has done its work; see `copy`."""
        if name not in self._done:
            place = self._folder / "work" / place_of(name) / "run"
            place.mkdir(parents=True)
            self.run(name, place)
            self._done[name] = place
        return self._done[name]

    def copy(self, name, folder):
        """Copies what a binary has made into a new folder."""
        return shutil.copytree(self.result(name), folder)

    def run(self, name, folder):
        """Runs a binary in a folder; it must succeed."""
        result = self.try_to_run(name, folder)
        assert result.returncode == 0, result.stderr

    def try_to_run(self, name, folder):
        """Runs a binary in a folder; returns the `Result`."""
        subject = self.subjects[name]
        for needed in subject.needs:
            if needed == BILM:
                self._make_bilm()
            else:
                self.result(needed)
        with contextlib.chdir(folder):
            return binaries.run(subject.module, *subject.arguments)

    def _make_bilm(self):
        path = self._folder / "work" / "bilm"
        if not path.exists():
            result = binaries.run("tests.faults.make_bilm", path)
            assert result.returncode == 0, result.stderr


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The `Made`."""
    return Made(tmp_path_factory.mktemp("made"))


@pytest.fixture
def mount(tmp_path):
    """Mounts: `mount(options…)` as the command has it; skips if it may not."""
    points = []

    def call(*arguments):
        done = subprocess.run(
            ["mount", *map(str, arguments)], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"cannot mount here: {done.stderr.strip()}")
        if arguments[-1] not in points:
            points.append(arguments[-1])

    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("mounting needs root")
    yield call
    for point in reversed(points):
        subprocess.run(["umount", "--lazy", point], check=True)
