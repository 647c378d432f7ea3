"""An LSTM with a projection and clipping, as the official biLMs use it."""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="elmo_tf")
class ProjectedLSTM(keras.layers.Layer):
    """An LSTM whose output is projected to fewer dimensions (Sak et al. 2014).

    For each time step, with `[i, j, f, o] = split(x W + h R + b)`:

        c ← σ(f + 1) · c + σ(i) · tanh(j),  clipped to ±cell_clip
        h ← (σ(o) · tanh(c)) P,             clipped to ±projection_clip

    Gate order, the forget gate's constant 1 (not part of the bias) and the
    places of the clips are those of TensorFlow 1's `LSTMCell`, so official
    weights fit without change. The products with `W` are one matrix product
    outside the time loop. In training the gradient is our own: one backward
    loop, after which each weight's gradient is one matrix product; it has no
    second derivative.

    The layer keeps no state: it comes in as `initial_state` and goes out as
    the second result. Products run in the compute dtype, gates and state in
    float32. The loop compiles with `jit_compile` when the number of time steps
    is static.

    Input shape: `[batch, time, features]`. Output: `[batch, time,
    projection_dim or units]` and the final state, a list `[cell, hidden]` of
    float32 `[batch, units]` and `[batch, projection_dim or units]`. A step that
    the mask leaves out gives zeros and does not change the state.

    Args:
        units: Width of the cell.
        projection_dim: Width of the output. None, or equal to `units`: no
            projection, and `projection_clip` has no effect.
        cell_clip: Bound of the cell; None: not clipped.
        projection_clip: Bound of the projected output; None: not clipped.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: A size or a bound is not positive.
    """

    def __init__(
        self,
        units,
        projection_dim=None,
        cell_clip=None,
        projection_clip=None,
        **kwargs,
    ):
        # States stay float32 whatever the compute dtype.
        super().__init__(autocast=False, **kwargs)
        for name, value in (
            ("units", units),
            ("projection_dim", projection_dim),
            ("cell_clip", cell_clip),
            ("projection_clip", projection_clip),
        ):
            if value is not None and value <= 0:
                raise ValueError(
                    f"`{name}` should be positive. Received: {name}={value}"
                )
        self.units = units
        self.projection_dim = projection_dim
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.has_projection = projection_dim not in (None, units)
        self.output_dim = projection_dim or units
        self.supports_masking = True

    def build(self, input_shape):
        input_dim = input_shape[-1]
        # One draw for both kernels, as for the one matrix of the originals.
        limit = (6.0 / (input_dim + self.output_dim + 4 * self.units)) ** 0.5
        self.kernel = self.add_weight(
            shape=(input_dim, 4 * self.units),
            initializer=keras.initializers.RandomUniform(-limit, limit),
            name="kernel",
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.output_dim, 4 * self.units),
            initializer=keras.initializers.RandomUniform(-limit, limit),
            name="recurrent_kernel",
        )
        self.bias = self.add_weight(
            shape=(4 * self.units,), initializer="zeros", name="bias"
        )
        if self.has_projection:
            self.projection_kernel = self.add_weight(
                shape=(self.units, self.output_dim),
                initializer="glorot_uniform",
                name="projection_kernel",
            )
        else:
            self.projection_kernel = None

    def call(self, inputs, initial_state=None, mask=None, training=None):
        if initial_state is None:
            initial_state = self.zero_state(tf.shape(inputs)[0])
        cell, hidden = (tf.cast(part, tf.float32) for part in initial_state)
        # [batch, time, features] → [time, batch, features]
        inputs = tf.transpose(tf.cast(inputs, self.compute_dtype), [1, 0, 2])
        # [time, batch, 4·units]
        projected_inputs = tf.tensordot(
            inputs, self._cast(self.kernel), 1
        ) + self._cast(self.bias)
        if mask is not None:
            # [batch, time] → [time, batch, 1]; as numbers, and not by a cast,
            # which TensorFlow would move behind the transposition: oneDNN
            # complains about that of booleans.
            mask = tf.where(tf.cast(mask, tf.bool), 1.0, 0.0)
            mask = tf.transpose(mask)[:, :, tf.newaxis] > 0.0
        recurrent_kernel = self._cast(self.recurrent_kernel)
        projection_kernel = None
        if self.has_projection:
            projection_kernel = self._cast(self.projection_kernel)
        loop = self._differentiable_loop if training else self._inference_loop
        outputs, cell, hidden = loop(
            projected_inputs,
            recurrent_kernel,
            projection_kernel,
            cell,
            hidden,
            mask,
        )
        # [time, batch, output_dim] → [batch, time, output_dim]
        outputs = tf.transpose(outputs, [1, 0, 2])
        return tf.cast(outputs, self.compute_dtype), [cell, hidden]

    def zero_state(self, batch_size):
        """Returns the state before the first word.

        Args:
            batch_size: Integer or scalar tensor.

        Returns:
            A list `[cell, hidden]` of float32 zeros, `[batch, units]` and
            `[batch, output_dim]`.
        """
        return [
            tf.zeros([batch_size, self.units]),
            tf.zeros([batch_size, self.output_dim]),
        ]

    def compute_output_shape(self, input_shape, initial_state_shape=None):
        batch, time, _ = input_shape
        return (
            (batch, time, self.output_dim),
            [(batch, self.units), (batch, self.output_dim)],
        )

    def compute_output_spec(
        self, inputs, initial_state=None, mask=None, training=None
    ):
        outputs, state = self.compute_output_shape(inputs.shape)
        return (
            keras.KerasTensor(outputs, dtype=self.compute_dtype),
            [keras.KerasTensor(shape, dtype="float32") for shape in state],
        )

    def compute_mask(self, inputs, mask=None):
        return mask, [None, None]

    def get_config(self):
        config = super().get_config()
        config.update(
            units=self.units,
            projection_dim=self.projection_dim,
            cell_clip=self.cell_clip,
            projection_clip=self.projection_clip,
        )
        return config

    def _cast(self, weight):
        return tf.cast(weight, self.compute_dtype)

    def _cell_step(
        self, projected_input, recurrent_kernel, projection_kernel, cell, hidden
    ):
        """One time step; returns the gates `i, j, f, o` and the new state."""
        recurrent = tf.matmul(
            tf.cast(hidden, recurrent_kernel.dtype), recurrent_kernel
        )
        # [batch, 4·units]
        gates = tf.cast(projected_input, tf.float32) + tf.cast(
            recurrent, tf.float32
        )
        i, j, f, o = tf.split(gates, 4, axis=-1)
        i, j, f, o = (
            tf.sigmoid(i),
            tf.tanh(j),
            tf.sigmoid(f + 1.0),
            tf.sigmoid(o),
        )
        cell = f * cell + i * j
        if self.cell_clip is not None:
            cell = tf.clip_by_value(cell, -self.cell_clip, self.cell_clip)
        hidden = o * tf.tanh(cell)
        if projection_kernel is not None:
            hidden = tf.matmul(
                tf.cast(hidden, projection_kernel.dtype), projection_kernel
            )
            hidden = tf.cast(hidden, tf.float32)
            if self.projection_clip is not None:
                hidden = tf.clip_by_value(
                    hidden, -self.projection_clip, self.projection_clip
                )
        return (i, j, f, o), cell, hidden

    def _inference_loop(
        self,
        projected_inputs,
        recurrent_kernel,
        projection_kernel,
        cell,
        hidden,
        mask,
    ):
        """Runs all steps, keeping only the outputs.

        Shapes: `projected_inputs` `[time, batch, 4·units]`, `mask` `[time,
        batch, 1]` or None; returns outputs `[time, batch, output_dim]`, cell
        and hidden.
        """
        steps = tf.shape(projected_inputs)[0]
        inputs = _unstacked(projected_inputs)
        masks = None if mask is None else _unstacked(mask)
        outputs = _array(projected_inputs, tf.float32, cell, self.output_dim)

        def step(t, cell, hidden, outputs):
            _, new_cell, new_hidden = self._cell_step(
                inputs.read(t),
                recurrent_kernel,
                projection_kernel,
                cell,
                hidden,
            )
            output = new_hidden
            if masks is not None:
                present = masks.read(t)
                output = tf.where(present, new_hidden, 0.0)
                new_cell = tf.where(present, new_cell, cell)
                new_hidden = tf.where(present, new_hidden, hidden)
            return t + 1, new_cell, new_hidden, outputs.write(t, output)

        _, cell, hidden, outputs = tf.while_loop(
            lambda t, *_: t < steps,
            step,
            (tf.constant(0), cell, hidden, outputs),
            maximum_iterations=_static_steps(projected_inputs),
        )
        return outputs.stack(), cell, hidden

    def _differentiable_loop(
        self,
        projected_inputs,
        recurrent_kernel,
        projection_kernel,
        cell,
        hidden,
        mask,
    ):
        """As `_inference_loop`, with a gradient of our own.

        What TensorFlow derives from the loop adds a weight's gradient up step
        by step; here the backward loop only carries the state's gradient, and
        the weights' gradients are one product each over all steps.
        """
        arguments = [projected_inputs, recurrent_kernel, cell, hidden]
        if projection_kernel is not None:
            arguments.append(projection_kernel)

        @tf.custom_gradient
        def run(
            projected_inputs,
            recurrent_kernel,
            cell,
            hidden,
            projection_kernel=None,
        ):
            outputs, states, gates = self._recording_loop(
                projected_inputs,
                recurrent_kernel,
                projection_kernel,
                cell,
                hidden,
                mask,
            )
            cells, hiddens = states

            def gradient(outputs_gradient, cell_gradient, hidden_gradient):
                # The state before each step: [time, batch, …]
                previous_cells = tf.concat([cell[tf.newaxis], cells[:-1]], 0)
                previous_hiddens = tf.concat(
                    [hidden[tf.newaxis], hiddens[:-1]], 0
                )
                (
                    gates_gradient,
                    projections_gradient,
                    cell_gradient,
                    hidden_gradient,
                ) = self._backward_loop(
                    (outputs_gradient, cell_gradient, hidden_gradient),
                    gates,
                    (cells, previous_cells, hiddens),
                    recurrent_kernel,
                    projection_kernel,
                    mask,
                )
                # [time·batch, output_dim]ᵀ × [time·batch, 4·units]
                recurrent_kernel_gradient = _weight_gradient(
                    previous_hiddens, gates_gradient, recurrent_kernel.dtype
                )
                gradients = [
                    tf.cast(gates_gradient, projected_inputs.dtype),
                    recurrent_kernel_gradient,
                    cell_gradient,
                    hidden_gradient,
                ]
                if projection_kernel is not None:
                    o = gates[3]
                    # [time·batch, units]ᵀ × [time·batch, output_dim]
                    gradients.append(
                        _weight_gradient(
                            o * tf.tanh(cells),
                            projections_gradient,
                            projection_kernel.dtype,
                        )
                    )
                return gradients

            return (outputs, cells[-1], hiddens[-1]), gradient

        return run(*arguments)

    def _recording_loop(
        self,
        projected_inputs,
        recurrent_kernel,
        projection_kernel,
        cell,
        hidden,
        mask,
    ):
        """Runs all steps, keeping what the backward loop needs.

        Returns the outputs, the states after each step (cells and hiddens) and
        the gates `i, j, f, o`, all `[time, batch, …]` float32.
        """
        steps = tf.shape(projected_inputs)[0]
        inputs = _unstacked(projected_inputs)
        masks = None if mask is None else _unstacked(mask)
        widths = [self.units] * 5 + [self.output_dim]
        arrays = tuple(
            _array(projected_inputs, tf.float32, cell, width)
            for width in widths
        )

        def step(t, cell, hidden, arrays):
            gates, new_cell, new_hidden = self._cell_step(
                inputs.read(t),
                recurrent_kernel,
                projection_kernel,
                cell,
                hidden,
            )
            if masks is not None:
                present = masks.read(t)
                new_cell = tf.where(present, new_cell, cell)
                new_hidden = tf.where(present, new_hidden, hidden)
            arrays = tuple(
                array.write(t, value)
                for array, value in zip(
                    arrays, (*gates, new_cell, new_hidden), strict=True
                )
            )
            return t + 1, new_cell, new_hidden, arrays

        _, _, _, arrays = tf.while_loop(
            lambda t, *_: t < steps,
            step,
            (tf.constant(0), cell, hidden, arrays),
            maximum_iterations=_static_steps(projected_inputs),
        )
        i, j, f, o, cells, hiddens = (array.stack() for array in arrays)
        outputs = hiddens
        if mask is not None:
            outputs = tf.where(mask, hiddens, 0.0)
        return outputs, (cells, hiddens), (i, j, f, o)

    def _backward_loop(
        self,
        output_gradients,
        gates,
        states,
        recurrent_kernel,
        projection_kernel,
        mask,
    ):
        """Carries the state's gradient from the last step to the first.

        Returns the gradients of the gates before their activations `[time,
        batch, 4·units]`, of the projections before the clip `[time, batch,
        output_dim]`, and of the initial cell and hidden.
        """
        outputs_gradient, cell_gradient, hidden_gradient = output_gradients
        cells, previous_cells, hiddens = states
        steps = tf.shape(cells)[0]
        recorded = [
            _unstacked(value)
            for value in (
                outputs_gradient,
                *gates,
                cells,
                previous_cells,
                hiddens,
            )
        ]
        masks = None if mask is None else _unstacked(mask)
        gates_gradients = _array(
            cells, tf.float32, cell_gradient, 4 * self.units
        )
        projections_gradients = _array(
            cells, tf.float32, cell_gradient, self.output_dim
        )

        def step(t, cell_gradient, hidden_gradient, gates_out, projections_out):
            output_gradient, i, j, f, o, cell, previous_cell, hidden = (
                array.read(t) for array in recorded
            )
            passed_cell = passed_hidden = 0.0
            hidden_total = output_gradient + hidden_gradient
            cell_total = cell_gradient
            if masks is not None:
                # A masked step gave zeros and handed the state on unchanged.
                present = masks.read(t)
                passed_cell = tf.where(present, 0.0, cell_gradient)
                passed_hidden = tf.where(present, 0.0, hidden_gradient)
                hidden_total = tf.where(present, hidden_total, 0.0)
                cell_total = tf.where(present, cell_total, 0.0)
            projection_gradient = hidden_total
            if projection_kernel is not None:
                if self.projection_clip is not None:
                    projection_gradient = tf.where(
                        tf.abs(hidden) < self.projection_clip,
                        projection_gradient,
                        0.0,
                    )
                hidden_total = tf.cast(
                    tf.matmul(
                        tf.cast(projection_gradient, projection_kernel.dtype),
                        projection_kernel,
                        transpose_b=True,
                    ),
                    tf.float32,
                )
            activated_cell = tf.tanh(cell)
            cell_total += hidden_total * o * (1.0 - activated_cell**2)
            if self.cell_clip is not None:
                cell_total = tf.where(
                    tf.abs(cell) < self.cell_clip, cell_total, 0.0
                )
            # [batch, 4·units], in the order of the gates
            gates_gradient = tf.concat(
                [
                    cell_total * j * i * (1.0 - i),
                    cell_total * i * (1.0 - j**2),
                    cell_total * previous_cell * f * (1.0 - f),
                    hidden_total * activated_cell * o * (1.0 - o),
                ],
                axis=-1,
            )
            new_hidden_gradient = tf.cast(
                tf.matmul(
                    tf.cast(gates_gradient, recurrent_kernel.dtype),
                    recurrent_kernel,
                    transpose_b=True,
                ),
                tf.float32,
            )
            return (
                t - 1,
                cell_total * f + passed_cell,
                new_hidden_gradient + passed_hidden,
                gates_out.write(t, gates_gradient),
                projections_out.write(t, projection_gradient),
            )

        _, cell_gradient, hidden_gradient, gates_out, projections_out = (
            tf.while_loop(
                lambda t, *_: t >= 0,
                step,
                (
                    steps - 1,
                    cell_gradient,
                    hidden_gradient,
                    gates_gradients,
                    projections_gradients,
                ),
                maximum_iterations=_static_steps(cells),
            )
        )
        return (
            gates_out.stack(),
            projections_out.stack(),
            cell_gradient,
            hidden_gradient,
        )


