"""A sentence with words whose senses are known or asked for."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SenseSentence:
    """A sentence.

    Attributes:
        tokens: A tuple of tokens.
        instances: A tuple of `SenseInstance`.
    """

    tokens: tuple
    instances: tuple
