"""A document and which of its spans mean the same."""

import dataclasses
import itertools

# The speaker of a token whose speaker is not known, as CoNLL-2012 writes it.
UNKNOWN_SPEAKER = "-"


@dataclasses.dataclass(frozen=True)
class CorefDocument:
    """A document, or a part of one, with its clusters of mentions.

    Attributes:
        key: The document's name, such as `bc/cctv/00/cctv_0000`.
        part: The number of the part, from 0 up; None if the document has no
            parts.
        sentences: A tuple of sentences, each a tuple of at least one token.
        speakers: A tuple with, for each sentence, a tuple of the speaker of
            each token.
        clusters: A tuple of clusters, each a tuple of mentions `(first, last)`:
            the numbers of a mention's first and last token, counted from 0
            over the whole document. Mentions that are alone in their cluster
            are among them.
        place: Where the document stands, `file:line`, for error messages.
        others: What the JSON line of the document has besides all this, a dict;
            empty for other documents.
    """

    key: str
    part: int | None
    sentences: tuple
    speakers: tuple
    clusters: tuple
    place: str = dataclasses.field(default="", compare=False)
    others: dict = dataclasses.field(default_factory=dict, compare=False)

    @property
    def tokens(self):
        """The tuple of all tokens."""
        return tuple(itertools.chain.from_iterable(self.sentences))

    @property
    def genre(self):
        """The genre that an OntoNotes name begins with, else None.

        Its names are paths whose first folder is one of bc, bn, mz, nw, pt, tc
        and wb.
        """
        folder, slash, _ = self.key.partition("/")
        return folder if slash and len(folder) == 2 else None

    @property
    def name(self):
        """The name and, with an underscore, the part: the `doc_key` of Lee."""
        return self.key if self.part is None else f"{self.key}_{self.part}"
