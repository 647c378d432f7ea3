"""The Dockerfile copies what is there, for a Python that the packages take."""

import pathlib
import re
import tomllib

import pytest

from tools import source_tree

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def dockerfile():
    return (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


def copied(dockerfile):
    found = []
    for line in re.findall(r"^COPY (.+)$", dockerfile, re.MULTILINE):
        *sources, _ = line.split()
        found += sources
    return set(found)


def test_what_is_copied_is_there_and_enough(dockerfile, project):
    sources = copied(dockerfile)
    assert all((REPOSITORY / source).exists() for source in sources)
    assert sources >= {
        *source_tree.PACKAGES,
        *("pyproject.toml", "requirements.txt", project["readme"]),
        *project["license-files"],
    }


def test_docker_is_given_just_that(dockerfile):
    path = REPOSITORY / ".dockerignore"
    if not path.exists():
        pytest.skip("no .dockerignore here")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in lines if line.startswith("!")} == copied(
        dockerfile
    )


def test_the_version_of_python(dockerfile, project):
    (minor,) = re.findall(r"^FROM python:3\.(\d+)", dockerfile, re.MULTILINE)
    least, beyond = re.findall(r"3\.(\d+)", project["requires-python"])
    assert int(least) <= int(minor) < int(beyond)


def test_cuda_comes_with_hashes(dockerfile):
    assert (
        "pip install --no-cache-dir --require-hashes \\\n"
        "        --requirement requirements-gpu-lock.txt" in dockerfile
    )
    lock = (REPOSITORY / "requirements-gpu-lock.txt").read_text()
    assert re.search(r"^nvidia-cudnn-cu12==", lock, re.MULTILINE)
