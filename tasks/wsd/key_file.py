"""Files of sense keys, as the evaluation framework has them.

A line holds the name of an instance and the keys of its senses, with spaces
between them: `d000.s000.t002 peculiar%5:00:00:specific:00`.
"""

from elmo_tf.atomic_file import write_file
from elmo_tf.text import shards

_EXPECTED = "the name of an instance and its sense keys a line"


def read_keys(path):
    """Reads a file of keys.

    Args:
        path: The file, plain or gzip.

    Returns:
        A dictionary from the name of each instance, in the order of the file,
        to the tuple of its keys: none if its line has none, those of all its
        lines, each once, if it has several.

    Raises:
        InputError: The file is missing, empty or not UTF-8.
    """
    shards.check_file(path, _EXPECTED)
    keys = {}
    for line in shards.read_lines(path):
        name, *found = line.decode().split() or [None]
        if name is not None:
            keys[name] = tuple(dict.fromkeys((*keys.get(name, ()), *found)))
    return keys


def write_keys(path, keys):
    """Writes a file of keys.

    Args:
        path: The file; appears when it is complete.
        keys: A dictionary from the name of each instance to its keys; those
            without any are left out, as the framework expects of a system that
            does not answer.
    """
    with (
        write_file(path) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        for name, found in keys.items():
            if found:
                print(name, *found, file=file)
