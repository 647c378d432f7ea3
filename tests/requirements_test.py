"""The requirements files agree with each other and with the package."""

import pathlib
import re
import sys
import tomllib

import pytest

from tools import source_tree
from tools import update_build

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = sorted(
    path.name
    for path in REPOSITORY.glob("requirements*.txt")
    if not path.stem.endswith("-lock")
)
# What the packages need in part; the others begin with requirements.txt.
EMBED = "requirements-embed.txt"
# Modules that run with that.
EMBEDDING = ("embed", "embed_corpus", "serve", "tokenize_text")
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
    locked = pins(lock_of(name)).items()
    assert locked >= pins(name).items(), "run `make lock`"
    if name != EMBED:
        assert locked >= pins("requirements.txt").items(), "run `make lock`"


def test_embedding_needs_a_part_of_the_requirements():
    assert pins(EMBED).items() < pins("requirements.txt").items()


def test_what_embeds_and_serves_imports_what_embedding_needs():
    modules = source_tree.read_modules(REPOSITORY, ["elmo_tf"])
    # Several processes, which are asked for, need Ray.
    known = pins(EMBED).keys() | {"ray"}
    waiting = [f"elmo_tf.{name}" for name in EMBEDDING]
    seen = set()
    imported = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in modules:
            continue
        seen.add(name)
        # A package runs before its modules.
        waiting.append(name.rpartition(".")[0])
        for found in modules[name].imports:
            top = found.target.split(".")[0]
            waiting.append(found.target)
            if top != "elmo_tf" and top not in sys.stdlib_module_names:
                name = update_build.distribution_of(top)
                imported.add(name.replace("-", "_"))
    # `import elmo_tf` is among what they do.
    assert {"elmo_tf", "elmo_tf.embedder"} < seen
    assert imported - {"ray"} <= known
    assert known - imported <= {"ray"}


def test_embedding_does_without_what_training_needs():
    """What `import tensorflow` brings along where it is installed."""
    locked = pins(lock_of(EMBED)).keys()
    assert not locked & {"matplotlib", "pandas", "scikit_learn", "scipy"}


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
