"""Products of the vectors of pairs, a few spans at a time."""

import tensorflow as tf

# Of how many spans the pairs are there at once: as many vectors as this times
# the number of antecedents.
_BLOCK_SIZE = 16


def pair_products(spans, before, kernel, training):
    """Multiplies g_i ∘ g_j with a matrix, for the pairs of spans i and j.

    All g_i ∘ g_j together would be larger by far than what else the model makes
    of a long document. They are made for a few spans at a time, and once more
    for the gradient.

    Args:
        spans: g, `[batch, n, span_dim]`.
        before: int32 `[n, k]`, the numbers j of span i's antecedents.
        kernel: `[span_dim, units]`, of the spans' dtype.
        training: Whether to have this gradient, which has no derivative. Else
            it is TensorFlow's: a SavedModel cannot hold one of a loop.

    Returns:
        `[batch, n, k, units]`.
    """
    batch, n_spans = tf.unstack(tf.shape(spans)[:2])
    n_before = tf.shape(before)[1]
    span_dim, units = kernel.shape
    # The spans of all documents, one after the other, are rows, cut into
    # blocks: at least one, so that its shape is known.
    n_rows = batch * n_spans
    n_blocks = tf.maximum(-(-n_rows // _BLOCK_SIZE), 1)

    def to_blocks(values):
        # [batch, n, …] → [blocks, _BLOCK_SIZE, …], zeros behind the end
        rest = tf.shape(values)[2:]
        rows = tf.reshape(values, tf.concat([[n_rows], rest], axis=0))
        paddings = [[0, n_blocks * _BLOCK_SIZE - n_rows]]
        paddings += [[0, 0]] * (len(values.shape) - 2)
        return tf.reshape(
            tf.pad(rows, paddings),
            tf.concat([[n_blocks, _BLOCK_SIZE], rest], axis=0),
        )

    def from_blocks(values):
        # [blocks · _BLOCK_SIZE, …] → [batch, n, …]
        rest = tf.shape(values)[1:]
        return tf.reshape(
            values[:n_rows], tf.concat([[batch, n_spans], rest], axis=0)
        )

    starts = n_spans * tf.range(batch)
    # [n, k] → [batch, n, k] → [blocks, _BLOCK_SIZE, k], rows
    antecedents = to_blocks(before + starts[:, tf.newaxis, tf.newaxis])

    def run(spans, kernel):
        blocks = to_blocks(spans)
        outputs = _multiply(blocks, antecedents, kernel)

        def gradient(output_gradient):
            spans_gradient, kernel_gradient = _gradients(
                blocks, antecedents, kernel, to_blocks(output_gradient)
            )
            return (
                tf.cast(from_blocks(spans_gradient), spans.dtype),
                tf.cast(kernel_gradient, kernel.dtype),
            )

        outputs = from_blocks(tf.reshape(outputs, [-1, n_before, units]))
        return outputs, gradient

    spans = tf.ensure_shape(spans, [None, None, span_dim])
    if training:
        return tf.custom_gradient(run)(spans, kernel)
    outputs, _ = run(spans, kernel)
    return outputs


def _pairs(blocks, antecedents, block):
    """The vectors of a block's pairs, `[…, 1, span_dim]` and `[…, k, …]`."""
    rows = tf.reshape(blocks, [-1, blocks.shape[-1]])
    return blocks[block][:, tf.newaxis], tf.gather(rows, antecedents[block])


def _multiply(blocks, antecedents, kernel):
    """The products of all pairs, `[blocks, _BLOCK_SIZE, k, units]`."""

    def multiply_block(block):
        own, others = _pairs(blocks, antecedents, block)
        return tf.tensordot(own * others, kernel, axes=1)

    return tf.map_fn(
        multiply_block,
        tf.range(tf.shape(blocks)[0]),
        parallel_iterations=1,
        fn_output_signature=tf.TensorSpec(
            [_BLOCK_SIZE, antecedents.shape[2], kernel.shape[1]], blocks.dtype
        ),
    )


def _gradients(blocks, antecedents, kernel, output_gradient):
    """The gradients of rows and kernel, float32 as sums of many."""

    def add_block(sums, block):
        rows_gradient, kernel_gradient = sums
        own, others = _pairs(blocks, antecedents, block)
        # [_BLOCK_SIZE, k, units]
        wanted = output_gradient[block]
        kernel_gradient += tf.cast(
            tf.tensordot(own * others, wanted, axes=[[0, 1], [0, 1]]),
            tf.float32,
        )
        # [_BLOCK_SIZE, k, span_dim]
        wanted = tf.tensordot(wanted, kernel, axes=[2, 1])
        rows = block * _BLOCK_SIZE + tf.range(_BLOCK_SIZE)
        for places, gradient in (
            (rows, tf.reduce_sum(wanted * others, axis=1)),
            (antecedents[block], wanted * own),
        ):
            rows_gradient = tf.tensor_scatter_nd_add(
                rows_gradient,
                places[..., tf.newaxis],
                tf.cast(gradient, tf.float32),
            )
        return rows_gradient, kernel_gradient

    n_blocks = tf.shape(blocks)[0]
    return tf.foldl(
        add_block,
        tf.range(n_blocks),
        (
            tf.zeros([n_blocks * _BLOCK_SIZE, blocks.shape[-1]]),
            tf.zeros(kernel.shape),
        ),
        parallel_iterations=1,
    )
