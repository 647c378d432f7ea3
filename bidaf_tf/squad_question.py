"""A question about a paragraph."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SquadQuestion:
    """A question, the paragraph that it is about, and its answers.

    Attributes:
        id: The question's name, which no other one in its file has.
        title: That of the article.
        context: The paragraph.
        question: The question.
        answers: A tuple of all `SquadAnswer` that were given; empty if there
            are none.
        is_answerable: False if the file says that the paragraph has no answer
            (SQuAD 2.0), be it by a list of no or only blank answers.
    """

    id: str
    title: str
    context: str
    question: str
    answers: tuple = ()
    is_answerable: bool = True
