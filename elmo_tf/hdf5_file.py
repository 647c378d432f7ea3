"""HDF5 files that a user gave."""

import contextlib
import os

import h5py
import numpy as np

from elmo_tf.errors import InputError
from elmo_tf.errors import one_line

# What h5py raises, OSError besides, where a file is not as it should be.
_DAMAGES = (
    AttributeError,
    IndexError,
    KeyError,
    OSError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)
# A dataset of more bytes than this must have some of them in the file: weights
# can hardly be compressed.
_FREE_BYTES = 2**24
_LARGEST_RATIO = 64


@contextlib.contextmanager
def open_hdf5(path):
    """Opens an HDF5 file for reading.

    Args:
        path: The file.

    Yields:
        The `h5py.File`.

    Raises:
        InputError: There is no such file, it is no HDF5, or what is read from
            it turns out to be damaged.
    """
    if os.path.isdir(path):
        raise InputError(f"{path}: is a folder, expected an HDF5 file")
    if not os.path.isfile(path):
        raise InputError(f"{path}: no such file")
    try:
        file = h5py.File(path, "r")
    except _DAMAGES as error:
        raise InputError(
            f"{path}: not an HDF5 file ({one_line(error)})"
        ) from None
    try:
        with file:
            yield file
    except InputError:
        raise
    except _DAMAGES as error:
        raise InputError(
            f"{path}: damaged HDF5 file ({one_line(error)})"
        ) from error


def find_dataset(file, path, name):
    """Finds a dataset that stands in the file itself.

    A file of strangers may have links and datasets of which the values lie in
    other files; these are not opened.

    Args:
        file: The `h5py.File`.
        path: Its name, for messages.
        name: The dataset's name.

    Returns:
        The `h5py.Dataset`; None if there is none of that name.

    Raises:
        InputError: It is a link, or lies in another file.
    """
    item = file
    for part in name.split("/"):
        if not isinstance(item, h5py.Group):
            return None
        key = part.encode()
        links = item.id.links
        if not links.exists(key):
            return None
        if links.get_info(key).type != h5py.h5l.TYPE_HARD:
            raise InputError(
                f"{path}: found a link at {name}, expected the dataset itself"
            )
        item = item[part]
    if not isinstance(item, h5py.Dataset):
        return None
    plist = item.id.get_create_plist()
    if plist.get_layout() == h5py.h5d.VIRTUAL or plist.get_external_count() > 0:
        raise InputError(
            f"{path}: the values of the dataset {name} lie in another file, "
            "expected them in this one"
        )
    return item


def read_floats(dataset, path):
    """Reads a dataset of numbers.

    Args:
        dataset: The `h5py.Dataset`.
        path: The file's name, for messages.

    Returns:
        float32 array.

    Raises:
        InputError: It holds something else, or declares far more values than
            the file has bytes for.
    """
    check_dataset_size(dataset, path)
    return np.asarray(dataset[()], np.float32)


def check_dataset_size(dataset, path):
    """Checks a dataset before memory is taken for it; as `read_floats`."""
    name = dataset.name.removeprefix("/")
    if dataset.dtype.kind not in "fiu" or dataset.shape is None:
        raise InputError(
            f"{path}: the dataset {name} holds {dataset.dtype}, expected "
            "floating-point numbers"
        )
    declared = dataset.size * max(dataset.dtype.itemsize, 4)
    stored = min(dataset.id.get_storage_size(), os.path.getsize(path))
    if declared > max(_FREE_BYTES, _LARGEST_RATIO * stored):
        raise InputError(
            f"{path}: the dataset {name} declares {declared:,} bytes, of which "
            f"the file has {stored:,}; expected all of them"
        )
