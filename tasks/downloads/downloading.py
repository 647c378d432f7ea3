"""Makes a data set's folder: downloads it, unpacks it, counts it."""

import os
import tempfile

from elmo_tf.atomic_file import write_folder
from elmo_tf.reading_progress import ReadingProgress
from tasks.downloads.archives import extract
from tasks.downloads.fetching import fetch


def download(data_set, output, log):
    """Downloads a data set.

    Args:
        data_set: A `DataSet`.
        output: The folder to write; must not exist. It appears when it is
            complete.
        log: A function called with what is done, one or more lines of text.

    Returns:
        A dictionary from the names of the files, relative to the folder, to
        the numbers of examples in them.

    Raises:
        InputError: The folder exists; an address cannot be read, or what lies
            there is not what was expected.
        OSError: A file cannot be written.
    """
    with write_folder(output) as partial:
        log(data_set.describe())
        # Removed before the folder gets its name.
        with tempfile.TemporaryDirectory(dir=partial) as scratch:
            for remote in data_set.files:
                _get(remote, partial, os.path.join(scratch, "file"), log)
        log(f"counting {data_set.unit}")
        return {
            name: data_set.count(os.path.join(partial, name))
            for remote in data_set.files
            for name in _names(remote)
        }


def _names(remote):
    if isinstance(remote.outputs, str):
        return [remote.outputs]
    return list(remote.outputs)


def _get(remote, folder, path, log):
    log(f"downloading {remote.address}")
    fetch(remote, path, ReadingProgress())
    if isinstance(remote.outputs, str):
        os.rename(path, os.path.join(folder, remote.outputs))
        return
    log(f"unpacking {len(remote.outputs)} files")
    extract(path, remote.outputs, folder, remote.address, ReadingProgress())
