"""Products of the vectors of pairs, a few spans at a time."""

import dataclasses

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
    shape = *tf.unstack(tf.shape(spans)[:2]), tf.shape(before)[1]
    pairs = _make_pairs(before, *shape)

    def run(spans, kernel):
        # [batch, n, span_dim] → [rows, span_dim]
        vectors = tf.reshape(spans, [-1, spans.shape[-1]])
        outputs = tf.reshape(
            _multiply(pairs, vectors, kernel), [*shape, kernel.shape[1]]
        )

        def gradient(output_gradient):
            vectors_gradient, kernel_gradient = _gradients(
                pairs,
                vectors,
                kernel,
                # [batch, n, k, units] → [rows, k, units]
                tf.reshape(output_gradient, [-1, shape[2], kernel.shape[1]]),
            )
            return (
                tf.reshape(vectors_gradient, tf.shape(spans)),
                kernel_gradient,
            )

        return outputs, gradient

    if training:
        return tf.custom_gradient(run)(spans, kernel)
    outputs, _ = run(spans, kernel)
    return outputs


@dataclasses.dataclass(frozen=True)
class _Pairs:
    """The pairs of all documents, whose spans are rows, one after the other.

    Attributes:
        n_rows: How many rows there are, a scalar.
        n_blocks: Into how many blocks of `_BLOCK_SIZE` rows they are cut; the
            last one may go on behind the end.
        antecedents: int32 `[blocks, _BLOCK_SIZE, k]`, rows.
    """

    n_rows: tf.Tensor
    n_blocks: tf.Tensor
    antecedents: tf.Tensor

    def of(self, vectors, block):
        """A block's vectors, `[…, 1, dim]`, and antecedents', `[…, k, dim]`."""
        rows = block * _BLOCK_SIZE + tf.range(_BLOCK_SIZE)
        # Behind the end anything may stand.
        own = tf.gather(vectors, tf.minimum(rows, self.n_rows - 1))
        return own[:, tf.newaxis], tf.gather(vectors, self.antecedents[block])


def _make_pairs(before, batch, n_spans, n_before):
    n_rows = batch * n_spans
    n_blocks = -(-n_rows // _BLOCK_SIZE)
    # [n, k] → [batch, n, k] → [rows, k]
    starts = n_spans * tf.range(batch)
    rows = before + starts[:, tf.newaxis, tf.newaxis]
    rows = tf.reshape(rows, [n_rows, n_before])
    rows = tf.pad(rows, [[0, n_blocks * _BLOCK_SIZE - n_rows], [0, 0]])
    rows = tf.reshape(rows, [n_blocks, _BLOCK_SIZE, n_before])
    return _Pairs(n_rows, n_blocks, rows)


def _multiply(pairs, vectors, kernel):
    """The products, `[rows, k, units]`."""

    def of_block(block):
        own, antecedents = pairs.of(vectors, block)
        return tf.tensordot(own * antecedents, kernel, axes=1)

    # [blocks, _BLOCK_SIZE, k, units]
    outputs = tf.map_fn(
        of_block,
        tf.range(pairs.n_blocks),
        parallel_iterations=1,
        fn_output_signature=tf.TensorSpec(
            [_BLOCK_SIZE, pairs.antecedents.shape[2], kernel.shape[1]],
            vectors.dtype,
        ),
    )
    outputs = tf.reshape(
        outputs, [-1, tf.shape(pairs.antecedents)[2], kernel.shape[1]]
    )
    return outputs[: pairs.n_rows]


def _gradients(pairs, vectors, kernel, output_gradient):
    """The gradients of vectors and kernel."""
    n_more = pairs.n_blocks * _BLOCK_SIZE - pairs.n_rows
    # Zeros: what stands behind the end gets no gradient.
    output_gradient = tf.pad(output_gradient, [[0, n_more], [0, 0], [0, 0]])

    def add_block(sums, block):
        vectors_gradient, kernel_gradient = sums
        own, antecedents = pairs.of(vectors, block)
        rows = block * _BLOCK_SIZE + tf.range(_BLOCK_SIZE)
        # [_BLOCK_SIZE, k, units]
        wanted = tf.gather(output_gradient, rows)
        kernel_gradient += tf.cast(
            tf.tensordot(own * antecedents, wanted, axes=[[0, 1], [0, 1]]),
            tf.float32,
        )
        # [_BLOCK_SIZE, k, dim]
        wanted = tf.tensordot(wanted, kernel, axes=[2, 1])
        for places, gradient in (
            (rows, tf.reduce_sum(wanted * antecedents, axis=1)),
            (pairs.antecedents[block], wanted * own),
        ):
            vectors_gradient = tf.tensor_scatter_nd_add(
                vectors_gradient,
                places[..., tf.newaxis],
                tf.cast(gradient, tf.float32),
            )
        return vectors_gradient, kernel_gradient

    # In float32, as a sum of many.
    vectors_gradient, kernel_gradient = tf.foldl(
        add_block,
        tf.range(pairs.n_blocks),
        (
            tf.zeros([pairs.n_rows + n_more, vectors.shape[1]]),
            tf.zeros(kernel.shape),
        ),
        parallel_iterations=1,
    )
    return (
        tf.cast(vectors_gradient[: pairs.n_rows], vectors.dtype),
        tf.cast(kernel_gradient, kernel.dtype),
    )
