"""HDF5 files that are whole or not there."""

import contextlib
import os

import h5py


@contextlib.contextmanager
def write_hdf5(path):
    """Writes an HDF5 file aside and renames it when it is complete.

    Args:
        path: The file to write; one that is there stays until then.

    Yields:
        The `h5py.File` to fill.
    """
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with h5py.File(partial, "w") as file:
            yield file
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
