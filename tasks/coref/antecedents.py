"""From the scores of antecedents to a loss, and to clusters."""

import tensorflow as tf

# In the place of a cluster's number, where a span has none.
NO_CLUSTER = -1


def antecedent_loss(scores, clusters, mask):
    """The marginal negative log-likelihood (Lee et al. 2017, equation 7).

    Of all antecedents of a span's cluster among those scored, the model may
    choose any; of a span without one, it is to choose that there is none.

    Args:
        scores: Float32 `[batch, n, 1 + k]`, as `AntecedentScorer` gives them.
        clusters: int32 `[batch, n]`, the number of each span's true cluster,
            from 0 up, or `NO_CLUSTER`.
        mask: Bool `[batch, n]`, False for the spans that are none.

    Returns:
        Float32 `[batch]`, the sum over the spans.
    """
    n_spans, n_columns = tf.unstack(tf.shape(scores)[1:])
    before = tf.range(n_spans)[:, tf.newaxis] - tf.range(1, n_columns)
    # [batch, n, k]
    others = tf.gather(clusters, tf.maximum(before, 0), axis=1)
    own = clusters[:, :, tf.newaxis]
    is_gold = tf.equal(own, others) & (own != NO_CLUSTER) & (before >= 0)
    has_none = ~tf.reduce_any(is_gold, axis=-1, keepdims=True)
    # [batch, n, 1 + k]
    is_gold = tf.concat([has_none, is_gold], axis=-1)
    gold_scores = tf.where(is_gold, scores, tf.float32.min)
    losses = tf.reduce_logsumexp(scores, axis=-1) - tf.reduce_logsumexp(
        gold_scores, axis=-1
    )
    return tf.reduce_sum(tf.where(mask, losses, 0.0), axis=1)


def mention_loss(scores, clusters, candidates):
    """The cross-entropy of whether each candidate is a mention.

    Args:
        scores: Float32 `[batch, time, max_width]`, the candidates' logits.
        clusters: int32 of the same shape, the numbers of their true clusters,
            or `NO_CLUSTER`.
        candidates: Bool of the same shape, False for spans that are none.

    Returns:
        Float32 `[batch]`, the sum over the candidates.
    """
    losses = tf.nn.sigmoid_cross_entropy_with_logits(
        tf.cast(clusters != NO_CLUSTER, tf.float32), scores
    )
    return tf.reduce_sum(tf.where(candidates, losses, 0.0), axis=[1, 2])


def find_clusters(scores, mask, is_mention=None):
    """Puts each span into the cluster of its best antecedent.

    Args:
        scores: Float32 `[batch, n, 1 + k]`, as `AntecedentScorer` gives them.
            Of equal ones the first is the best.
        mask: Bool `[batch, n]`, False for the spans that are none.
        is_mention: Bool `[batch, n]`, the spans that make a cluster even when
            they are alone; None: there are none.

    Returns:
        int32 `[batch, n]`: the number of each span's cluster, which is that of
        the cluster's first span; `NO_CLUSTER` for any other span that is alone.
    """
    # 0: there is none.
    best = tf.argmax(scores, axis=-1, output_type=tf.int32)
    n_spans = tf.shape(scores)[1]
    places = tf.broadcast_to(tf.range(n_spans), tf.shape(best))
    has_antecedent = mask & (best > 0)
    roots = tf.where(has_antecedent, places - best, places)
    # Each round doubles the way.
    roots, _ = tf.while_loop(
        lambda roots, further: tf.reduce_any(roots != further),
        lambda _, further: (further, tf.gather(further, further, batch_dims=1)),
        (roots, tf.gather(roots, roots, batch_dims=1)),
    )
    # [batch, n]: whether a span is another one's root.
    sizes = tf.math.unsorted_segment_sum(
        tf.ones_like(roots),
        roots + n_spans * tf.range(tf.shape(roots)[0])[:, tf.newaxis],
        tf.size(roots),
    )
    sizes = tf.reshape(sizes, tf.shape(roots))
    is_alone = tf.gather(sizes, roots, batch_dims=1) == 1
    is_in_cluster = ~is_alone
    if is_mention is not None:
        is_in_cluster |= is_mention
    return tf.where(mask & is_in_cluster, roots, NO_CLUSTER)
