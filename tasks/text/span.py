"""A run of tokens with a label."""

import typing


class Span(typing.NamedTuple):
    """A run of tokens in a sentence, and what they are.

    Attributes:
        label: What they are, such as the class of an entity.
        start: The number of the first token, from 0 up.
        end: The number of the token after the last one.
    """

    label: str
    start: int
    end: int
