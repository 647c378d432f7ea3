"""The maximum of convolutions over a word's characters."""

import tensorflow as tf


def max_convolution(character_ids, table, kernels, training=False):
    """Convolves words' characters and takes each filter's maximum.

    Equal to embedding the ids, to `tf.nn.conv1d(…, padding="VALID")` with each
    of the kernels and to the maximum over the positions, but

    *   windows that lie wholly in the run of equal ids at a word's end, its
        padding, are all equal: only the first of them is computed. The words
        are sorted by length, and at each position the windows of those that
        are long enough are one matrix product with all kernels, the narrow
        ones filled up with zeros;
    *   in training the gradient is our own: a filter's goes to the first
        position of the maximum. It has no second derivative.

    Words shorter than the widest kernel are filled up with id 0.

    Args:
        character_ids: int32 `[words, max_characters]`, the last dimension
            static.
        table: Float `[n_characters, dim]`, the embedding of each id.
        kernels: A list of float `[width, dim, count]`.
        training: Whether to keep what our own gradient needs.

    Returns:
        A tensor `[words, sum of the counts]` of the dtype of `table`.

    Raises:
        tf.errors.InvalidArgumentError: An id has no embedding (on a CPU).
    """
    widths = [kernel.shape[0] for kernel in kernels]
    widest = max(widths)
    # The gradient does not ask for it.
    character_ids = tf.pad(
        character_ids, [[0, 0], [0, max(0, widest - character_ids.shape[-1])]]
    )
    lengths = _lengths(character_ids)
    order = tf.argsort(lengths, direction="DESCENDING", stable=True)
    windows = _Windows(
        tf.gather(character_ids, order),
        tf.gather(lengths, order),
        widths,
        [kernel.shape[2] for kernel in kernels],
    )
    kernel = _as_one_kernel(kernels, widest)
    if training:
        maxima = _sorted_maxima(windows, table, kernel, table.shape[-1])
    else:
        maxima, _ = _forward(
            windows, table, kernel, table.shape[-1], records=False
        )
    return tf.gather(maxima, tf.math.invert_permutation(order))


class _Windows:
    """The windows of words sorted by falling length.

    Args:
        character_ids: int32 `[words, characters]`, characters static.
        lengths: int32 `[words]`: where each word's padding begins.
        widths: The widths of the kernels.
        counts: The number of filters of each.
    """

    def __init__(self, character_ids, lengths, widths, counts):
        characters = character_ids.shape[-1]
        self.width = max(widths)
        self.filter_widths = tf.repeat(widths, counts)
        # From here on the widest filter would reach over the word's end.
        self.first_short = characters - self.width + 1
        last = characters - min(widths)
        # [characters + width]
        self._ids = tf.pad(character_ids, [[0, 0], [0, self.width]])
        positions = tf.range(characters)
        # How many words have a window at each position: [characters]
        self._n_words = tf.searchsorted(-lengths, -positions, side="right")
        longest = tf.reduce_max(tf.pad(lengths, [[0, 1]]))
        self.n_positions = tf.minimum(longest, last) + 1

    def n_words(self, position):
        """The number of words, the first ones, with a window there."""
        return self._n_words[position]

    def ids(self, position):
        """The ids of these windows, `[words, width]`."""
        return self._ids[
            : self.n_words(position), position : position + self.width
        ]


def _lengths(character_ids):
    """Where the run of equal ids at each word's end begins, `[words]`."""
    positions = tf.range(1, character_ids.shape[-1] + 1)
    is_padding = tf.equal(character_ids, character_ids[:, -1:])
    return tf.reduce_max(tf.where(is_padding, 0, positions), axis=1)


def _as_one_kernel(kernels, widest):
    """Kernels side by side, `[widest · dim, sum of the counts]`."""
    filled = [
        tf.pad(kernel, [[0, widest - kernel.shape[0]], [0, 0], [0, 0]])
        for kernel in kernels
    ]
    # [widest, dim, count] → [widest · dim, count]
    return tf.concat(
        [tf.reshape(kernel, [-1, kernel.shape[-1]]) for kernel in filled],
        axis=1,
    )


def _sorted_maxima(windows, table, kernel, dim):
    """The maxima `[words, n_filters]` of sorted words.

    `table` is `[n_characters, dim]`, `kernel` `[width · dim, n_filters]`.
    """

    @tf.custom_gradient
    def maxima_of(table, kernel):
        maxima, (inputs, outputs) = _forward(
            windows, table, kernel, dim, records=True
        )

        def gradient(maxima_gradient):
            return _backward(
                windows,
                (table, kernel),
                (maxima, inputs, outputs),
                tf.convert_to_tensor(maxima_gradient),
            )

        return maxima, gradient

    return maxima_of(table, kernel)


