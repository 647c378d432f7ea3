"""From the scores of a span's two ends to the best spans.

A span `(k, l)` takes the tokens from `k` to `l`, both included, and scores
`start[k] + end[l]`: the logarithm of the product that Seo et al. (2017, section
2, "Test") maximize, when the two are logarithms of probabilities. The functions
run in a graph, compiled or not, and give what trying all the spans one by one
would give, to the last bit and with ties.

What a start can reach at best is `start[k]` and the maximum of `end` over a
window that begins at `k`. All windows' maxima come from maxima over 1, 2, 4, …
tokens: `O(T log T)` work in `log T` steps over whole batches. The recurrence in
linear time, a running maximum, would take `T` steps one after the other, which
is slower for any context one could have.
"""

import tensorflow as tf

_IMPOSSIBLE = -float("inf")


def best_span(start_scores, end_scores, mask=None, max_length=None):
    """Finds the span that scores best in each row.

    Among spans of the same score, added in float32, the one that starts first
    is better, and then the one that ends first.

    Args:
        start_scores: Float `[batch, T]`: for each token, the logarithm of the
            probability that the answer starts there.
        end_scores: Float `[batch, T]`: likewise, of its last token.
        mask: `[batch, T]`, true for tokens at which a span may start and end;
            None: all.
        max_length: The most tokens that a span may have; None: any number.

    Returns:
        `start` and `end`, int32 `[batch]`, and `score`, float32 `[batch]`. In a
        row without any span, or where none has more than the score −∞ of a
        probability of zero, they are −1, −1 and −∞.

    Raises:
        ValueError: `max_length` is not positive.
    """
    spans = n_best_spans(start_scores, end_scores, 1, mask, max_length)
    return tuple(tensor[:, 0] for tensor in spans)


def n_best_spans(start_scores, end_scores, n, mask=None, max_length=None):
    """Finds the n spans that score best in each row, the best one first.

    The order is that of `best_span`. No more than `[batch, n, T]` sums are
    computed: if a span is among the n best, its start is among the n starts
    that reach most, for each better start has a better span.

    Args:
        start_scores: As for `best_span`.
        end_scores: Likewise.
        n: How many spans.
        mask: As for `best_span`.
        max_length: Likewise.

    Returns:
        `starts` and `ends`, int32 `[batch, n]`, and `scores`, float32 `[batch,
        n]`. Where a row has fewer spans, the rest is −1, −1 and −∞.

    Raises:
        ValueError: `n` or `max_length` is not positive.
    """
    for name, value in (("n", n), ("max_length", max_length)):
        if value is not None and value < 1:
            raise ValueError(
                f"`{name}` should be positive. Received: {name}={value}"
            )
    start_scores = _prepare(start_scores, mask, n)
    end_scores = _prepare(end_scores, mask, n)
    time = tf.shape(start_scores)[1]
    length = time if max_length is None else tf.minimum(max_length, time)
    reachable = start_scores + _window_maxima(end_scores, length)
    # Of equals, top_k takes those of the lowest indices. In ascending order,
    # the starts make it do so among spans too.
    # [batch, T] → [batch, n]
    starts = tf.sort(tf.math.top_k(reachable, n).indices)
    # [batch, n, 1] and [batch, 1, T] → [batch, n, T]
    positions = tf.range(time)
    offsets = positions - starts[:, :, tf.newaxis]
    scores = tf.where(
        (offsets >= 0) & (offsets < length),
        tf.gather(start_scores, starts, batch_dims=1)[:, :, tf.newaxis]
        + end_scores[:, tf.newaxis],
        _IMPOSSIBLE,
    )
    # [batch, n, T] → [batch, n · T] → [batch, n]
    scores, indices = tf.math.top_k(
        tf.reshape(scores, [tf.shape(scores)[0], n * time]), n
    )
    starts = tf.gather(starts, indices // time, batch_dims=1)
    is_span = scores > _IMPOSSIBLE
    return (
        tf.where(is_span, starts, -1),
        tf.where(is_span, indices % time, -1),
        scores,
    )


def _prepare(scores, mask, n):
    """Masks, and appends n impossible tokens: there are n spans then."""
    scores = tf.cast(scores, tf.float32)
    if mask is not None:
        scores = tf.where(tf.cast(mask, tf.bool), scores, _IMPOSSIBLE)
    return tf.pad(scores, [[0, 0], [0, n]], constant_values=_IMPOSSIBLE)


def _window_maxima(scores, length):
    """The maximum of each window of `length` scores, cut off at the end.

    Args:
        scores: Float `[batch, T]`, the last one of each row −∞.
        length: Integer scalar from 1 to T.

    Returns:
        `[batch, T]`; the window of position k begins there.
    """
    positions = tf.range(tf.shape(scores)[1])

    def shifted(maxima, distance):
        # Past the end stands what stands last: −∞.
        there = tf.minimum(positions + distance, positions[-1])
        return tf.gather(maxima, there, axis=1)

    def is_short(maxima, width):
        return 2 * width <= length

    def double(maxima, width):
        return tf.maximum(maxima, shifted(maxima, width)), 2 * width

    maxima, width = tf.while_loop(is_short, double, (scores, 1))
    # Two windows of `width`, which may overlap, make one of `length`.
    return tf.maximum(maxima, shifted(maxima, length - width))
