"""A question with a gap about an article whose entities are anonymous."""

import dataclasses
import re

PLACEHOLDER = "@placeholder"
# To Python's regular expressions and to RE2 the same.
ENTITY_PATTERN = r"@entity[0-9]+"


@dataclasses.dataclass(frozen=True)
class ClozeQuestion:
    """A question of the cloze test of Hermann et al. (2015).

    Attributes:
        id: The name of its file, which no other one has.
        url: Where the article comes from.
        context: The article: tokens with spaces between them, entities being
            tokens such as `@entity12`.
        question: Likewise, with one token `@placeholder`.
        answer: The entity that the placeholder stands for; empty if it is not
            known.
        entity_lines: A tuple of what tells an entity's name, `@entity12:Name`.
    """

    id: str
    url: str
    context: str
    question: str
    answer: str = ""
    entity_lines: tuple = ()

    @property
    def context_tokens(self):
        """A list of the context's tokens."""
        return self.context.split()

    @property
    def question_tokens(self):
        """A list of the question's."""
        return self.question.split()

    @property
    def names(self):
        """A dictionary from entities to their names, those that are told."""
        return dict(line.split(":", 1) for line in self.entity_lines)


def is_entity(token):
    """Whether a token stands for an entity.

    Args:
        token: A str.
    """
    return re.fullmatch(ENTITY_PATTERN, token) is not None
