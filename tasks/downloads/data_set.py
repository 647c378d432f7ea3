"""A data set that can be downloaded."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class DataSet:
    """A data set that can be downloaded.

    Attributes:
        name: What it is called on the command line.
        title: What it is.
        source: Who says where it lies and what its checksum is.
        homepage: Where it is described.
        licence: The terms it may be used under.
        citation: What to cite.
        files: A tuple of `RemoteFile`.
        unit: What an example is, in the plural.
        count: A function from the path of a written file to the number of
            examples in it; `InputError` if the file is not in its format.
    """

    name: str
    title: str
    source: str
    homepage: str
    licence: str
    citation: str
    files: tuple
    unit: str
    count: Callable

    def describe(self):
        """What there is to know before it is downloaded, in several lines."""
        lines = [
            f"{self.name}: {self.title}",
            f"source: {self.source}",
        ]
        for file in self.files:
            size = f" ({file.size / 1e6:,.1f} MB)" if file.size else ""
            lines.append(f"address: {file.address}{size}")
        lines += [
            f"licence: {self.licence}",
            f"homepage: {self.homepage}",
            f"citation: {self.citation}",
        ]
        return "\n".join(lines)
