"""An LSTM with a projection, laid out for inference."""

import numpy as np
import tensorflow as tf

# With fewer sequences in a step, the time goes into reading the weights, not
# into computing with them: then the products with the input are formed for all
# such steps at once, and a step reads the recurrent weights only.
_FEW_SEQUENCES = 32
# Most elements whose products with the input are held, for the memory: 64 MB
# of the original biLM.
_MAX_HOISTED = 1024
# Their number is a multiple of this.
_HOISTED_UNIT = 32


class InferenceLSTM(tf.Module):
    """What `ProjectedLSTM` computes, without a gradient.

    Each gate has a weight matrix of its own over the input and the last output
    side by side, so that a step is four matrix products whose bias and
    activation TensorFlow fuses with them, and nothing is split afterwards. All
    sequences begin with the same element, a sentence boundary, so their first
    step is made once. They are packed: one that has ended costs nothing. The
    last steps, with few sequences left, form their products with the input
    together.

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

    def __call__(self, inputs, sequences, initial_state=None):
        """Runs over packed sequences.

        Args:
            inputs: Float32 `[n + 2, features]`: first the element that all
                sequences begin with, then the others, packed, and the row of
                zeros.
            sequences: The `PackedSequences`, without their first elements.
            initial_state: A list `[cell, hidden]` of float32 `[1, units]` and
                `[1, output_dim]`, where each sequence starts; None: zeros.

        Returns:
            Float32 `[n + 2, output_dim]`, as the inputs.
        """
        if initial_state is None:
            cell = tf.zeros([1, self._units])
            hidden = tf.zeros([1, self._output_dim])
        else:
            cell, hidden = initial_state
        kernels = [tf.convert_to_tensor(kernel) for kernel in self._kernels]
        n_steps = sequences.n_steps
        outputs = tf.TensorArray(
            tf.float32,
            # The first element and the row of zeros.
            size=n_steps + 2,
            element_shape=[None, self._output_dim],
            infer_shape=False,
        )

        def joined_products(start, n, hidden):
            # [n, features + output_dim]
            joined = tf.concat([inputs[start : start + n], hidden], axis=1)
            return [
                self._product(joined, kernel, bias)
                for kernel, bias in zip(kernels, self._biases, strict=True)
            ]

        # One step for all sequences: they are alike so far.
        cell, hidden = self._activate(joined_products(0, 1, hidden), cell)
        outputs = outputs.write(0, hidden)
        # Of no steps at all the maximum is the least integer.
        n_rows = tf.maximum(tf.reduce_max(sequences.rounded_sizes), 0)
        cell = tf.repeat(cell, n_rows, axis=0)
        hidden = tf.repeat(hidden, n_rows, axis=0)

        # The first steps have the most sequences.
        n_full_steps = tf.math.count_nonzero(
            (sequences.batch_sizes >= _FEW_SEQUENCES)
            | (sequences.n_elements - sequences.offsets > _MAX_HOISTED),
            dtype=tf.int32,
        )
        cell, hidden, outputs = self._loop(
            joined_products,
            sequences,
            (tf.constant(0), n_full_steps),
            (cell, hidden, outputs),
        )
        # The first element of the other steps, or one before it: then the
        # product is one of few sizes.
        offsets = tf.concat([sequences.offsets, [sequences.n_elements]], axis=0)
        end = sequences.n_elements + 2
        n_others = end - (1 + offsets[n_full_steps])
        n_others = -(-n_others // _HOISTED_UNIT) * _HOISTED_UNIT
        first = tf.maximum(end - n_others, 0)
        # Rows from the first on: no copy is made of these.
        n_features = inputs.shape[-1]
        recurrent_kernels = [kernel[n_features:] for kernel in kernels]
        # [elements of the other steps and the row of zeros, units] of each gate
        hoisted = [
            self._product(inputs[first:], kernel[:n_features], bias)
            for kernel, bias in zip(kernels, self._biases, strict=True)
        ]

        def recurrent_products(start, n, hidden):
            start -= first
            return [
                part[start : start + n] + self._product(hidden, kernel)
                for part, kernel in zip(hoisted, recurrent_kernels, strict=True)
            ]

        _, _, outputs = self._loop(
            recurrent_products,
            sequences,
            (n_full_steps, n_steps),
            (cell, hidden, outputs),
        )
        outputs = outputs.write(n_steps + 1, tf.zeros([1, self._output_dim]))
        return tf.ensure_shape(outputs.concat(), [None, self._output_dim])

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
            shape_invariants=(
                tf.TensorShape([]),
                tf.TensorShape([None, self._units]),
                tf.TensorShape([None, self._output_dim]),
                tf.TensorShape(None),
            ),
        )
        return state

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
