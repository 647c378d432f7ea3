"""A file that can be downloaded."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RemoteFile:
    """A file that can be downloaded, and what of it is kept.

    Attributes:
        address: Where it lies.
        sha256: Its SHA-256 checksum, hexadecimal.
        outputs: A dictionary from the names of the files to write, relative to
            the data set's folder, to the names of the members of the archive
            (zip or gzipped tar) that become them; or the name of one file, as
            which all of it is kept.
        size: Number of bytes; None where it is not known beforehand.
    """

    address: str
    sha256: str
    outputs: dict | str
    size: int | None = None
