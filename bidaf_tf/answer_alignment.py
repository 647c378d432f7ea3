"""From answers to the tokens they consist of, and back to the text.

A model answers with two tokens, the first and the last one of the answer. The
answer's text is always the piece of the original context between them, never
tokens put together.
"""

import bisect
import dataclasses

# The tokens' piece of the context is the answer.
EXACT = "exact"
# It is, but for spaces around the answer.
SPACES = "spaces"
# It is longer: the answer begins or ends inside a token.
INSIDE_TOKEN = "inside_token"
# The answer is blank, or the context is.
NO_TOKEN = "no_token"
# The answer does not stand at its offset.
MISPLACED = "misplaced"
OUTCOMES = (EXACT, SPACES, INSIDE_TOKEN, NO_TOKEN, MISPLACED)


@dataclasses.dataclass(frozen=True)
class AnswerAlignment:
    """The tokens that cover an answer.

    Attributes:
        outcome: One of `OUTCOMES`, which are explained above.
        first: The number of the first token, from 0 up; None with the outcomes
            `NO_TOKEN` and `MISPLACED`.
        last: That of the last one, itself included; None likewise.
    """

    outcome: str
    first: int | None = None
    last: int | None = None


def align_answer(context, starts, ends, answer):
    """Finds the fewest tokens in a row that cover an answer.

    Args:
        context: The paragraph.
        starts: A list of its tokens' offsets, as of `word_tokenizer.Tokens`.
        ends: A list of their ends, likewise.
        answer: The `SquadAnswer`.

    Returns:
        The `AnswerAlignment`.
    """
    if not answer.stands_in(context):
        return AnswerAlignment(MISPLACED)
    # The first token that ends after the answer's beginning, and the last one
    # that begins before its end.
    first = bisect.bisect_right(ends, answer.start)
    last = bisect.bisect_left(starts, answer.end) - 1
    if not answer.text.strip() or first > last:
        return AnswerAlignment(NO_TOKEN)
    text = span_text(context, starts, ends, first, last)
    if text == answer.text:
        outcome = EXACT
    elif text == answer.text.strip():
        outcome = SPACES
    else:
        outcome = INSIDE_TOKEN
    return AnswerAlignment(outcome, first, last)


def span_text(context, starts, ends, first, last):
    """The original text of tokens in a row.

    Args:
        context: The paragraph.
        starts: A list of its tokens' offsets.
        ends: A list of their ends.
        first: The number of the first token.
        last: The number of the last one, itself included.

    Returns:
        The piece of `context` from the first token to the last.
    """
    return context[starts[first] : ends[last]]
