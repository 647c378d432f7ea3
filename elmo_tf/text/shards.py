"""Reads the files of a corpus: UTF-8 text, one sentence a line, maybe gzip.

A corpus is a set of files, its shards. What is wrong with one (missing,
empty, damaged gzip, not UTF-8) ends in an `InputError` that names the file
and, where there is one, the line.
"""

import codecs
import glob
import gzip
import os
import zlib

from elmo_tf.errors import InputError
from elmo_tf.text import whitespace

_GZIP_MAGIC = b"\x1f\x8b"
# Big enough that Python's work per block does not count, small enough that
# the tokens of a block do not count in memory.
_BLOCK_SIZE = 1 << 20
# More than text ever is in gzip, but for what is small; what promises more is
# meant to fill the memory.
_LARGEST_RATIO = 200
_FREE_BYTES = 1 << 26
# Of a file that is one line, as JSON often is.
_LONGEST_LINE = 1 << 30


def list_shards(input_path, expected="one sentence a line"):
    """Lists the files of a corpus and checks that each can be read.

    Args:
        input_path: A path or glob (`**` matches folders), several of them
            separated by commas, or a list of them. A name that exists is
            taken literally, whatever characters it contains.
        expected: What the files should hold, in words, for the message.

    Returns:
        The sorted list of paths, each once.

    Raises:
        InputError: If a path or glob matches nothing, or if what it matches
            is not a readable file or is empty.
    """
    paths = set()
    for pattern in _split_patterns(input_path):
        if os.path.lexists(pattern):
            matches = [pattern]
        else:
            matches = glob.glob(pattern, recursive=True)
        if not matches:
            raise InputError(f"{pattern}: no such file")
        paths.update(matches)
    for path in paths:
        check_file(path, expected)
    return sorted(paths)


def check_file(path, expected):
    """Checks that there is something to read in a file.

    Args:
        path: The path of a file, plain or gzip.
        expected: What the file should hold, in words, for the message.

    Raises:
        InputError: If the file is missing, cannot be read or is empty.
    """
    if os.path.isdir(path):
        raise InputError(
            f"{path}: is a folder, expected a file with {expected}"
        )
    if os.path.exists(path) and not os.path.isfile(path):
        # What is read here would be gone for those who come after.
        raise InputError(
            f"{path}: is a pipe or a device, expected a file with {expected}"
        )
    with _open(path) as file:
        try:
            first = _decompressed(file).read(1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}:1: {_reason(error)}") from error
    if not first:
        raise InputError(f"{path}: empty file, expected {expected}")


def read_blocks(path, progress=None):
    """Reads a file in blocks of whole lines; memory stays bounded.

    Args:
        path: The path of a file, plain or gzip (told by its content).
        progress: A function called after each block with the number of bytes
            read from the disk since its last call.

    Yields:
        bytes, UTF-8 without byte order mark. Each block but the last ends
        with a line feed.

    Raises:
        InputError: If the file cannot be read, is a damaged gzip file, or is
            not UTF-8; with the number of the line.
    """
    line = 1
    reported = 0
    # The beginning of a line that the blocks read so far do not end.
    pending = [b""]
    n_pending = 0
    stream = None
    with _open(path) as file:
        while True:
            try:
                stream = stream or _decompressed(file)
                chunk = stream.read(_BLOCK_SIZE)
            except (OSError, EOFError, zlib.error) as error:
                line += sum(piece.count(b"\n") for piece in pending)
                raise InputError(f"{path}:{line}: {_reason(error)}") from error
            if stream is not file and stream.tell() > max(
                _FREE_BYTES, _LARGEST_RATIO * file.tell()
            ):
                raise InputError(
                    f"{path}: found more than {stream.tell():,} bytes in "
                    f"{file.tell():,} of gzip, which text never is; if you "
                    "trust it, unpack it first"
                )
            end = chunk.rfind(b"\n") + 1
            if chunk and not end:
                pending.append(chunk)
                n_pending += len(chunk)
                if n_pending > _LONGEST_LINE:
                    raise InputError(
                        f"{path}:{line}: found a line of more than "
                        f"{_LONGEST_LINE:,} bytes"
                    )
                continue
            block = b"".join(pending) + chunk[:end]
            pending = [chunk[end:]]
            n_pending = len(pending[0])
            if block:
                check_utf8(block, path, line)
                if line == 1:
                    block = block.removeprefix(codecs.BOM_UTF8)
                if block:
                    yield block
                line += block.count(b"\n")
            if progress is not None and file.tell() > reported:
                progress(file.tell() - reported)
                reported = file.tell()
            if not chunk:
                return


