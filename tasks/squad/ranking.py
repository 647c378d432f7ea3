"""From the windows of a context to a question's best answers."""

import numpy as np

from bidaf_tf.answer import Answer
from tasks.squad.window_spans import WindowSpans


def rank_answers(examples, windows, n):
    """Finds a question's n best answers in all windows of its context.

    Logits do not depend on how much else the window holds, so windows are
    compared by them: the probabilities are those of one softmax over all
    windows. Of a span that stands in several the one with the most counts.

    Args:
        examples: A list of the `SquadExample` of each window.
        windows: A list of their `WindowSpans`, n spans each if there are
            so many.
        n: The most answers to give.

    Returns:
        A list of `Answer`, at least one, the best one first; of equals, the
        one in the earlier window, or found earlier there.
    """
    total = np.logaddexp.reduce([window.total for window in windows])
    scores = {}
    for example, window in zip(examples, windows, strict=True):
        for first, last, score in window.spans:
            place = example.starts[first], example.ends[last]
            scores[place] = max(score, scores.get(place, score))
    best = sorted(scores, key=lambda place: -scores[place])[:n]
    context = examples[0].question.context
    return [
        Answer(
            context[start:end],
            start,
            end,
            # Rounded, the sum may be less than its only part.
            min(float(np.exp(scores[start, end] - total)), 1.0)
            if start < end
            else 0.0,
        )
        for start, end in best
    ]


def join_members(logits, n, max_length):
    """Finds the spans with the highest mean probability in an ensemble.

    By their sum, "the highest sum of confidence scores", Seo et al. choose the
    answer of their twelve members (section 4).

    Args:
        logits: A list of a float array `[members, 2, tokens]` for each window
            of a context: each member's logits of the first and the last token.
        n: How many spans to find in each window.
        max_length: The most tokens that a span may have; None: any number.

    Returns:
        A list of `WindowSpans`; of equals, the span that starts first and then
        the one that ends first is better.
    """
    # [windows, members, 2], the members and [windows, members]
    log_sums = np.stack([np.logaddexp.reduce(row, axis=-1) for row in logits])
    totals = log_sums.sum(axis=-1)
    shares = np.exp(totals - np.logaddexp.reduce(totals))
    return [
        _best_spans(
            np.exp(row - log_sum[..., np.newaxis]), share, n, max_length
        )
        for row, log_sum, share in zip(logits, log_sums, shares, strict=True)
    ]


def _best_spans(probabilities, shares, n, max_length):
    """The n best spans of a window.

    Args:
        probabilities: Float `[members, 2, tokens]`, in the window alone.
        shares: Float `[members]`: how much of each member's probability is in
            this window.
        n: How many spans.
        max_length: The most tokens of a span, or None.
    """
    starts, ends = probabilities[:, 0], probabilities[:, 1]
    # [members, tokens] twice → [tokens, tokens]
    means = (shares[:, np.newaxis] * starts).T @ ends / len(shares)
    allowed = np.triu(np.ones(means.shape, bool))
    if max_length is not None:
        allowed &= ~np.triu(allowed, max_length)
    places = np.flatnonzero(allowed)
    means = means.ravel()[places]
    if n < len(means):
        # Which of equals a partition takes is open.
        is_best = means >= np.partition(means, -n)[-n]
        places, means = places[is_best], means[is_best]
    best = np.argsort(-means, kind="stable")[:n]
    # A probability may be too small for a float.
    with np.errstate(divide="ignore"):
        scores = np.log(means[best])
        total = np.log(shares.mean())
    firsts, lasts = np.divmod(places[best], starts.shape[1])
    return WindowSpans(
        list(
            zip(firsts.tolist(), lasts.tolist(), scores.tolist(), strict=True)
        ),
        float(total),
    )
