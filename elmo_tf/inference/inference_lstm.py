"""An LSTM with a projection, laid out for inference."""

import tensorflow as tf

# Below so many sequences at once the time goes into reading the weights, not
# into computing with them: then the products with the input are formed for all
# steps at once, and a step reads the recurrent weights alone.
_FEW_SEQUENCES = 32
# Most elements whose products with the input are held, for the memory: 64 MB
# of the original biLM.
_MAX_HOISTED = 1024


class InferenceLSTM(tf.Module):
    """The weights of a `ProjectedLSTM`, and its forward computation only.

    Each gate has a weight matrix of its own over the input and the last output
    side by side, so that a step is four matrix products whose bias and
    activation TensorFlow fuses with them, and nothing is split afterwards.
    Sequences are packed: one that has ended costs nothing.

    Products run in the dtype of the weights, gates and state in float32.

    Args:
        lstm: The `ProjectedLSTM`, built; its weights are copied.
        dtype: "float32" or "bfloat16", of the weights.
    """

    def __init__(self, lstm, dtype="float32"):
        super().__init__()
        self._cell_clip = lstm.cell_clip
        self._projection_clip = lstm.projection_clip
        self._units = lstm.units
        self._output_dim = lstm.output_dim
        kernels = tf.split(
            tf.concat([lstm.kernel, lstm.recurrent_kernel], axis=0), 4, axis=1
        )
        # In the order i, j, f, o: [features + output_dim, units] each.
        self._kernels = [_frozen(kernel, dtype) for kernel in kernels]
        i, j, f, o = tf.split(tf.convert_to_tensor(lstm.bias), 4)
        # The forget gate's constant 1 joins the bias.
        self._biases = [
            _frozen(bias, tf.float32) for bias in (i, j, f + 1.0, o)
        ]
        self._projection_kernel = None
        if lstm.has_projection:
            self._projection_kernel = _frozen(lstm.projection_kernel, dtype)

    def __call__(self, inputs, sequences, initial_state=None):
        """Runs over packed sequences.

        Args:
            inputs: Float32 `[n + 1, features]`, packed.
            sequences: The `PackedSequences`.
            initial_state: A list `[cell, hidden]` of float32 `[1, units]` and
                `[1, output_dim]`, where each sequence starts; None: zeros.

        Returns:
            Float32 `[n + 1, output_dim]`, packed.
        """
        # No more than the first step has; 0 if there is no step.
        n_sequences = tf.reduce_max(
            tf.concat([sequences.batch_sizes, [0]], axis=0)
        )
        if initial_state is None:
            cell = tf.zeros([n_sequences, self._units])
            hidden = tf.zeros([n_sequences, self._output_dim])
        else:
            cell, hidden = (
                tf.repeat(part, n_sequences, axis=0) for part in initial_state
            )
        kernels = [tf.convert_to_tensor(kernel) for kernel in self._kernels]
        # Rows from the first on: no copy is made of these.
        n_features = inputs.shape[-1]
        recurrent_kernels = [kernel[n_features:] for kernel in kernels]

        def of_many():
            def products(start, n, hidden):
                # [n, features + output_dim]
                joined = tf.concat([inputs[start : start + n], hidden], axis=1)
                return [
                    self._product(joined, kernel, bias)
                    for kernel, bias in zip(kernels, self._biases, strict=True)
                ]

            return self._loop(products, sequences, cell, hidden)

        def of_few():
            # [n + 1, units] each
            hoisted = [
                self._product(inputs, kernel[:n_features], bias)
                for kernel, bias in zip(kernels, self._biases, strict=True)
            ]

            def products(start, n, hidden):
                return [
                    part[start : start + n] + self._product(hidden, kernel)
                    for part, kernel in zip(
                        hoisted, recurrent_kernels, strict=True
                    )
                ]

            return self._loop(products, sequences, cell, hidden)

        is_few = tf.logical_and(
            n_sequences < _FEW_SEQUENCES, sequences.n_elements <= _MAX_HOISTED
        )
        outputs = tf.cond(is_few, of_few, of_many)
        return tf.ensure_shape(outputs, [None, self._output_dim])

    def _loop(self, products, sequences, cell, hidden):
        """Runs the steps; `products` gives a step's four gates `[n, units]`."""
        n_steps = sequences.n_steps
        outputs = tf.TensorArray(
            tf.float32,
            # One more, for the row of zeros.
            size=n_steps + 1,
            element_shape=[None, self._output_dim],
            infer_shape=False,
        )

        def step(t, cell, hidden, outputs):
            n = sequences.batch_sizes[t]
            # The sequences that have ended are the last ones.
            gates = products(sequences.offsets[t], n, hidden[:n])
            cell, hidden = self._activate(gates, cell[:n])
            return t + 1, cell, hidden, outputs.write(t, hidden)

        _, _, _, outputs = tf.while_loop(
            lambda t, *_: t < n_steps,
            step,
            (tf.constant(0), cell, hidden, outputs),
            shape_invariants=(
                tf.TensorShape([]),
                tf.TensorShape([None, self._units]),
                tf.TensorShape([None, self._output_dim]),
                tf.TensorShape(None),
            ),
        )
        outputs = outputs.write(n_steps, tf.zeros([1, self._output_dim]))
        return outputs.concat()

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
