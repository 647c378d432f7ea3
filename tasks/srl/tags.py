"""Propositions as BIO tags, one a token (He et al. 2017, section 2).

`B-V` stands at the predicate, `B-ARG0` at the first token of an argument or of
a piece of it, `I-ARG0` at its others, `O` elsewhere. Which tag may follow which
is a matter of `tasks.text.tags`: its `transition_mask`, `start_mask` and
`end_mask`, for "BIO", are the constraints for Viterbi decoding.
"""

import dataclasses
import itertools

from tasks.text import tags as span_tags
from tasks.text.span import Span

_ENCODING = "BIO"
_CONTINUES = "C-"


def list_tags(sentences):
    """Lists the tags that a tagger for some sentences needs.

    Args:
        sentences: A sequence of `SRLSentence`.

    Returns:
        A list of distinct tags: O, then B and I of each role, in alphabetical
        order.
    """
    roles = {
        span.label
        for sentence in sentences
        for proposition in sentence.propositions
        for span in _disjoint(proposition.arguments, len(sentence))
    }
    return span_tags.tag_set(sorted(roles), _ENCODING)


def write_tags(proposition, length):
    """Writes the arguments of a proposition as tags.

    Where an argument contains another, the inner one has its tokens, and what
    is left of the outer one is a piece each: the first with its role, the
    others with `C-` in front.

    Args:
        proposition: The `Proposition`.
        length: The number of tokens of its sentence.

    Returns:
        A list of length tags.
    """
    spans = _disjoint(proposition.arguments, length)
    return span_tags.write_tags(spans, length, _ENCODING)


def read_tags(proposition, tags):
    """Reads the arguments of a proposition from tags.

    Args:
        proposition: The `Proposition`, whose arguments are not looked at.
        tags: A sequence of tags, one for each token of its sentence. `I-` may
            stand without a `B-` before it, and then begins an argument.

    Returns:
        A `Proposition` of the same predicate.

    Raises:
        InputError: Something is not a tag.
    """
    spans = span_tags.read_spans_leniently(tags)
    return dataclasses.replace(proposition, arguments=tuple(spans))


def _disjoint(spans, length):
    """Gives each token to the innermost of nested spans."""
    # The number of each token's span; -1 outside of any.
    owners = [-1] * length
    for number, span in enumerate(spans):
        owners[span.start : span.end] = [number] * (span.end - span.start)
    pieces = []
    seen = set()
    for owner, run in itertools.groupby(range(length), owners.__getitem__):
        if owner < 0:
            continue
        label = spans[owner].label
        if owner in seen and not label.startswith(_CONTINUES):
            label = _CONTINUES + label
        seen.add(owner)
        run = list(run)
        pieces.append(Span(label, run[0], run[-1] + 1))
    return pieces
