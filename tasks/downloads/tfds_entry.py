"""What tensorflow-datasets knows of a data set that it holds."""

import dataclasses

import tensorflow_datasets as tfds

from tasks.downloads.remote_file import RemoteFile


@dataclasses.dataclass(frozen=True)
class TfdsEntry:
    """What tensorflow-datasets knows of a data set that it holds.

    Attributes:
        source: The data set's name and version, and tensorflow-datasets'.
        homepage: Where the data set is described.
        citation: What to cite, BibTeX.
        url_infos: A dictionary from addresses to what lies there: `filename`,
            `size` and `checksum` (SHA-256).
    """

    source: str
    homepage: str
    citation: str
    url_infos: dict

    @classmethod
    def look_up(cls, name):
        """Looks up a data set, in the installed package alone.

        Args:
            name: Its name, with `/` and its configuration if it has several.

        Returns:
            The `TfdsEntry`.
        """
        builder = tfds.builder(name)
        return cls(
            source=f"tensorflow-datasets {tfds.__version__}, "
            f"{builder.info.full_name}",
            homepage=builder.info.homepage,
            citation=builder.info.citation.strip(),
            url_infos=builder.url_infos,
        )

    def file(self, filename, outputs):
        """Makes the record of one of the data set's files.

        Args:
            filename: The file's name.
            outputs: What of it is kept, as in `RemoteFile`.

        Returns:
            The `RemoteFile`.
        """
        ((address, info),) = (
            (address, info)
            for address, info in self.url_infos.items()
            if info.filename == filename
        )
        return RemoteFile(address, info.checksum, outputs, int(info.size))
