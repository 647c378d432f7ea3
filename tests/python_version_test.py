"""The Pythons that TensorFlow has wheels for: one truth, and a clear word."""

import os
import pathlib
import re
import stat
import subprocess
import sys
import tomllib

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
MAKE_VENV = REPOSITORY / "tools" / "make_venv.sh"
NAMES = ("python3.11", "python3.12", "python3.13", "python3")


@pytest.fixture
def make_venv(tmp_path):
    """Runs tools/make_venv.sh with made-up Pythons on PATH."""

    def run(pythons, *arguments):
        programs = tmp_path / "bin"
        programs.mkdir()
        for name, (version, has_venv) in pythons.items():
            program = programs / name
            program.write_text(
                "#!/bin/sh\n"
                'case "$*" in\n'
                f"    *version_info*) echo {version} ;;\n"
                f"    *ensurepip*) exit {0 if has_venv else 1} ;;\n"
                f'    *) echo "{name} $*" ;;\n'
                "esac\n"
            )
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return subprocess.run(
            ["/bin/sh", MAKE_VENV, ".venv", *arguments],
            env={"PATH": str(programs)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@pytest.mark.parametrize(
    "found, chosen",
    [
        (NAMES, "python3.11"),
        (NAMES[1:], "python3.12"),
        (NAMES[2:], "python3.13"),
        (NAMES[3:], "python3"),
    ],
)
def test_the_first_suitable_python_is_taken(make_venv, found, chosen):
    versions = {name: (name[6:], True) for name in found}
    versions["python3"] = ("3.12", True)
    result = make_venv(versions)
    assert result.stdout == f"{chosen} -m venv .venv\n"
    assert result.returncode == 0


def test_the_named_python_is_taken(make_venv):
    pythons = {"python3.11": ("3.11", True), "mine": ("3.13", True)}
    assert make_venv(pythons, "mine").stdout == "mine -m venv .venv\n"


def test_a_python_that_cannot_make_environments_is_passed_over(make_venv):
    pythons = {"python3.11": ("3.11", False), "python3": ("3.13", True)}
    assert make_venv(pythons).stdout == "python3 -m venv .venv\n"


@pytest.mark.parametrize(
    "pythons, arguments, error",
    [
        (
            {"python3": ("3.14", True)},
            [],
            "TensorFlow 2.20 needs Python 3.11, 3.12 or 3.13; found none "
            "(python3 is 3.14). Install one, or name one: make "
            "PYTHON=/path/to/python3.12",
        ),
        (
            {},
            [],
            "TensorFlow 2.20 needs Python 3.11, 3.12 or 3.13; found none. "
            "Install one, or name one: make PYTHON=/path/to/python3.12",
        ),
        (
            {"python3.11": ("3.11", True)},
            ["absent"],
            "TensorFlow 2.20 needs Python 3.11, 3.12 or 3.13; found none at "
            "absent. Install one, or name one: make PYTHON=/path/to/python3.12",
        ),
        (
            {"python3": ("3.11", False)},
            [],
            "Python 3.11 cannot make virtual environments: apt-get install "
            "python3-venv (or python3.11-venv)",
        ),
    ],
)
def test_one_clear_line_when_none_will_do(make_venv, pythons, arguments, error):
    result = make_venv(pythons, *arguments)
    assert result.stderr == f"make_venv: error: {error}\n"
    assert result.stdout == ""
    assert result.returncode == 1


def test_make_gives_that_line_and_leaves_nothing(tmp_path):
    for name in ("Makefile", "requirements-lock.txt"):
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    (tmp_path / "tools").mkdir()
    copy = tmp_path / "tools" / "make_venv.sh"
    copy.write_bytes(MAKE_VENV.read_bytes())
    copy.chmod(0o755)
    result = subprocess.run(
        ["make", "-C", tmp_path, "PYTHON=/absent/python", "quickstart"],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )
    assert result.returncode == 2
    assert "found none at /absent/python" in result.stderr
    assert not (tmp_path / ".venv").exists()


def test_all_places_agree_on_the_versions():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert project["project"]["requires-python"] == ">=3.11,<3.14"
    assert "    3.11 | 3.12 | 3.13) ;;" in MAKE_VENV.read_text()
    module = (REPOSITORY / "MODULE.bazel").read_text()
    assert set(re.findall(r'python_version = "(.*)"', module)) == {"3.11"}
    assert (3, 11) <= sys.version_info[:2] < (3, 14)
