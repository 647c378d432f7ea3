"""From each replica's gradients to one update of the shared weights."""

import tensorflow as tf


def sum_duplicate_rows(slices):
    """Sums the rows that occur several times.

    Args:
        slices: `tf.IndexedSlices`.

    Returns:
        Equal `tf.IndexedSlices` in which each row occurs once.
    """
    rows, positions = tf.unique(slices.indices)
    values = tf.math.unsorted_segment_sum(
        slices.values, positions, tf.size(rows)
    )
    return tf.IndexedSlices(values, rows, slices.dense_shape)


def reduce_gradients(gradients):
    """Sums gradients over the replicas; to be called in each of them.

    Args:
        gradients: A list of tensors and `tf.IndexedSlices`.

    Returns:
        The list of their sums, each row of a sparse one once.
    """
    context = tf.distribute.get_replica_context()
    if context.num_replicas_in_sync > 1:
        # Fewer rows to send.
        gradients = [_without_duplicates(gradient) for gradient in gradients]
        gradients = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)
    return [_without_duplicates(gradient) for gradient in gradients]


def clip_by_global_norm(gradients, clip_norm):
    """Scales the gradients down so that their norm is at most `clip_norm`.

    Args:
        gradients: A list of tensors and `tf.IndexedSlices` without duplicate
            rows.
        clip_norm: The bound; None: the gradients stay as they are.

    Returns:
        A tuple of the list of clipped gradients and the norm of each before
        clipping, float32 `[len(gradients)]`. Where a norm is not finite, all
        clipped gradients are NaN.
    """
    norms = tf.stack([_norm(gradient) for gradient in gradients])
    if clip_norm is not None:
        gradients, _ = tf.clip_by_global_norm(
            gradients, clip_norm, use_norm=tf.norm(norms)
        )
    return gradients, norms


def apply_reduced_gradients(optimizer, gradients, variables):
    """Updates variables with gradients that are the same in each replica.

    `optimizer.apply` would sum them over the replicas once more.

    Args:
        optimizer: A `keras.optimizers.Optimizer`, built.
        gradients: A list of tensors and `tf.IndexedSlices`.
        variables: The list of their Keras variables.
    """
    learning_rate = tf.convert_to_tensor(optimizer.learning_rate)

    def update(strategy, gradients):
        for gradient, variable in zip(gradients, variables, strict=True):
            strategy.extended.update(
                variable.value,
                lambda component, gradient: optimizer.update_step(
                    gradient, component, learning_rate
                ),
                args=(gradient,),
                group=False,
            )
        strategy.extended.update(
            optimizer.iterations.value,
            lambda iterations: iterations.assign_add(1),
            group=False,
        )

    tf.distribute.get_replica_context().merge_call(update, args=(gradients,))


def _without_duplicates(gradient):
    if isinstance(gradient, tf.IndexedSlices):
        return sum_duplicate_rows(gradient)
    return gradient


def _norm(gradient):
    if isinstance(gradient, tf.IndexedSlices):
        gradient = gradient.values
    # One pass: half the sum of the squares.
    return tf.sqrt(2.0 * tf.nn.l2_loss(tf.cast(gradient, tf.float32)))