def _forward(windows, table, kernel, dim, records):
    """Returns the maxima, and a pair of each position's windows and products.

    The pair is empty unless `records`.

    The longest words, which come first, have a window at the last position:
    going backwards, words are added to the maxima.
    """
    n_filters = kernel.shape[-1]
    records = (
        (
            _positions(windows, table.dtype, windows.width * dim),
            _positions(windows, table.dtype, n_filters),
        )
        if records
        else ()
    )

    def step(position, maxima, records):
        # [words, width, dim] → [words, width · dim]
        embedded = tf.reshape(
            tf.gather(table, windows.ids(position)), [-1, windows.width * dim]
        )
        # [words, n_filters]
        output = tf.matmul(embedded, kernel)
        output = tf.cond(
            position < windows.first_short,
            lambda: output,
            lambda: tf.where(
                windows.filter_widths
                < windows.first_short + windows.width - position,
                output,
                output.dtype.min,
            ),
        )
        before = tf.shape(maxima)[0]
        maxima = tf.concat(
            [tf.maximum(maxima, output[:before]), output[before:]], axis=0
        )
        if records:
            inputs, outputs = records
            records = (
                inputs.write(position, embedded),
                outputs.write(position, output),
            )
        return position - 1, maxima, records

    _, maxima, records = tf.while_loop(
        lambda position, *_: position >= 0,
        step,
        (
            windows.n_positions - 1,
            tf.zeros([0, n_filters], table.dtype),
            records,
        ),
        shape_invariants=(
            tf.TensorShape([]),
            tf.TensorShape([None, n_filters]),
            tuple(tf.TensorShape(None) for _ in records),
        ),
    )
    return maxima, records


def _backward(windows, weights, recorded, maxima_gradient):
    """Returns the gradients of the table and of the kernel."""
    table, kernel = weights
    maxima, inputs, outputs = recorded
    n_filters = kernel.shape[-1]
    input_gradients = _positions(windows, table.dtype, kernel.shape[0])
    ids = _positions(windows, tf.int32, windows.width)

    def step(position, remaining, maxima, kernel_gradient, *arrays):
        n_words = windows.n_words(position)
        maxima = maxima[:n_words]
        remaining = remaining[:n_words]
        # What has gone to one position does not go to a later one as well.
        output_gradient = tf.where(
            tf.equal(outputs.read(position), maxima),
            remaining,
            tf.zeros([], remaining.dtype),
        )
        remaining -= output_gradient
        kernel_gradient += tf.cast(
            tf.matmul(inputs.read(position), output_gradient, transpose_a=True),
            tf.float32,
        )
        input_gradients, ids = arrays
        return (
            position + 1,
            remaining,
            maxima,
            kernel_gradient,
            input_gradients.write(
                position, tf.matmul(output_gradient, kernel, transpose_b=True)
            ),
            ids.write(position, windows.ids(position)),
        )

    *_, kernel_gradient, input_gradients, ids = tf.while_loop(
        lambda position, *_: position < windows.n_positions,
        step,
        (
            0,
            maxima_gradient,
            maxima,
            tf.zeros(kernel.shape, tf.float32),
            input_gradients,
            ids,
        ),
        shape_invariants=(
            tf.TensorShape([]),
            tf.TensorShape([None, n_filters]),
            tf.TensorShape([None, n_filters]),
            kernel.shape,
            tf.TensorShape(None),
            tf.TensorShape(None),
        ),
    )
    # [windows, width · dim] → [windows · width, dim]
    input_gradients = tf.reshape(input_gradients.concat(), [-1, table.shape[1]])
    table_gradient = tf.math.unsorted_segment_sum(
        tf.cast(input_gradients, tf.float32),
        tf.reshape(ids.concat(), [-1]),
        table.shape[0],
    )
    return (
        tf.cast(table_gradient, table.dtype),
        tf.cast(kernel_gradient, kernel.dtype),
    )


def _positions(windows, dtype, width):
    """An empty TensorArray of `[words, width]` for each position."""
    return tf.TensorArray(
        dtype,
        size=windows.n_positions,
        infer_shape=False,
        element_shape=[None, width],
        clear_after_read=False,
    )
