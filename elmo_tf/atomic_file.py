"""Files and folders that are whole or not there."""

import contextlib
import os
import tempfile

import h5py

from elmo_tf.errors import InputError


@contextlib.contextmanager
def write_file(path):
    """Lets a file be written aside and renames it when it is complete.

    Args:
        path: The file to write; one that is there stays until then.

    Yields:
        The name to write to, in the same folder.
    """
    partial = f"{path}.{os.getpid()}.partial"
    try:
        yield partial
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


@contextlib.contextmanager
def write_hdf5(path):
    """Writes an HDF5 file aside and renames it when it is complete.

    Args:
        path: The file to write; one that is there stays until then.

    Yields:
        The `h5py.File` to fill.
    """
    with write_file(path) as partial, h5py.File(partial, "w") as file:
        yield file


@contextlib.contextmanager
def write_folder(path):
    """Lets a folder be filled aside and renames it when it is complete.

    Args:
        path: The folder to write; must not exist. Folders above it are made.

    Yields:
        The name of an empty folder on the same disk.

    Raises:
        InputError: The folder, or a file of that name, exists.
    """
    path = os.path.abspath(path)
    if os.path.lexists(path):
        raise InputError(f"{path}: exists already; remove it first")
    parent, name = os.path.split(path)
    os.makedirs(parent, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=parent) as folder:
        # A folder of its own: a temporary one is closed to other users.
        partial = os.path.join(folder, name)
        os.mkdir(partial)
        yield partial
        os.rename(partial, path)


def check_output_file(path, input_paths, label=""):
    """Checks that a file could be written, before the work is done for it.

    Args:
        path: The file.
        input_paths: The files that the work reads.
        label: What to put before the path in the error message.

    Raises:
        InputError: The file's folder does not exist, it is a folder itself, or
            one of the files that are read.
    """
    folder = os.path.dirname(path) or os.curdir
    if not path or os.path.isdir(path) or not os.path.isdir(folder):
        raise InputError(
            f"{label}{path}: expected a file in an existing folder"
        )
    if os.path.realpath(path) in map(os.path.realpath, input_paths):
        raise InputError(f"{label}{path}: is one of the input files")


def check_output_files(paths, input_paths):
    """Checks that several files could be written, and that they are several.

    Args:
        paths: A dict from what to put before a path in the error message to the
            path; None: there is no such file.
        input_paths: The files that the work reads.

    Raises:
        InputError: As `check_output_file`, or two of the files are one.
    """
    earlier = {}
    for label, path in paths.items():
        if path is None:
            continue
        check_output_file(path, input_paths, label)
        other = earlier.setdefault(os.path.realpath(path), f"{label}{path}")
        if other != f"{label}{path}":
            raise InputError(
                f"{label}{path}: expected another file than in {other}"
            )
