"""A sentence of a column file."""

import dataclasses

from elmo_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class ColumnSentence:
    """A sentence of a column file: a row a token, and where it stands.

    Attributes:
        path: The file.
        rows: A tuple of rows, each a tuple of str, all of the same length.
        lines: The numbers of their lines, from 1 up.
        document: Which document of the file the sentence is in, from 0 up.
        document_line: The line that begins the document; None if none does.
        comments: A tuple of the comments in front of its rows and among them,
            as they stand in the file; empty if the format has none.
    """

    path: str
    rows: tuple
    lines: tuple
    document: int
    document_line: str | None = None
    comments: tuple = ()

    def __len__(self):
        return len(self.rows)

    def column(self, index, may_be_empty=False):
        """Returns what stands in a column.

        Args:
            index: Which column, from 0 up; −1 is the last, −2 the last but one.
            may_be_empty: Whether nothing may stand in it.

        Returns:
            A list of str, one a token.

        Raises:
            InputError: If the sentence has no such column, or if a token has
                nothing in it and may_be_empty is false.
        """
        n_columns = len(self.rows[0])
        n_needed = index + 1 if index >= 0 else -index
        if n_columns < n_needed:
            raise InputError(
                f"{self.place(0)}: found {describe_columns(n_columns)}, "
                f"expected at least {n_needed}"
            )
        values = [row[index] for row in self.rows]
        if not may_be_empty and "" in values:
            raise InputError(
                f"{self.place(values.index(''))}: found nothing in column "
                f"{index % n_columns + 1}, expected a value"
            )
        return values

    def place(self, token):
        """Returns where a token stands, as error messages name it.

        Args:
            token: The number of the token in the sentence, from 0 up.

        Returns:
            str, `file:line`.
        """
        return f"{self.path}:{self.lines[token]}"


def describe_columns(n):
    """Returns "1 column", "2 columns" …, for messages."""
    return "1 column" if n == 1 else f"{n} columns"
