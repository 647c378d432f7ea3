"""Reads what the modules of a checkout import, without importing them."""

import ast
import dataclasses
import os
import pathlib

PACKAGES = ("elmo_tf", "bidaf_tf", "tasks")
FOLDERS = (*PACKAGES, "benchmarks", "examples", "tests", "tools")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IMPORTING_FUNCTIONS = ("__import__", "import_module", "importorskip")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass(frozen=True)
class Import:
    """One name that a module imports.

    Attributes:
        target: The full dotted name of the imported module.
        name: What is taken from the module (`from target import name`), or
            None where the module itself is imported.
        line: The line of the import statement.
        in_function: Whether the statement stands inside a function.
    """

    target: str
    name: str | None
    line: int
    in_function: bool


@dataclasses.dataclass(frozen=True)
class Module:
    """What the other tools need to know of one source file.

    Attributes:
        name: The dotted name; a package is known by its folder's name.
        path: The path from the checkout's root, with forward slashes.
        imports: What the file imports, in the order written.
        strings: Its string constants other than docstrings.
        is_package: Whether the file is an `__init__.py`.
        is_binary: Whether it runs something as `python -m NAME`.
    """

    name: str
    path: str
    imports: tuple[Import, ...]
    strings: tuple[str, ...]
    is_package: bool
    is_binary: bool


def list_files(root, folders=FOLDERS):
    """Lists the files of a checkout's folders.

    Args:
        root: The checkout's root folder.
        folders: The folders in it to look at; one that is absent has no files.

    Returns:
        A sorted list of paths from the root, with forward slashes. What Python
        and editors leave behind (`__pycache__`, hidden files) is left out, and
        so are virtual environments.
    """
    root = pathlib.Path(root)
    files = []
    for folder in folders:
        for parent, children, names in os.walk(root / folder):
            children[:] = [
                child
                for child in children
                if child != "__pycache__"
                and not child.startswith(".")
                and not os.path.exists(f"{parent}/{child}/pyvenv.cfg")
            ]
            files.extend(
                (pathlib.Path(parent) / name).relative_to(root).as_posix()
                for name in names
                if not name.startswith(".") and not name.endswith("~")
            )
    return sorted(files)


def read_modules(root, folders=FOLDERS):
    """Parses every Python file of a checkout's folders.

    Args:
        root: The checkout's root folder.
        folders: The folders in it to look at.

    Returns:
        A dict from dotted name to `Module`, sorted by path.

    Raises:
        SyntaxError: A file is not Python; the error names it.
    """
    paths = {
        module_name(path): path
        for path in list_files(root, folders)
        if path.endswith(".py")
    }
    return {
        name: _read_module(pathlib.Path(root), name, path, paths)
        for name, path in paths.items()
    }


def module_name(path):
    """Turns `elmo_tf/text/__init__.py` into `elmo_tf.text`."""
    name = path.removesuffix(".py").removesuffix("/__init__")
    return name.replace("/", ".")


def is_module(name, known):
    """Tells whether a dotted name is one of, or a package of, those known."""
    # A folder without __init__.py is a package too.
    return name in known or any(other.startswith(name + ".") for other in known)


def _read_module(root, name, path, known):
    tree = ast.parse((root / path).read_bytes(), filename=path)
    is_package = path.endswith("/__init__.py")
    package = name if is_package else name.rpartition(".")[0]
    imports = sorted(
        _imports(tree, package, known, in_function=False),
        key=lambda found: found.line,
    )
    return Module(
        name=name,
        path=path,
        imports=tuple(imports),
        strings=tuple(_strings(tree)),
        is_package=is_package,
        is_binary=any(_is_main_guard(statement) for statement in tree.body),
    )


def _imports(node, package, known, in_function):
    for child in ast.iter_child_nodes(node):
        for target, name in _imported(child, package, known):
            yield Import(target, name, child.lineno, in_function)
        inside = in_function or isinstance(child, _FUNCTIONS)
        yield from _imports(child, package, known, inside)


def _imported(node, package, known):
    """Yields (module, name taken from it or None) for one syntax node."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, None
    elif isinstance(node, ast.ImportFrom):
        source = _absolute(node.module or "", node.level, package)
        for alias in node.names:
            submodule = f"{source}.{alias.name}"
            if is_module(submodule, known):
                yield submodule, None
            else:
                yield source, alias.name
    elif isinstance(node, ast.Call):
        function = node.func
        called = getattr(function, "attr", getattr(function, "id", None))
        if called in _IMPORTING_FUNCTIONS and node.args:
            argument = node.args[0]
            if isinstance(argument, ast.Constant):
                yield str(argument.value), None


def _absolute(module, level, package):
    if level == 0:
        return module
    parts = package.split(".")
    parts = parts[: len(parts) - level + 1]
    return ".".join([*parts, module] if module else parts)


def _strings(tree):
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                docstrings.add(id(first.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings:
                yield node.value


def _is_main_guard(statement):
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and isinstance(statement.test.left, ast.Name)
        and statement.test.left.id == "__name__"
    )
