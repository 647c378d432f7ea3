"""A piece of a corpus that is embedded into a file of its own."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class OutputShard:
    """A piece of a corpus that is embedded into a file of its own.

    Attributes:
        name: The name of the file to write, without an ending.
        path: The text's file.
        first_line: The number of the first line there, from 0.
        sentences: How many lines there are, blank ones included.
        offset: Where they begin in the text, in bytes; see
            `elmo_tf.text.shards.read_range`.
        size: Their length in bytes.
        sha256: The SHA-256 of these bytes.
    """

    name: str
    path: str
    first_line: int
    sentences: int
    offset: int
    size: int
    sha256: str

    @property
    def content(self):
        """What it is whatever it is called: a tuple."""
        return dataclasses.astuple(self)[1:]
