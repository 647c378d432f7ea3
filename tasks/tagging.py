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


def decode_tags(outputs, labels):
    """Reads the best tags of a model with a `LinearChainCRF`, in the graph.

    Args:
        outputs: A dictionary of `mask`, bool `[batch, time]`, and of what
            `LinearChainCRF` gives.
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
