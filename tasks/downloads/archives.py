"""Takes single files out of an archive."""

import gzip
import os
import shutil
import tarfile
import zipfile

from elmo_tf.archive_errors import ARCHIVE_ERRORS
from elmo_tf.errors import InputError
from elmo_tf.errors import one_line

_GZIP_MAGIC = b"\x1f\x8b"


def extract(path, members, folder, label, progress=None):
    """Takes files out of an archive, by their names.

    Nothing else is taken out, and what an archive says of places and of
    permissions counts for nothing.

    Args:
        path: The archive: zip, or tar with gzip, told by the content.
        members: A dictionary from the names of the files to write, relative to
            the folder, to the names in the archive.
        folder: The folder to write to.
        label: What to call the archive in messages.
        progress: A function called now and then with two ints, the bytes of
            the archive read so far and in all.

    Raises:
        InputError: The archive cannot be read, or one of the files is not in
            it.
        OSError: A file cannot be written.
    """
    size = os.path.getsize(path)
    missing = {member: output for output, member in members.items()}
    try:
        with open(path, "rb") as raw:
            for name, stream in _read_members(raw, missing):
                output = os.path.join(folder, missing.pop(name))
                os.makedirs(os.path.dirname(output), exist_ok=True)
                with stream, open(output, "wb") as file:
                    shutil.copyfileobj(stream, file)
                if progress is not None:
                    progress(raw.tell(), size)
    except ARCHIVE_ERRORS as error:
        # Not what the disk says when a file cannot be written.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(
            f"{label}: cannot be read as an archive: {one_line(error)}"
        ) from error
    if missing:
        raise InputError(
            f"{label}: found no {', '.join(sorted(missing))} in the archive, "
            "expected it there"
        )


def _read_members(raw, names):
    """Yields the name and the stream of each wanted member that is there."""
    is_gzip = raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
    if not is_gzip:
        with zipfile.ZipFile(raw) as archive:
            for name in set(archive.namelist()).intersection(names):
                yield name, archive.open(name)
        return
    # A tar file has no table of contents: one pass, in its own order. What
    # tarfile itself knows of gzip stumbles over a header that is cut off.
    with (
        gzip.open(raw) as content,
        tarfile.open(fileobj=content, mode="r|") as archive,
    ):
        for member in archive:
            name = member.name.removeprefix("./")
            if member.isfile() and name in names:
                yield name, archive.extractfile(member)
            if not names:
                return
