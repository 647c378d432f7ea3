"""A sentence with its propositions."""

import dataclasses

# Of names that begin with a corpus, how many parts stand before the genre.
_CORPORA = {"google": 2, "ontonotes": 1}


@dataclasses.dataclass(frozen=True)
class SRLSentence:
    """A sentence, its propositions, and what else its file says about it.

    Attributes:
        n_tokens: How many tokens it has.
        propositions: A tuple of `Proposition`, in the order of the file.
        tokens: A tuple of n words; None if the file has no words.
        pos: A tuple of n parts of speech, likewise.
        document: The name of the document, likewise.
        columns: A dict from the names of other columns (see
            `tasks.srl.file_layout`) to tuples of n values, None where nothing
            is said.
        document_index: Which document of the file it is in, from 0 up, as far
            as lines that begin documents tell.
        document_line: CoNLL-2012's line that begins the document; None if
            there is none.
        comments: A tuple of the comments in front of it, as Universal PropBank
            has them.
        other_rows: A tuple of what else the file has between words (multiword
            tokens, empty nodes): the number of words in front, and a dict from
            the names of columns to values.
        path: The file it was read from; None if it was not.
        lines: The numbers of the tokens' lines there, from 1 up.
    """

    n_tokens: int
    propositions: tuple = ()
    tokens: tuple | None = None
    pos: tuple | None = None
    document: str | None = None
    columns: dict = dataclasses.field(default_factory=dict)
    document_index: int = 0
    document_line: str | None = None
    comments: tuple = ()
    other_rows: tuple = ()
    path: str | None = dataclasses.field(default=None, compare=False)
    lines: tuple = dataclasses.field(default=(), compare=False)

    def __len__(self):
        return self.n_tokens

    @property
    def genre(self):
        """The part of the document's name that tells its genre, or None.

        `bn` of OntoNotes' `bn/cnn/01/cnn_0115`, `weblog` of
        `google/ewt/weblog/00/…`.
        """
        parts = (self.document or "").split("/")
        position = _CORPORA.get(parts[0], 0)
        # The last part is the document's own name.
        return parts[position] if position < len(parts) - 1 else None

    def place(self, token=0):
        """Returns where a token stands, as error messages name it.

        Args:
            token: The number of the token, from 0 up.

        Returns:
            str, `file:line`, or the token's number if there is no file.
        """
        if self.path is None:
            return f"token {token + 1}"
        return f"{self.path}:{self.lines[token]}"
