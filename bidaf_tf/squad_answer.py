"""An answer to a question, as a piece of the paragraph it stands in."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SquadAnswer:
    """An answer that people gave.

    Attributes:
        text: The answer.
        start: Where it begins in the context, in characters (Unicode code
            points, as Python counts them): `answer_start` in SQuAD's files.
    """

    text: str
    start: int

    @property
    def end(self):
        """The offset after the answer's last character."""
        return self.start + len(self.text)

    def stands_in(self, context):
        """Whether the context has the answer's text at its offset."""
        return self.start >= 0 and context[self.start : self.end] == self.text