def read_lines(path):
    r"""Reads a file line by line.

    Args:
        path: The path of a file, plain or gzip (told by its content).

    Yields:
        bytes, one line without its end (`\n` or `\r\n`), valid UTF-8.

    Raises:
        InputError: As `read_blocks`.
    """
    for block in read_blocks(path):
        yield from split_lines(block)


def split_lines(block):
    r"""Yields the lines of a text.

    Args:
        block: bytes, whole lines, one at least.

    Yields:
        bytes, one line without its end (`\n` or `\r\n`).
    """
    for line in block.removesuffix(b"\n").split(b"\n"):
        yield line.removesuffix(b"\r")


def read_range(path, offset, size):
    """Reads a piece of a file.

    A plain file is read from there on; a gzip file from its begin.

    Args:
        path: The path of a file, plain or gzip (told by its content).
        offset: Where the piece begins in the text, in bytes, a byte order mark
            not counted.
        size: Its length in bytes.

    Returns:
        bytes, fewer where the file ends.

    Raises:
        InputError: If the file cannot be read or is a damaged gzip file.
    """
    with _open(path) as file:
        try:
            stream = _decompressed(file)
            if stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
                offset += len(codecs.BOM_UTF8)
            stream.seek(offset)
            return stream.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: {_reason(error)}") from error


def read_sentences(input_path):
    """Reads the sentences of a corpus, in the order of its files and lines.

    Args:
        input_path: As in `list_shards`.

    Yields:
        list of bytes, the tokens of a line; empty for a blank line.

    Raises:
        InputError: As `list_shards` and `read_blocks`.
    """
    for path in list_shards(input_path):
        for block in read_blocks(path):
            block = whitespace.normalize(block)
            for line in block.removesuffix(b"\n").split(b"\n"):
                yield line.split()


def progress_over(paths, progress):
    """Adapts a progress function to the reading of several files.

    Args:
        paths: The paths of the files that will be read.
        progress: A function of the bytes read so far and in all, or None.

    Returns:
        The function to give to `read_blocks` for each of the files.
    """
    if progress is None:
        return None
    total = sum(os.path.getsize(path) for path in paths)
    done = 0

    def advance(n_bytes):
        nonlocal done
        done += n_bytes
        progress(done, total)

    return advance


def check_utf8(block, path, first_line=1):
    """Checks that bytes are UTF-8.

    Args:
        block: The bytes, whole lines.
        path: The path of their file, for the message.
        first_line: The number of their first line there.

    Raises:
        InputError: They are not; with the number of the line.
    """
    if block.isascii():
        return
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + block.count(b"\n", 0, error.start)
        column = error.start - block.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{path}:{line}: byte {block[error.start]:#04x} at position "
            f"{column} of the line is not UTF-8 ({error.reason}); expected "
            "UTF-8 text, plain or gzip"
        ) from error


def _split_patterns(input_path):
    """Returns the list of paths and globs in an `input_path`."""
    if not isinstance(input_path, (str, os.PathLike)):
        patterns = [os.fspath(pattern) for pattern in input_path]
    elif os.path.lexists(input_path):
        patterns = [os.fspath(input_path)]
    else:
        patterns = os.fspath(input_path).split(",")
    patterns = [pattern.strip() for pattern in patterns if pattern.strip()]
    if not patterns:
        raise InputError(
            f"input_path: found {input_path!r}, expected the path or glob of "
            "text files"
        )
    return patterns


def _open(path):
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _decompressed(file):
    """Returns a stream of a file's content, decompressed if it is gzip."""
    if file.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
        return gzip.GzipFile(fileobj=file)
    return file


def _reason(error):
    """Returns the words for an error of reading."""
    if isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error)):
        return (
            f"damaged gzip file ({error}); the lines before this one are intact"
        )
    return f"cannot be read: {error.strerror}"
