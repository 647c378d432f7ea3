"""Negative samples from the log-uniform distribution, without hidden state."""

import tensorflow as tf


def log_uniform_candidates(n_samples, range_max, seed):
    """Draws distinct class ids, frequent classes (low ids) more often.

    Classes are drawn with probability `log(1 + 1 / (id + 1)) / log(range_max +
    1)`, close to Zipf's law for a vocabulary sorted by falling frequency,
    until `n_samples` distinct ones are found, as
    `tf.random.log_uniform_candidate_sampler(unique=True)` does; but the sample
    is a function of `seed`, so a resumed training draws those of an
    uninterrupted one. Does not compile with `jit_compile`: the number of draws
    is not known beforehand.

    Args:
        n_samples: Number of distinct ids, at most `range_max`.
        range_max: Number of classes.
        seed: Two integers, tensor or tuple.

    Returns:
        A tuple of the ids, int32 `[n_samples]` in the order of their first
        draw, and the number of draws that it took, a float32 scalar.

    Raises:
        ValueError: `n_samples` is larger than `range_max`.
    """
    if n_samples > range_max:
        raise ValueError(
            f"cannot draw {n_samples} distinct negative samples from "
            f"{range_max} words"
        )
    log_range = tf.math.log(tf.constant(range_max + 1, tf.float64))

    def draw(round_index):
        # Double precision: float32 cannot tell neighbouring rare ids apart.
        uniform = tf.random.stateless_uniform(
            [2 * n_samples],
            tf.random.fold_in(seed, round_index),
            dtype=tf.float64,
        )
        ids = tf.cast(tf.exp(uniform * log_range), tf.int32) - 1
        return tf.clip_by_value(ids, 0, range_max - 1)

    def distinct(ids):
        return tf.size(tf.unique(ids).y)

    _, draws = tf.while_loop(
        lambda _, draws: distinct(draws) < n_samples,
        lambda round_index, draws: (
            round_index + 1,
            tf.concat([draws, draw(round_index)], axis=0),
        ),
        (tf.constant(1), draw(tf.constant(0))),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )
    candidates, first_seen = tf.unique(draws)
    # The draw that found the last of the candidates: ids are numbered by their
    # first draw, so it is the first one to be numbered n_samples − 1.
    n_draws = tf.argmax(tf.equal(first_seen, n_samples - 1)) + 1
    return (
        tf.ensure_shape(candidates[:n_samples], [n_samples]),
        tf.cast(n_draws, tf.float32),
    )


def log_uniform_expected_count(class_ids, range_max, n_draws):
    """How often each class is expected in a sample without repetition.

    Args:
        class_ids: Integer tensor of any shape.
        range_max: Number of classes.
        n_draws: The number of draws that the sample took, float32 scalar.

    Returns:
        Float32 tensor of the ids' shape: `1 − (1 − p)^n_draws`.
    """
    ids = tf.cast(class_ids, tf.float32)
    probability = tf.math.log1p(1.0 / (ids + 1.0)) / tf.math.log(
        float(range_max + 1)
    )
    return -tf.math.expm1(n_draws * tf.math.log1p(-probability))
