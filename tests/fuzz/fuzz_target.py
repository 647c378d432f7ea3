"""Something that reads what strangers wrote."""

import dataclasses
import functools
import os
import tempfile
from collections.abc import Callable

from elmo_tf.errors import InputError

_LONGEST_MESSAGE = 1000


@dataclasses.dataclass(frozen=True)
class FuzzTarget:
    """Something that reads what strangers wrote.

    Attributes:
        name: Its name.
        run: A function of bytes that reads them. It returns where they are
            read, and where they are refused as they should be; anything that it
            raises is a finding.
        seeds: A function without arguments that gives a list of bytes that are
            read.
        tokens: A tuple of bytes that the format is made of.
        is_json: Whether the seeds are JSON, or lines of it.
    """

    name: str
    run: Callable
    seeds: Callable
    tokens: tuple = ()
    is_json: bool = False


@functools.cache
def scratch_folder():
    """A folder of this process, removed at its end."""
    # Where it can be, in memory.
    parent = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = tempfile.TemporaryDirectory(prefix="fuzz_", dir=parent)
    _folders.append(folder)
    return folder.name


def file_target(name, read, seeds, tokens=(), file_name="file", is_json=False):
    """Makes the target of a function that reads a file.

    Args:
        name: As for `FuzzTarget`.
        read: A function of a path that may raise InputError alone.
        seeds: As for `FuzzTarget`.
        tokens: Likewise.
        file_name: What the file is called.
        is_json: As for `FuzzTarget`.

    Returns:
        The `FuzzTarget`.
    """

    def run(data):
        path = os.path.join(scratch_folder(), file_name)
        with open(path, "wb") as file:
            file.write(data)
        try:
            read(path)
        except InputError as error:
            check_message(error, scratch_folder())

    return FuzzTarget(name, run, seeds, tokens, is_json)


def check_message(error, named):
    """Checks that a refusal is one line that names what is refused.

    Args:
        error: The exception.
        named: What it must name.
    """
    text = str(error)
    assert named in text, text
    assert "\n" not in text, text
    assert len(text) <= _LONGEST_MESSAGE, text


_folders = []
