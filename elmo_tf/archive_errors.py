"""What Python raises where an archive is damaged."""

import lzma
import struct
import tarfile
import zipfile
import zlib

# NotImplementedError and RuntimeError are zipfile's, of a compression that it
# does not know and of a file with a password; OverflowError and ValueError of
# numbers that no archive has.
ARCHIVE_ERRORS = (
    EOFError,
    IndexError,
    KeyError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
