"""The requirements files agree with each other and with the package."""

import pathlib
import re
import tomllib

import pytest

from tools import update_build

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = sorted(
    path.name
    for path in REPOSITORY.glob("requirements*.txt")
    if not path.stem.endswith("-lock")
)
# Where it is for some platforms only, these stand behind it.
_PIN = r"[\w.-]+(\[[\w,-]+\])?==[\w.]+(; [\w\" =]+)?"


def pins(name):
    return update_build.requirements(REPOSITORY / name)


def lock_of(name):
    return name.replace(".txt", "-lock.txt")


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_is_pinned(name):
    lines = (REPOSITORY / name).read_text().splitlines()
    required = [line for line in lines if line and line[0] not in "#-"]
    assert required
    for line in required:
        assert re.fullmatch(_PIN, line), line


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_the_lock_has_every_requirement_at_its_version(name):
    assert (
        pins("requirements.txt").items()
        <= pins(lock_of(name)).items()
        >= pins(name).items()
    ), "run `make lock`"


def test_the_lock_has_what_the_requirements_need_in_turn():
    # Among them are a requirement of a requirement and one that only some
    # platforms have.
    assert {"protobuf", "pluggy", "colorama"} <= pins(
        "requirements-dev-lock.txt"
    ).keys()


def test_the_locks_agree():
    versions = {}
    for name in REQUIREMENTS:
        for distribution, version in pins(lock_of(name)).items():
            versions.setdefault(distribution, set()).add(version)
    assert [found for found in versions.items() if len(found[1]) > 1] == []


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_what_the_lock_names_has_hashes(name):
    """`pip install --require-hashes` takes nothing without."""
    lock = (REPOSITORY / lock_of(name)).read_text()
    distributions = re.split(r"^(?=[\w.-]+==)", lock, flags=re.MULTILINE)[1:]
    assert len(distributions) >= len(pins(lock_of(name))) > 0
    for text in distributions:
        assert re.search(
            r"^    --hash=sha256:[0-9a-f]{64}\b", text, re.MULTILINE
        ), text.split()[0]


def test_installing_the_package_installs_the_requirements():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert "dependencies" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"] == {
        "file": ["requirements.txt"]
    }


def test_the_extra_for_ray_is_what_its_file_says():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    lines = (REPOSITORY / "requirements-ray.txt").read_text().splitlines()
    assert project["project"]["optional-dependencies"] == {
        "ray": [line for line in lines if line[:1] not in ("", "#", "-")]
    }
