"""HDF5 files that a user gave."""

import contextlib
import os

import h5py

from elmo_tf.errors import InputError


@contextlib.contextmanager
def open_hdf5(path):
    """Opens an HDF5 file for reading.

    Args:
        path: The file.

    Yields:
        The `h5py.File`.

    Raises:
        InputError: There is no such file, or it is no HDF5.
    """
    if os.path.isdir(path):
        raise InputError(f"{path}: is a folder, expected an HDF5 file")
    if not os.path.isfile(path):
        raise InputError(f"{path}: no such file")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path}: not an HDF5 file ({error})") from None
    with file:
        yield file
