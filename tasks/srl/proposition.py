"""A predicate and its arguments."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Proposition:
    """What a sentence says with one of its predicates.

    Attributes:
        predicate: The number of the predicate's token, from 0 up.
        lemma: Its lemma.
        roleset: Its sense, as the file has it: `say.01`, or `01`; `-` if the
            file leaves it open, None if it says nothing of senses.
        arguments: A tuple of `Span`, labelled with the roles of PropBank:
            `ARG0`, `ARGM-TMP`; with `C-` in front, a further piece of the
            argument with that role; with `R-`, a word such as `who` that refers
            to it. `V` is the predicate itself. In the order of their starts,
            and what contains another before that.
        heads: A tuple of the number of each argument's most important word;
            None if the file does not tell.
    """

    predicate: int
    lemma: str
    roleset: str | None = None
    arguments: tuple = ()
    heads: tuple | None = None
