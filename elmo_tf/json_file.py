"""Files of JSON that programs write for themselves and each other."""

import json

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError


def read_json(path, description):
    """Reads a file of JSON.

    Args:
        path: The file.
        description: What the file should be, for the error, as "the results of
            a training".

    Returns:
        The object, a dictionary.

    Raises:
        InputError: The file cannot be read, or is no JSON object.
    """
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (RecursionError, ValueError) as error:
        raise unexpected(path, description, error) from None
    if not isinstance(value, dict):
        raise unexpected(path, description, "no JSON object")
    return value


def write_json(path, value, indent=2):
    """Writes a file of JSON, wholly or not at all.

    Args:
        path: The file.
        value: What to write.
        indent: By how many spaces each level is indented; None: all stands in
            one line.
    """
    with (
        write_file(path) as partial,
        # Half a surrogate pair, as in the names of files that are not UTF-8,
        # becomes what JSON calls it too.
        open(partial, "w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        json.dump(value, file, ensure_ascii=False, indent=indent)
        file.write("\n")


def unexpected(path, description, found):
    """Returns the `InputError` for a file that is something else.

    Args:
        path: The file.
        description: As for `read_json`.
        found: What is wrong, a string or an exception.
    """
    return InputError(f"{path}: expected {description}, found {found}")
