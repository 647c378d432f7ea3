"""Checksums beside files, by which a changed bit shows.

They stand in a file as `sha256sum` writes it; `sha256sum --check` reads it too.
"""

import functools
import hashlib
import os

from elmo_tf.atomic_file import write_file
from elmo_tf.errors import InputError
from elmo_tf.file_names import leads_outside

CHECKSUMS_FILE_NAME = "SHA256SUMS"


def file_sha256(path):
    """Returns the SHA-256 of a file's content, in hexadecimal digits.

    Args:
        path: The file.
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_checksums(folder, names=None):
    """Writes the checksums of files that are complete.

    Args:
        folder: The folder.
        names: Their paths in the folder; None: all that are there.
    """
    if names is None:
        names = sorted(
            os.path.relpath(os.path.join(parent, name), folder)
            for parent, _, files in os.walk(folder)
            for name in files
        )
    path = os.path.join(folder, CHECKSUMS_FILE_NAME)
    lines = [
        f"{file_sha256(os.path.join(folder, name))}  {name}\n" for name in names
    ]
    with (
        write_file(path) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        file.writelines(lines)


def remove_checksums(folder):
    """Removes the checksums, before the files change.

    Args:
        folder: The folder.
    """
    path = os.path.join(folder, CHECKSUMS_FILE_NAME)
    if os.path.exists(path):
        os.remove(path)


def check_checksums(folder, names=None, but_not=None):
    """Checks files of which there are checksums.

    Args:
        folder: The folder.
        names: Their paths in the folder; None: all that there are checksums of.
        but_not: How the paths begin that are not checked.

    Raises:
        InputError: A file is not the one that the checksum was made of.
    """
    path = os.path.join(folder, CHECKSUMS_FILE_NAME)
    if not os.path.exists(path):
        return
    for name, expected in _read(path).items():
        if names is not None and name not in names:
            continue
        if but_not is not None and name.startswith(but_not):
            continue
        file = os.path.join(folder, name)
        if not os.path.isfile(file):
            raise InputError(
                f"{file}: no such file, expected it as {path} lists it"
            )
        found = _digest_once(file, *_stamp(file))
        if found != expected:
            raise InputError(
                f"{file}: damaged or changed: found the SHA-256 "
                f"{found[:16]}…, expected {expected[:16]}… as in {path}; if it "
                "was changed on purpose, remove its line there"
            )


def check_files(*paths):
    """Checks files by the checksums in their own folders.

    Args:
        *paths: The files; None among them is left out.

    Raises:
        InputError: A file is not the one that the checksum was made of.
    """
    for path in paths:
        if path is not None:
            folder, name = os.path.split(os.fspath(path))
            check_checksums(folder, [name])


def _read(path):
    """Returns a dictionary from names to digests."""
    digests = {}
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                digest, separator, name = line.rstrip("\n").partition("  ")
                if not separator or len(digest) != 64:
                    raise InputError(
                        f"{path}:{number}: found {line.rstrip()!r:.90}, "
                        "expected a SHA-256, two spaces and a file's name"
                    )
                if leads_outside(name):
                    raise InputError(
                        f"{path}:{number}: found {name!r}, expected the name "
                        "of a file in the folder"
                    )
                digests[name] = digest
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: damaged: expected UTF-8 text of SHA-256 sums"
        ) from None
    return digests


def _stamp(path):
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


@functools.lru_cache(maxsize=64)
def _digest_once(path, size, time):
    """The digest of a file that was not changed in the meantime."""
    del size, time
    return file_sha256(path)
