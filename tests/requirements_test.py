"""The requirements files agree with each other and with the package."""

import pathlib
import re
import tomllib

import pytest

from tools import update_build

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def pins(name):
    return update_build.requirements(REPOSITORY / name)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned(name):
    lines = (REPOSITORY / name).read_text().splitlines()
    required = [line for line in lines if line and line[0] not in "#-"]
    assert len(pins(name)) == len(required) > 0
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in required)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_the_lock_has_every_requirement_at_its_version(name):
    assert pins(name).items() <= pins("requirements-lock.txt").items(), (
        "run `make lock`"
    )


def test_the_lock_has_what_the_requirements_need_in_turn():
    # Among them are a requirement of a requirement and one that only some
    # platforms have.
    assert {"protobuf", "pluggy", "colorama"} <= pins(
        "requirements-lock.txt"
    ).keys()


def test_installing_the_package_installs_the_requirements():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert "dependencies" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"] == {
        "file": ["requirements.txt"]
    }