def _static_steps(time_major):
    """The number of time steps, when static: XLA needs to know it."""
    return time_major.shape[0]


def _unstacked(time_major):
    """A TensorArray of the time steps.

    Reading steps by index from the tensor itself costs a pass over all steps
    for each of them in the gradient.
    """
    steps = _static_steps(time_major)
    return tf.TensorArray(
        time_major.dtype,
        size=tf.shape(time_major)[0] if steps is None else steps,
        clear_after_read=False,
        element_shape=time_major.shape[1:],
    ).unstack(time_major)


def _array(time_major, dtype, state, width):
    """An empty TensorArray of as many steps, of elements `[batch, width]`."""
    steps = _static_steps(time_major)
    return tf.TensorArray(
        dtype,
        size=tf.shape(time_major)[0] if steps is None else steps,
        element_shape=[state.shape[0], width],
    )


def _weight_gradient(inputs, output_gradients, dtype):
    """`Σ inputs · output_gradientsᵀ` over all steps and rows, as one product.

    `[time, batch, a]` and `[time, batch, b]` → `[a, b]` of `dtype`.
    """
    inputs = tf.reshape(tf.cast(inputs, dtype), [-1, inputs.shape[-1]])
    output_gradients = tf.reshape(
        tf.cast(output_gradients, dtype), [-1, output_gradients.shape[-1]]
    )
    return tf.matmul(inputs, output_gradients, transpose_a=True)
