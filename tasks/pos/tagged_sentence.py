"""A sentence of a file with parts of speech."""

import dataclasses

from tasks.text.column_sentence import ColumnSentence


@dataclasses.dataclass(frozen=True)
class TaggedSentence:
    """A sentence's words and, where the file has them, their tags.

    Attributes:
        tokens: A tuple of n words, at least one.
        tags: A tuple of n tags; None if they were not asked for.
        row_numbers: In a CoNLL-U file, which rows the words stand in: the
            others are multiword tokens and empty nodes. Elsewhere None.
        sentence: Likewise, the `ColumnSentence` of all rows.
    """

    tokens: tuple
    tags: tuple | None
    row_numbers: tuple | None = None
    sentence: ColumnSentence | None = None
