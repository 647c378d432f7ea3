"""Files and folders that are whole or not there.

What is written lies in a hidden folder beside its place until it is complete
and on the disk: neither a killed process nor a power cut leaves half of it
under its own name. A killed process leaves the hidden folder; the next one that
writes there, or looks for what was written, removes it.
"""

import contextlib
import errno
import fcntl
import io
import os
import shutil
import tempfile

import h5py

from elmo_tf.errors import InputError

_PREFIX = ".partial-"

# What only writing meets.
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextlib.contextmanager
def write_file(path):
    """Lets a file be written aside and renames it when it is complete.

    Args:
        path: The file to write; one that is there stays until then.

    Yields:
        The name to write to, on the same disk.

    Raises:
        OSError: The file cannot be written; the error names it.
    """
    path = os.fspath(path)
    parent, name = os.path.split(path)
    with disk_errors(path), _hidden_folder(parent, name) as folder:
        partial = os.path.join(folder, name)
        yield partial
        sync(partial)
        os.replace(partial, path)
        sync(parent or os.curdir)


@contextlib.contextmanager
def write_hdf5(path):
    """Writes an HDF5 file aside and renames it when it is complete.

    Args:
        path: The file to write; one that is there stays until then.

    Yields:
        The `h5py.File` to fill.

    Raises:
        OSError: The file cannot be written, for instance as the disk is full;
            the error names it.
    """
    with write_file(path) as partial, fill_hdf5(partial) as file:
        yield file


@contextlib.contextmanager
def fill_hdf5(path):
    """Opens a new HDF5 file, for which a full disk is an error like others.

    HDF5 alone ends the process where it cannot write what it remembers.

    Args:
        path: The file.

    Yields:
        The `h5py.File` to fill.

    Raises:
        OSError: The file cannot be written.
    """
    with _ForgivingFile(path) as disk:
        with _CheckedHDF5File(disk) as file:
            yield file
        disk.check()


@contextlib.contextmanager
def write_folder(path):
    """Lets a folder be filled aside and renames it when it is complete.

    Args:
        path: The folder to write; must not exist. Folders above it are made.

    Yields:
        The name of an empty folder on the same disk. The folder around it is
        hidden and goes with it: what shall not stay may be put there.

    Raises:
        InputError: The folder, or a file of that name, exists.
        OSError: The folder cannot be written; the error names it.
    """
    path = os.path.abspath(path)
    if os.path.lexists(path):
        raise InputError(f"{path}: exists already; remove it first")
    parent, name = os.path.split(path)
    with disk_errors(path):
        os.makedirs(parent, exist_ok=True)
        with _hidden_folder(parent, name) as folder:
            # A folder of its own: the hidden one is closed to other users.
            partial = os.path.join(folder, name)
            os.mkdir(partial)
            yield partial
            sync_tree(partial)
            os.rename(partial, path)
            sync(parent)


@contextlib.contextmanager
def temporary_folder(name):
    """Makes a folder in the system's folder for temporary files.

    It is removed in the end; where the process was killed, when the next one
    asks for a folder of this name.

    Args:
        name: What it is for.

    Yields:
        The folder.
    """
    # Other users' folders are not ours to remove.
    with _hidden_folder(
        tempfile.gettempdir(), f"elmo_tf-{os.getuid()}-{name}"
    ) as folder:
        yield folder


def remove_abandoned(parent, names):
    """Removes what killed processes left in a folder.

    Who writes a file does that by itself; this is for who finds it complete and
    has nothing to write.

    Args:
        parent: The folder.
        names: A collection of the names of the files that were written. No
            others are touched: where locks do not reach other machines, one of
            these may be writing them.
    """
    try:
        found = [
            entry.path
            for entry in os.scandir(parent)
            if entry.name.startswith(_PREFIX)
            # Behind the name are a hyphen and letters, digits or underscores.
            and entry.name.removeprefix(_PREFIX).rpartition("-")[0] in names
        ]
    except OSError:
        return
    for folder in found:
        _remove_if_abandoned(folder)


@contextlib.contextmanager
def disk_errors(path):
    """Makes errors of a disk name what was being written.

    Those of TensorFlow and HDF5 become `OSError`.

    Args:
        path: The file or folder.

    Raises:
        OSError: In place of an error that the disk's state or rights caused.
    """
    try:
        yield
    except Exception as error:
        code = _disk_error(error, path)
        if code is None:
            raise
        raise OSError(code, os.strerror(code), os.fspath(path)) from error


def sync(path):
    """Waits until a file, or a folder's list of files, is on the disk.

    Args:
        path: The file or folder.
    """
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        # Some file systems know nothing of the kind.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(file)


def sync_tree(path):
    """Waits until a folder and all in it is on the disk.

    Args:
        path: The folder.
    """
    for folder, _, names in os.walk(path):
        for name in names:
            sync(os.path.join(folder, name))
        sync(folder)


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


class _ForgivingFile(io.FileIO):
    """A file that keeps its first error to itself until it is asked.

    Args:
        path: The file, made anew.
    """

    def __init__(self, path):
        super().__init__(path, "w+")
        self._error = None

    def check(self):
        """Raises the error, if there was one."""
        if self._error is not None:
            raise self._error

    def write(self, data):
        rest = memoryview(data)
        while rest and self._error is None:
            try:
                rest = rest[self.write_part(rest) :]
            except OSError as error:
                self._error = error
        return len(data)

    def write_part(self, data):
        """Writes as `io.FileIO.write` does, perhaps a part."""
        return super().write(data)

    def truncate(self, size=None):
        try:
            return super().truncate(size)
        except OSError as error:
            self._error = self._error or error
            return size

    def readinto(self, buffer):
        n_read = super().readinto(buffer)
        if self._error is not None:
            # It was never written.
            buffer[n_read:] = bytes(len(buffer) - n_read)
            return len(buffer)
        return n_read


class _CheckedHDF5File(h5py.File):
    """An HDF5 file on a `_ForgivingFile`, of which it raises the error soon."""

    def __init__(self, disk):
        super().__init__(disk, "w")
        self._disk = disk

    def create_dataset(self, *arguments, **options):
        dataset = super().create_dataset(*arguments, **options)
        self._disk.check()
        return dataset


@contextlib.contextmanager
def _hidden_folder(parent, name):
    """A folder that is locked as long as its process lives."""
    parent = parent or os.curdir
    prefix = f"{_PREFIX}{name}-"
    remove_abandoned(parent, {name})
    folder, lock = _make_locked_folder(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _make_locked_folder(parent, prefix):
    while True:
        folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            # Another process took it for abandoned, and has removed it.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        except OSError:
            # A file system without locks: there nothing is ever removed.
            return folder, lock
        if os.path.isdir(folder):
            return folder, lock
        os.close(lock)


def _remove_if_abandoned(folder):
    """Removes a hidden folder that no process holds."""
    try:
        lock = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        # It is being written, or there are no locks here.
        pass
    finally:
        os.close(lock)


def _disk_error(error, path):
    """The number of the disk's error that an exception tells of, or None."""
    if isinstance(error, OSError) and error.errno is not None:
        if error.filename is None:
            return error.errno if error.errno in _WRITE_ERRORS else None
        # What another file is called the error says itself.
        is_ours = f"{os.sep}{_PREFIX}" in f"{os.sep}{error.filename}"
        return error.errno if is_ours else None
    if isinstance(error, InputError):
        return None
    return next(
        (
            code
            for code in (*_WRITE_ERRORS, errno.EACCES)
            if os.strerror(code) in str(error)
        ),
        None,
    )
