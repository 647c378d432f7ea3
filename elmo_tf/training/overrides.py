"""Changes a configuration by file or by command line, strictly."""

import difflib
import json
import os

import pydantic
import yaml

from elmo_tf.errors import InputError
from elmo_tf.errors import describe_validation_error

# What PyYAML raises besides, of dates, numbers and truth values that are none,
# and where lists stand too deep in lists.
_YAML_ERRORS = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class _Loader(yaml.SafeLoader):
    """PyYAML's, without aliases: a few of them stand for any amount."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.composer.ComposerError(
                None,
                None,
                f"found the alias *{event.anchor}, which is not allowed here",
                event.start_mark,
            )
        return super().compose_node(parent, index)


def to_dict(config):
    """Turns a configuration of nested dataclasses into nested dictionaries.

    Args:
        config: A pydantic dataclass.

    Returns:
        A dictionary of plain Python values, lists for tuples.
    """
    return json.loads(pydantic.TypeAdapter(type(config)).dump_json(config))


def to_yaml(config):
    """Returns the configuration as YAML text, in the order of its fields."""
    return yaml.safe_dump(to_dict(config), sort_keys=False)


def override(config, changes, source):
    """Returns the configuration with some values changed.

    Args:
        config: A pydantic dataclass, nested.
        changes: A nested dictionary, or one with dotted keys, of the values to
            change.
        source: What to call the changes in error messages.

    Returns:
        A configuration of the same class.

    Raises:
        InputError: An option does not exist, or a value is of the wrong kind.
    """
    values = to_dict(config)
    _merge(values, _nested(changes, source), source, prefix="")
    try:
        return pydantic.TypeAdapter(type(config)).validate_python(values)
    except pydantic.ValidationError as error:
        raise InputError(
            f"{source}: {describe_validation_error(error)}"
        ) from None


def read_overrides(text, source):
    """Reads the value of `--params_override` or of `--config_file`.

    Args:
        text: YAML or JSON text, a file that holds it, or options in the form
            `a.b=1,c.d=[2,3]`.
        source: What to call it in error messages.

    Returns:
        A dictionary, nested or with dotted keys.

    Raises:
        InputError: It is none of the above.
    """
    if os.path.isfile(text):
        source = f"{source}: {text}"
        try:
            with open(text, encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            raise InputError(f"{source}: not UTF-8 text") from None
    elif "=" in text.split(":")[0]:
        return _read_assignments(text, source)
    try:
        changes = _load(text)
    except _YAML_ERRORS as error:
        message = " ".join(str(error).split())
        raise InputError(f"{source}: not YAML or JSON: {message}") from None
    if changes is None:
        return {}
    if not isinstance(changes, dict):
        raise InputError(
            f"{source}: expected a file, a YAML or JSON mapping or "
            f"a.b=1,c.d=2, found {text!r}"
        )
    return changes


def _load(text):
    return yaml.load(text, _Loader)  # noqa: S506 (a SafeLoader)


def _read_assignments(text, source):
    changes = {}
    for assignment in _split_outside_brackets(text):
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise InputError(
                f"{source}: expected option=value, found {assignment!r}"
            )
        try:
            changes[key.strip()] = _load(value)
        except _YAML_ERRORS:
            # Plain text such as the glob *.txt, which YAML has other uses for.
            changes[key.strip()] = value.strip()
    return changes


def _split_outside_brackets(text):
    """Splits at commas that stand in no bracket and no quotes.

    A part without `=` belongs to the value before it, so that a list of globs
    needs no quotes.
    """
    parts = [""]
    depth = 0
    quote = None
    for character in text:
        if quote:
            quote = None if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        if character == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    joined = []
    for part in parts:
        if "=" in part or not joined:
            joined.append(part)
        elif part.strip():
            joined[-1] += "," + part
    return [part for part in joined if part.strip()]


def _nested(changes, source):
    """Turns dotted keys into nested dictionaries."""
    nested = {}
    for key, value in changes.items():
        if isinstance(value, dict):
            value = _nested(value, source)
        *parents, last = str(key).split(".")
        level = nested
        for parent in parents:
            level = level.setdefault(parent, {})
            if not isinstance(level, dict):
                raise InputError(
                    f"{source}: {key} and {parent} cannot both be set"
                )
        if isinstance(value, dict) and isinstance(level.get(last), dict):
            level[last].update(value)
        else:
            level[last] = value
    return nested


def _merge(values, changes, source, prefix):
    for key, value in changes.items():
        name = f"{prefix}{key}"
        if key not in values:
            close = difflib.get_close_matches(key, values, n=1)
            hint = (
                f"did you mean {prefix}{close[0]}?"
                if close
                else f"expected one of {', '.join(sorted(values))}"
            )
            # A key may be any text.
            name = " ".join(name.split())
            raise InputError(f"{source}: unknown option {name}; {hint}")
        if isinstance(value, dict) and isinstance(values[key], dict):
            _merge(values[key], value, source, prefix=f"{name}.")
        else:
            values[key] = value
