"""Finds imports that run against the architecture's arrows.

`tasks` stands on `bidaf_tf`, which stands on `elmo_tf`; the training harness
in `elmo_tf.training` knows nothing of ELMo.
"""

from tools import source_tree

# What each package may import of the others.
_BELOW = {
    "elmo_tf": (),
    "bidaf_tf": ("elmo_tf",),
    "tasks": ("bidaf_tf", "elmo_tf"),
}
_HARNESS = "elmo_tf.training"
_HARNESS_MAY_IMPORT = (
    _HARNESS,
    "elmo_tf.atomic_file",
    "elmo_tf.command_line",
    "elmo_tf.errors",
)


def find_violations(root):
    """Checks every import of the three packages.

    Args:
        root: The checkout's root folder.

    Returns:
        One line `FILE:LINE: what is wrong` for each import that

        *   runs up the arrow between the packages, or takes something of the
            tests or the tools;
        *   stands inside a function and imports a module of this project;
        *   brings anything of `elmo_tf` but `atomic_file`, `command_line` and
            `errors` into `elmo_tf.training`;
        *   reaches for a module or a name that begins with an underscore and
            belongs to another package or module;

        and one line for each cycle of imports; the list is empty if all is
        well.
    """
    modules = source_tree.read_modules(root, source_tree.PACKAGES)
    violations = []
    for module in modules.values():
        for found in module.imports:
            if found.target.split(".")[0] in source_tree.FOLDERS:
                violations.extend(
                    f"{module.path}:{found.line}: {word}"
                    for word in _judge(module, found)
                )
    return violations + _find_cycles(modules)


def _judge(module, found):
    package = module.name.split(".")[0]
    target = found.target.split(".")[0]
    if target != package and target not in _BELOW[package]:
        yield f"{package} must not import {found.target}"
    if found.in_function:
        yield f"{found.target} is imported inside a function"
    if _is_within(module.name, _HARNESS) and target == "elmo_tf":
        if not any(_is_within(found.target, ok) for ok in _HARNESS_MAY_IMPORT):
            yield f"{_HARNESS} must not import {found.target}"
    private = _private_owner(found)
    if private is not None and not _is_within(module.name, private[0]):
        yield f"{private[1]} is private to {private[0]}"


def _is_within(name, package):
    return name == package or name.startswith(package + ".")


def _private_owner(found):
    """Returns (owner, private name), or None if nothing private is taken."""
    parts = found.target.split(".")
    for i, part in enumerate(parts):
        if part.startswith("_"):
            return ".".join(parts[:i]), ".".join(parts[: i + 1])
    if found.name is not None and found.name.startswith("_"):
        return found.target, f"{found.target}.{found.name}"
    return None


def _find_cycles(modules):
    """Depth-first search; one line for each import that closes a cycle."""
    cycles = []
    done = set()

    def visit(name, trail):
        if name in trail:
            cycle = [*trail[trail.index(name) :], name]
            cycles.append("import cycle: " + " -> ".join(cycle))
            return
        if name in done or name not in modules:
            return
        for target in sorted({f.target for f in modules[name].imports}):
            visit(target, [*trail, name])
        done.add(name)

    for name in modules:
        visit(name, [])
    return cycles
