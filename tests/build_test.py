"""BUILD names every source, binary and test, and its writer sees mistakes."""

import ast
import pathlib
import re

import pytest

from tools import source_tree
from tools import update_build

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def write_tree(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def read_targets(text):
    """Reads BUILD text into {name: {"rule": rule, attribute: value}}."""
    targets = {}
    for rule, body in re.findall(r"^(py_\w+)\((.*?)^\)", text, re.M | re.S):
        # Each attribute is a string or a list of strings: Python's syntax too.
        call = ast.parse(f"dict({body})", mode="eval").body
        attributes = {
            keyword.arg: ast.literal_eval(keyword.value)
            for keyword in call.keywords
        }
        name = attributes.pop("name")
        targets[name] = {"rule": rule, **attributes}
    return targets


@pytest.fixture(scope="module")
def targets():
    return read_targets((REPOSITORY / "BUILD").read_text())


def sources(targets):
    return [
        source
        for name, target in targets.items()
        for source in target.get("srcs", [])
        if not (target["rule"] == "py_test" and source == target["main"])
    ]


def test_build_is_up_to_date():
    assert (REPOSITORY / "BUILD").read_text() == update_build.render(
        REPOSITORY
    ), "run `python -m tools.update_build`"


def test_every_source_file_is_named_once_and_none_is_stale(targets):
    files = [
        path.relative_to(REPOSITORY).as_posix()
        for folder in source_tree.FOLDERS
        for path in (REPOSITORY / folder).rglob("*.py")
        # What benchmarks/peers.sh has made is no source.
        if "environments" not in path.parts
    ]
    assert sorted(sources(targets)) == sorted(files)


def test_every_package_binary_and_test_has_its_rule(targets):
    for module in source_tree.read_modules(REPOSITORY).values():
        if module.is_package:
            name, rule = module.path.removesuffix("/__init__.py"), "py_library"
        else:
            name, rule = module.path.removesuffix(".py"), "py_library"
            if name.startswith("tests/") and name.endswith("_test"):
                rule = "py_test"
            elif module.is_binary:
                rule = "py_binary"
        assert targets[name]["rule"] == rule, name


def test_every_test_runs_pytest_on_its_own_file(targets):
    for name, target in targets.items():
        if target["rule"] == "py_test":
            assert target["args"] == [f"{name}.py"]
            assert target["main"] == "tests/bazel/pytest_main.py"
            assert target["main"] in target["srcs"]


def test_the_rules_come_from_rules_python():
    text = (REPOSITORY / "BUILD").read_text()
    assert (
        'load("@rules_python//python:defs.bzl", "py_binary", "py_library", '
        '"py_test")' in text
    )


SMALL_TREE = {
    "requirements.txt": "absl-py==1\nkeras==3\ntensorflow==2\n",
    "requirements-dev.txt": "-r requirements.txt\npytest==9\n",
    "elmo_tf/__init__.py": "from elmo_tf.layers.sum import Sum\n",
    "elmo_tf/errors.py": "import os\n",
    "elmo_tf/layers/sum.py": "import keras\nfrom elmo_tf import errors\n",
    # Names its own folder, on which it cannot depend.
    "elmo_tf/pretrained/__init__.py": "NAME = 'pretrained'\n",
    "elmo_tf/pretrained/options.json": "{}",
    "elmo_tf/train.py": (
        "from absl import app\n"
        "PRETRAINED = 'elmo_tf.pretrained'\n"
        "if __name__ == '__main__':\n    app.run(print)\n"
    ),
    "tests/conftest.py": "",
    "tests/elmo_tf/train_test.py": (
        "import pytest\nfrom elmo_tf.errors import x\n"
        "@pytest.mark.slow\ndef test():\n    run('-m', 'elmo_tf.train')\n"
    ),
    "tests/checkout_test.py": '"""Of elmo_tf.train it says nothing."""\n',
}


@pytest.fixture
def small_tree(tmp_path):
    write_tree(tmp_path, SMALL_TREE)
    return tmp_path


def test_the_targets_of_a_small_tree(small_tree):
    targets = read_targets(update_build.render(small_tree))
    assert targets == {
        "elmo_tf": {
            "rule": "py_library",
            "srcs": ["elmo_tf/__init__.py"],
            "deps": [
                ":elmo_tf/errors",
                ":elmo_tf/layers",
                ":elmo_tf/layers/sum",
                ":elmo_tf/pretrained",
            ],
        },
        "elmo_tf/errors": {
            "rule": "py_library",
            "srcs": ["elmo_tf/errors.py"],
        },
        "elmo_tf/layers": {
            "rule": "py_library",
            "deps": [":elmo_tf/layers/sum"],
        },
        "elmo_tf/layers/sum": {
            "rule": "py_library",
            "srcs": ["elmo_tf/layers/sum.py"],
            "deps": [":elmo_tf/errors", "@pypi//keras", "@pypi//tensorflow"],
        },
        "elmo_tf/pretrained": {
            "rule": "py_library",
            "srcs": ["elmo_tf/pretrained/__init__.py"],
            "data": ["elmo_tf/pretrained/options.json"],
        },
        "elmo_tf/train": {
            "rule": "py_binary",
            "srcs": ["elmo_tf/train.py"],
            "deps": [":elmo_tf/pretrained", "@pypi//absl_py"],
        },
        "tests": {
            "rule": "py_library",
            "deps": [":tests/conftest", ":tests/elmo_tf"],
        },
        "tests/checkout_test": {
            "rule": "py_test",
            "size": "medium",
            "srcs": ["tests/bazel/pytest_main.py", "tests/checkout_test.py"],
            "args": ["tests/checkout_test.py"],
            "data": [":checkout"],
            "main": "tests/bazel/pytest_main.py",
            "deps": [":tests/conftest", "@pypi//pytest"],
        },
        "tests/conftest": {
            "rule": "py_library",
            "srcs": ["tests/conftest.py"],
        },
        "tests/elmo_tf": {"rule": "py_library"},
        "tests/elmo_tf/train_test": {
            "rule": "py_test",
            "size": "large",
            "srcs": [
                "tests/bazel/pytest_main.py",
                "tests/elmo_tf/train_test.py",
            ],
            "args": ["tests/elmo_tf/train_test.py"],
            "data": ["pyproject.toml"],
            "main": "tests/bazel/pytest_main.py",
            "tags": ["slow"],
            "deps": [
                ":elmo_tf/errors",
                ":elmo_tf/train",
                ":tests/conftest",
                "@pypi//pytest",
            ],
        },
    }


def test_a_test_that_puts_names_together_depends_on_all_binaries(small_tree):
    write_tree(
        small_tree,
        {"tests/elmo_tf/train_test.py": "run('-m', f'elmo_tf.{name}')\n"},
    )
    targets = read_targets(update_build.render(small_tree))
    assert ":elmo_tf/train" in targets["tests/elmo_tf/train_test"]["deps"]


@pytest.mark.parametrize("change", ["added", "removed", "new import", "absent"])
def test_check_sees_each_change(small_tree, capsys, change):
    arguments = [f"--root={small_tree}"]
    assert update_build.main(arguments) == 0
    assert update_build.main([*arguments, "--check"]) == 0
    if change == "added":
        write_tree(small_tree, {"tasks/squad/data.py": ""})
    elif change == "removed":
        (small_tree / "tests/checkout_test.py").unlink()
    elif change == "new import":
        write_tree(small_tree, {"elmo_tf/errors.py": "import keras\n"})
    else:
        (small_tree / "BUILD").unlink()
    assert update_build.main([*arguments, "--check"]) == 1
    assert capsys.readouterr().err == (
        "update_build: error: BUILD does not fit the source files; run "
        "`python -m tools.update_build`\n"
    )


def test_what_only_some_need_comes_with_its_extras(small_tree):
    write_tree(
        small_tree,
        {
            "elmo_tf/errors.py": "import ray\n",
            "requirements-ray.txt": "ray[data]==2\n",
            "requirements-dev-lock.txt": (
                REPOSITORY / "requirements-dev-lock.txt"
            ).read_text(),
        },
    )
    targets = read_targets(update_build.render(small_tree))
    deps = targets["elmo_tf/errors"]["deps"]
    assert {"@pypi//ray", "@pypi//pyarrow"} <= set(deps)


@pytest.mark.parametrize(
    "path, text, error",
    [
        (
            "elmo_tf/errors.py",
            "\nimport yaml\n",
            "elmo_tf/errors.py:2: yaml is imported, but pyyaml is not in "
            "requirements.txt or requirements-ray.txt",
        ),
        (
            "elmo_tf/errors.py",
            "import pytest\n",
            "elmo_tf/errors.py:1: pytest is imported, but pytest is not in "
            "requirements.txt or requirements-ray.txt",
        ),
        (
            "tests/checkout_test.py",
            "import bazel\n",
            "tests/checkout_test.py:1: bazel is imported, but bazel is not in "
            "requirements.txt or requirements-ray.txt or requirements-dev.txt",
        ),
        (
            "elmo_tf/train.py",
            "from elmo_tf.text.corpus import read\n",
            "elmo_tf/train.py:1: there is no module elmo_tf.text.corpus",
        ),
        (
            "elmo_tf/train.py",
            "import elmo_tf.text\n",
            "elmo_tf/train.py:1: there is no module elmo_tf.text",
        ),
    ],
)
def test_an_import_from_nowhere_is_an_error(
    small_tree, capsys, path, text, error
):
    write_tree(small_tree, {path: text})
    assert update_build.main([f"--root={small_tree}"]) == 1
    assert capsys.readouterr().err == f"update_build: error: {error}\n"
    assert not (small_tree / "BUILD").exists()
