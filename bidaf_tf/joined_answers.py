"""Several models' answers as one."""

import collections
import math

from bidaf_tf.answer import Answer
from elmo_tf.errors import InputError


def join_answers(members, names):
    """Takes the means of the probabilities that members give a span.

    Args:
        members: A list of dicts from question ids to lists of `Answer`.
        names: What to call each one in messages.

    Returns:
        A dict from question ids to lists of `Answer`, as many as the longest
        of the members' lists, the best one first; of equals the one that starts
        first, and then the one that ends first.

    Raises:
        InputError: The members have not answered the same questions, or not of
            the same contexts.
    """
    for member, name in zip(members[1:], names[1:], strict=True):
        if differing := members[0].keys() ^ member.keys():
            question_id = min(differing)
            here, there = name, names[0]
            if question_id in member:
                here, there = there, here
            raise InputError(
                f"{here}: found no question {question_id!r}, expected the "
                f"questions of {there}"
            )
    return {
        question_id: _join_ranked(
            [member[question_id] for member in members],
            [f"{name}: question {question_id!r}" for name in names],
        )
        for question_id in members[0]
    }


def _join_ranked(members, places):
    """Joins the members' answers to one question."""
    scores = collections.defaultdict(list)
    # Of each span the text, and where it was read.
    texts = {}
    for ranked, place in zip(members, places, strict=True):
        for answer in ranked:
            span = answer.start, answer.end
            text, other = texts.setdefault(span, (answer.text, place))
            if text != answer.text:
                raise InputError(
                    f"{place}: found {answer.text!r} from {span[0]} to "
                    f"{span[1]}, expected {text!r} as in {other}"
                )
            scores[span].append(answer.score)
    # The same whichever member comes first.
    sums = {span: math.fsum(values) for span, values in scores.items()}
    best = sorted(sums, key=lambda span: (-sums[span], span))
    return [
        Answer(texts[span][0], *span, sums[span] / len(members))
        for span in best[: max(map(len, members))]
    ]
