"""An LSTM with a projection, laid out for inference."""

import numpy as np
import tensorflow as tf

from elmo_tf.inference.input_stretches import InputStretches

# With fewer sequences in a step, the time goes into reading the weights, not
# into computing with them: then the products with the input are formed for many
# such steps at once, and a step reads the recurrent weights only. Large weights
# come from memory, not from a cache: with them that is so of more sequences.
_FEW_SEQUENCES = 32
_FEW_SEQUENCES_OF_LARGE_WEIGHTS = 128
# The original biLM's of a gate for the input, in float32.
_LARGE_WEIGHTS_BYTES = 2**23
# The number of inputs in a product is a multiple of this: TensorFlow prepares
# a matrix product for each number of rows, and remembers it.
_HOISTED_UNIT = 32


class InferenceLSTM(tf.Module):
    """What `ProjectedLSTM` computes, without a gradient.

    Each gate has a weight matrix of its own over the input and the last output
    side by side, so that a step is four matrix products whose bias and
    activation TensorFlow fuses with them, and nothing is split afterwards. All
    sequences begin with the same element, a sentence boundary, so their first
    step is made once. They are packed: one that has ended costs nothing.

    The last steps, with few sequences left, form their products with the input
    together. Where elements share their inputs, as words that repeat themselves
    do, all steps form these products together, once for each different input of
    some steps, and once in all for the most frequent ones.

    Products run in the dtype of the weights, gates and state in float32.

    Args:
        weights: The `LSTMWeights`.
        cell_clip: As of `ProjectedLSTM`.
        projection_clip: As of `ProjectedLSTM`.
        dtype: "float32" or "bfloat16", of the weights.
    """

    def __init__(
        self, weights, cell_clip=None, projection_clip=None, dtype="float32"
    ):
        super().__init__()
        self._cell_clip = cell_clip
        self._projection_clip = projection_clip
        self._units = weights.kernel.shape[1] // 4
        # In the order i, j, f, o: [features + output_dim, units] each.
        self._kernels = [
            _frozen(kernel, dtype)
            for kernel in np.split(weights.kernel, 4, axis=1)
        ]
        i, j, f, o = np.split(weights.bias, 4)
        # The forget gate's constant 1 joins the bias.
        self._biases = [
            _frozen(bias, tf.float32) for bias in (i, j, f + 1.0, o)
        ]
        self._output_dim = self._units
        self._projection_kernel = None
        if weights.projection_kernel is not None:
            self._output_dim = weights.projection_kernel.shape[1]
            self._projection_kernel = _frozen(weights.projection_kernel, dtype)
        n_features = weights.kernel.shape[0] - self._output_dim
        n_bytes = n_features * self._units * tf.as_dtype(dtype).size
        self._few_sequences = (
            _FEW_SEQUENCES
            if n_bytes < _LARGE_WEIGHTS_BYTES
            else _FEW_SEQUENCES_OF_LARGE_WEIGHTS
        )

    def __call__(self, layer, sequences, initial_state=None):
        """Runs over packed sequences.

        Args:
            layer: The `PackedLayer` of `[features]`: first the element that all
                sequences begin with, then the others, packed, and zeros.
            sequences: The `PackedSequences`, without their first elements.
            initial_state: A list `[cell, hidden]` of float32 `[1, units]` and
                `[1, output_dim]`, where each sequence starts; None: zeros.

        Returns:
            Float32 `[n + 2, output_dim]`, as the elements.
        """
        if initial_state is None:
            cell = tf.zeros([1, self._units])
            hidden = tf.zeros([1, self._output_dim])
        else:
            cell, hidden = initial_state
        kernels = [tf.convert_to_tensor(kernel) for kernel in self._kernels]
        outputs = tf.TensorArray(
            tf.float32,
            # The first element and the row of zeros.
            size=sequences.n_steps + 2,
            element_shape=[None, self._output_dim],
            infer_shape=False,
        )

        def joined_products(elements, hidden):
            # [rows, features + output_dim]
            joined = tf.concat([elements, hidden], axis=1)
            return [
                self._product(joined, kernel, bias)
                for kernel, bias in zip(kernels, self._biases, strict=True)
            ]

        # One step for all sequences: they are alike so far.
        first = layer.take([0])
        cell, hidden = self._activate(joined_products(first, hidden), cell)
        outputs = outputs.write(0, hidden)
        # Of no steps at all the maximum is the least integer.
        n_rows = tf.maximum(tf.reduce_max(sequences.rounded_sizes), 0)
        cell = tf.repeat(cell, n_rows, axis=0)
        hidden = tf.repeat(hidden, n_rows, axis=0)
        state = cell, hidden, outputs
        if layer.index is None:
            # The first steps have the most sequences.
            n_joined_steps = tf.math.count_nonzero(
                sequences.batch_sizes >= self._few_sequences, dtype=tf.int32
            )
            state = self._loop(
                lambda start, n, hidden: joined_products(
                    layer.rows[start : start + n], hidden
                ),
                sequences,
                (tf.constant(0), n_joined_steps),
                state,
            )
            stretches = InputStretches(
                tf.range(1, sequences.n_elements + 1), sequences
            )
        else:
            n_joined_steps = tf.constant(0)
            stretches = InputStretches(
                layer.index[1:-1],
                sequences,
                n_inputs=tf.shape(layer.rows)[0],
            )
        state = self._hoisted_loop(
            layer.rows, stretches, sequences, n_joined_steps, state
        )
        _, _, outputs = state
        outputs = outputs.write(
            sequences.n_steps + 1, tf.zeros([1, self._output_dim])
        )
        return tf.ensure_shape(outputs.concat(), [None, self._output_dim])

    def _hoisted_loop(self, inputs, stretches, sequences, first_step, state):
        """Runs the steps from one on, stretch by stretch.

        The products with the inputs are formed for a stretch of steps at once,
        in a step only those with the last output.

        Args:
            inputs: Float32 `[rows, features]`.
            stretches: The `InputStretches`.
            sequences: The `PackedSequences`.
            first_step: The first step.
            state: As for `_loop`.

        Returns:
            The state after the last step.
        """
        # Rows from the first on: no copy is made of these.
        n_features = inputs.shape[-1]
        kernels = [tf.convert_to_tensor(kernel) for kernel in self._kernels]
        input_kernels = [kernel[:n_features] for kernel in kernels]
        recurrent_kernels = [kernel[n_features:] for kernel in kernels]

        def input_products(rows):
            vectors = tf.gather(inputs, rows)
            return [
                self._product(vectors, kernel, bias)
                for kernel, bias in zip(
                    input_kernels, self._biases, strict=True
                )
            ]

        # [frequent, units] of each gate
        of_frequent = input_products(stretches.frequent)

        def stretch(step, *state):
            end_step, others, place = stretches.stretch(step)
            begin = 1 + sequences.offsets[step]
            others = tf.pad(others, [[0, -tf.size(others) % _HOISTED_UNIT]])
            # [frequent + others, units] of each gate
            hoisted = [
                tf.concat(parts, axis=0)
                for parts in zip(
                    of_frequent, input_products(others), strict=True
                )
            ]

            def products(start, n, hidden):
                # [n]
                rows = place[start - begin : start - begin + n]
                return [
                    tf.gather(part, rows) + self._product(hidden, kernel)
                    for part, kernel in zip(
                        hoisted, recurrent_kernels, strict=True
                    )
                ]

            return end_step, *self._loop(
                products, sequences, (step, end_step), state
            )

        _, *state = tf.while_loop(
            lambda step, *_: step < sequences.n_steps,
            stretch,
            (first_step, *state),
            shape_invariants=self._loop_shapes(),
            # For the memory: no products are formed ahead of their time.
            parallel_iterations=1,
        )
        return state

    def _loop(self, products, sequences, steps, state):
        """Runs some steps.

        Args:
            products: The function of a step's first element, number of rows
                and last outputs that gives the four gates before their
                activations, `[rows, units]`.
            sequences: The `PackedSequences`.
            steps: The first step and the one after the last.
            state: Cell, hidden and the array of outputs before the first step.

        Returns:
            The same three after the last step.
        """
        first_step, end = steps

        def step(t, cell, hidden, outputs):
            n = sequences.rounded_sizes[t]
            # The sequences that have ended are the last ones.
            gates = products(1 + sequences.offsets[t], n, hidden[:n])
            cell, hidden = self._activate(gates, cell[:n])
            output = hidden[: sequences.batch_sizes[t]]
            return t + 1, cell, hidden, outputs.write(t + 1, output)

        _, *state = tf.while_loop(
            lambda t, *_: t < end,
            step,
            (first_step, *state),
            shape_invariants=self._loop_shapes(),
        )
        return state

    def _loop_shapes(self):
        """Of a loop's step, cell, hidden and outputs."""
        return (
            tf.TensorShape([]),
            tf.TensorShape([None, self._units]),
            tf.TensorShape([None, self._output_dim]),
            tf.TensorShape(None),
        )

    def _activate(self, gates, cell):
        """From the gates before their activations to the new state."""
        i, j, f, o = gates
        cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(j)
        if self._cell_clip is not None:
            cell = tf.clip_by_value(cell, -self._cell_clip, self._cell_clip)
        hidden = tf.sigmoid(o) * tf.tanh(cell)
        if self._projection_kernel is not None:
            hidden = self._product(hidden, self._projection_kernel)
            if self._projection_clip is not None:
                hidden = tf.clip_by_value(
                    hidden, -self._projection_clip, self._projection_clip
                )
        return cell, hidden

    def _product(self, inputs, kernel, bias=None):
        """`inputs · kernel + bias`, float32."""
        product = tf.matmul(tf.cast(inputs, kernel.dtype), kernel)
        product = tf.cast(product, tf.float32)
        return product if bias is None else tf.nn.bias_add(product, bias)


def _frozen(value, dtype):
    return tf.Variable(tf.cast(value, dtype), trainable=False)
