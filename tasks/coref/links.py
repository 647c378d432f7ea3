"""Joins the antecedents that several models find."""

import numpy as np
import tensorflow as tf

# In the place of the tokens of an antecedent that is none.
_NONE = -1


def list_links(outputs):
    """Lists what a model says about each span and its possible antecedents.

    Args:
        outputs: The outputs of `make_coref_model`.

    Returns:
        A dictionary of tensors `[batch, links]`: `first`, `last`,
        `antecedent_first` and `antecedent_last`, int32, `probability`, float32,
        0 for links that there are not, and `mention_probability`, float32, that
        of the span, 0 where single mentions are not found. The last two of the
        former are −1 where the span has no antecedent.
    """
    scores, mask = outputs["scores"], outputs["mask"]
    n_spans, n_columns = tf.unstack(tf.shape(scores)[1:])
    before = tf.range(n_spans)[:, tf.newaxis] - tf.range(1, n_columns)
    before = tf.maximum(before, 0)
    probabilities = tf.nn.softmax(scores)
    found = {
        "probability": tf.where(mask[:, :, tf.newaxis], probabilities, 0.0)
    }
    mentions = tf.broadcast_to(
        mention_probabilities(outputs)[:, :, tf.newaxis], tf.shape(scores)
    )
    found["mention_probability"] = mentions
    for name in ("first", "last"):
        values = outputs[name][:, :, tf.newaxis]
        antecedents = tf.gather(outputs[name], before, axis=1)
        found[f"antecedent_{name}"] = tf.concat(
            [tf.fill(tf.shape(values), _NONE), antecedents], axis=2
        )
        found[name] = tf.broadcast_to(values, tf.shape(scores))
    batch = tf.shape(scores)[0]
    return {
        name: tf.reshape(values, [batch, -1]) for name, values in found.items()
    }


def mention_probabilities(outputs):
    """How likely each of the spans that are kept is a mention.

    Args:
        outputs: The outputs of `make_coref_model`.

    Returns:
        Float32 `[batch, kept]`, 0 at padding and where single mentions are not
        found.
    """
    mask = outputs["mask"]
    if "mention_scores" not in outputs:
        return tf.zeros(tf.shape(mask))
    # [batch, time, max_width] → [batch, kept]
    scores = outputs["mention_scores"]
    scores = tf.reshape(scores, [tf.shape(scores)[0], -1])
    scores = tf.gather(scores, outputs["places"], batch_dims=1)
    return tf.where(mask, tf.sigmoid(scores), 0.0)


def join_links(links, n_members):
    """Makes clusters of the links that the members of an ensemble find.

    A span's antecedent is the one whose probability is highest on average. A
    member that has not kept the span is sure that it has none, and is no
    mention. A span that stays alone is a cluster if it is a mention with a
    probability above one half on average.

    Members may have kept spans that cross. A span that crosses one of the
    cluster that it would come into is left out: no file could tell the two
    apart (see `write_brackets`).

    Args:
        links: A dictionary of arrays `[links]`, those of `list_links` for one
            document, the members' one after the other.
        n_members: How many members there are.

    Returns:
        A list of clusters, lists of `(first, last)`.
    """
    is_there = links["probability"] > 0
    names = ("first", "last", "antecedent_first", "antecedent_last")
    rows = np.stack([links[name][is_there] for name in names], axis=1)
    # In ascending order: first that there is none, then the nearest last.
    distinct, numbers = np.unique(rows, axis=0, return_inverse=True)
    probabilities = links["probability"][is_there]
    sums = np.bincount(numbers.reshape(-1), probabilities, len(distinct))
    mention_sums = {}
    # For each member that has kept the span the weights' sum is one.
    weighted = probabilities * links["mention_probability"][is_there]
    for first, last, weight in zip(*rows.T[:2].tolist(), weighted, strict=True):
        span = first, last
        mention_sums[span] = mention_sums.get(span, 0.0) + weight
    candidates = {}
    for row, total in zip(distinct.tolist(), sums.tolist(), strict=True):
        candidates.setdefault(tuple(row[:2]), {})[tuple(row[2:])] = total
    clusters = []
    cluster_of = {}
    none = (_NONE, _NONE)
    for span, totals in candidates.items():
        # For each member that has kept the span the sum is one.
        n_without = n_members - round(sum(totals.values()))
        best_total = totals.pop(none, 0.0) + n_without
        best = none
        for antecedent, total in totals.items():
            if total > best_total or (total == best_total and best != none):
                best, best_total = antecedent, total
        if best == none and mention_sums[span] <= n_members / 2:
            continue
        start = span if best == none else best
        if any(_cross(span, other) for other in cluster_of.get(start, [start])):
            continue
        if start not in cluster_of:
            cluster_of[start] = [start]
            clusters.append(cluster_of[start])
        if best != none:
            cluster_of[best].append(span)
            cluster_of[span] = cluster_of[best]
    return clusters


def _cross(span, other):
    (first, last), (other_first, other_last) = sorted([span, other])
    return first < other_first <= last < other_last
