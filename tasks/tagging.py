"""What tasks that give each token a tag have in common."""

import numpy as np
import tensorflow as tf


def tag_targets(tags, labels):
    """Makes the numbers of tags.

    Args:
        tags: A list of each example's sequence of tags.
        labels: All tags, in the order of the model's outputs.

    Returns:
        An int32 array `[examples, time]`, 0 at padding.
    """
    places = {tag: place for place, tag in enumerate(labels)}
    numbers = np.zeros([len(tags), max(map(len, tags))], np.int32)
    for row, own in zip(numbers, tags, strict=True):
        row[: len(own)] = [places[tag] for tag in own]
    return numbers


def softmax_loss(outputs, tags):
    """Computes the loss of a softmax for each token.

    Args:
        outputs: A dictionary of `scores`, float32 `[batch, time, n_tags]`, and
            `mask`, bool `[batch, time]`.
        tags: What `tag_targets` made.

    Returns:
        Float32 `[batch]`, the sum over each example's tokens.
    """
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        tags, outputs["scores"]
    )
    # [batch, time] → [batch]
    return tf.reduce_sum(tf.where(outputs["mask"], losses, 0.0), axis=1)


def mean_scores(outputs):
    """Takes the mean of several models' probabilities of each token's tags.

    Args:
        outputs: A list of dictionaries with `scores`, float32 `[batch, time,
            n_tags]`.

    Returns:
        Float32 `[batch, time, n_tags]`, the means' logarithms.
    """
    # [members, batch, time, n_tags] → [batch, time, n_tags]
    probabilities = tf.reduce_mean(
        tf.nn.softmax(tf.stack([member["scores"] for member in outputs])),
        axis=0,
    )
    return tf.math.log(tf.maximum(probabilities, 1e-30))


def best_tags(scores, mask):
    """Takes each token's best tag by itself.

    Args:
        scores: Float32 `[batch, time, n_tags]`.
        mask: Bool `[batch, time]`, true for tokens.

    Returns:
        A dictionary of what `LinearChainCRF` gives: `tags`, int32 `[batch,
        time]`, `marginals`, float32 `[batch, time, n_tags]`, and
        `log_probability`, float32 `[batch]`; 0 at padding.
    """
    log_probabilities = tf.nn.log_softmax(scores)
    best = tf.reduce_max(log_probabilities, axis=2)
    return {
        "tags": tf.where(mask, tf.argmax(scores, 2, tf.int32), 0),
        "marginals": tf.where(
            mask[:, :, tf.newaxis], tf.exp(log_probabilities), 0.0
        ),
        "log_probability": tf.reduce_sum(tf.where(mask, best, 0.0), axis=1),
    }


def decode_tags(outputs, labels):
    """Reads the best tags, in the graph.

    Args:
        outputs: A dictionary of `mask`, bool `[batch, time]`, and of what
            `LinearChainCRF` or `best_tags` gives.
        labels: All tags, in their order.

    Returns:
        A dictionary of `tags`, string `[batch, time]`, empty at padding;
        `tag_probabilities`, float32 `[batch, time]`, their marginals; and
        `probability`, float32 `[batch]`, that of all tags together.
    """
    tags = outputs["tags"]
    # [batch, time, n_tags] → [batch, time, 1]
    chosen = tf.gather(
        outputs["marginals"], tags[:, :, tf.newaxis], axis=2, batch_dims=2
    )
    return {
        "tags": tf.where(
            outputs["mask"], tf.gather(tf.constant(labels), tags), ""
        ),
        "tag_probabilities": tf.squeeze(chosen, axis=2),
        "probability": tf.exp(outputs["log_probability"]),
    }
