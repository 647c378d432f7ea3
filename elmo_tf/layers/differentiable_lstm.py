"""The loop of `ProjectedLSTM` in training, with a gradient of its own."""

import dataclasses

import tensorflow as tf

from elmo_tf.layers.time_major import n_steps
from elmo_tf.layers.time_major import over_steps
from elmo_tf.layers.time_major import step_array
from elmo_tf.layers.time_major import weight_gradient


@dataclasses.dataclass(frozen=True)
class _Recorded:
    """What the backward loop reads: TensorArrays.

    Attributes:
        gates: The gates of each step, `i`, `j`, `f` and `o`, float32 `[batch,
            units]`.
        activated_cell: The cell's tanh after each step.
        activation: What each step projects, `[batch, units]`, in the dtype of
            the products.
        cell: The cell before the first step and after each, float32.
        hidden: Likewise the hidden, `[batch, output_dim]`.
    """

    gates: list
    activated_cell: tf.TensorArray
    activation: tf.TensorArray
    cell: tf.TensorArray
    hidden: tf.TensorArray


def differentiable_lstm(
    inputs,
    weights,
    state,
    mask=None,
    cell_clip=None,
    projection_clip=None,
    hidden_scale=None,
    training=True,
):
    """Runs the recurrence of `ProjectedLSTM` such that training is fast.

    What TensorFlow derives from such a loop adds a weight's gradient up step by
    step. Here the backward loop only carries the state's gradient, and
    afterwards each weight's gradient is one product over all steps. The
    gradient has no derivative.

    Args:
        inputs: `[time, batch, features]`, of the dtype of the products.
        weights: A list of the kernel `[features, 4·units]`, the bias
            `[4·units]`, the recurrent kernel `[output_dim, 4·units]` and, where
            there is a projection, its kernel `[units, output_dim]`, all of the
            inputs' dtype.
        state: The cell `[batch, units]` and the hidden `[batch, output_dim]`,
            float32.
        mask: Bool `[time, batch, 1]`; a step left out gives zeros and does not
            change the state. None: all steps count.
        cell_clip: Bound of the cell; None: not clipped.
        projection_clip: Bound of the projected output; None: not clipped.
        hidden_scale: Float32 `[batch, output_dim]`, constant: what the hidden
            is multiplied with where the recurrent kernel reads it, for
            recurrent dropout; None: nothing.
        training: Whether to have this gradient. Else it is TensorFlow's: a
            SavedModel cannot hold one of a loop.

    Returns:
        A tuple of the outputs, float32 `[time, batch, output_dim]`, and the
        final cell and hidden.
    """
    loop = _Loop(mask, cell_clip, projection_clip, hidden_scale)

    def run(inputs, cell, hidden, *weights):
        recorded, final_cell, final_hidden = loop.forward(
            inputs, weights, cell, hidden
        )
        outputs = recorded.hidden.stack()[1:]
        if mask is not None:
            outputs = tf.where(mask, outputs, 0.0)

        def gradient(*output_gradients):
            return loop.backward(inputs, weights, recorded, output_gradients)

        return (outputs, final_cell, final_hidden), gradient

    if training:
        return tf.custom_gradient(run)(inputs, *state, *weights)
    results, _ = run(inputs, *state, *weights)
    return results


class _Loop:
    """The two loops; the arguments are as above."""

    def __init__(self, mask, cell_clip, projection_clip, hidden_scale):
        self._mask = mask
        self._cell_clip = cell_clip
        self._projection_clip = projection_clip
        self._hidden_scale = hidden_scale

    def forward(self, inputs, weights, cell, hidden):
        """Returns the `_Recorded`, the final cell and the final hidden."""
        kernel, bias, recurrent_kernel, *projection_kernel = weights
        projected_inputs = over_steps(
            lambda rows: tf.nn.bias_add(tf.matmul(rows, kernel), bias), inputs
        )

        def step(t, cell, hidden, arrays):
            recurrent = tf.matmul(
                tf.cast(self._scaled(hidden), inputs.dtype), recurrent_kernel
            )
            # [batch, 4·units]
            gates = tf.cast(projected_inputs[t], tf.float32) + tf.cast(
                recurrent, tf.float32
            )
            i, j, f, o = tf.split(gates, 4, axis=-1)
            i = tf.sigmoid(i)
            j = tf.tanh(j)
            f = tf.sigmoid(f + 1.0)
            o = tf.sigmoid(o)
            new_cell = f * cell + i * j
            if self._cell_clip is not None:
                new_cell = tf.clip_by_value(
                    new_cell, -self._cell_clip, self._cell_clip
                )
            activated_cell = tf.tanh(new_cell)
            new_hidden = o * activated_cell
            activation = tf.cast(new_hidden, inputs.dtype)
            if projection_kernel:
                new_hidden = tf.cast(
                    tf.matmul(activation, *projection_kernel), tf.float32
                )
                if self._projection_clip is not None:
                    new_hidden = tf.clip_by_value(
                        new_hidden,
                        -self._projection_clip,
                        self._projection_clip,
                    )
            if self._mask is not None:
                present = self._mask[t]
                new_cell = tf.where(present, new_cell, cell)
                new_hidden = tf.where(present, new_hidden, hidden)
            values = (i, j, f, o, activated_cell, activation)
            cells, hiddens, *of_steps = arrays
            arrays = (
                cells.write(t + 1, new_cell),
                hiddens.write(t + 1, new_hidden),
                *(
                    array.write(t, value)
                    for array, value in zip(of_steps, values, strict=True)
                ),
            )
            return t + 1, new_cell, new_hidden, arrays

        steps = n_steps(inputs)
        arrays = (
            step_array(steps + 1, cell).write(0, cell),
            step_array(steps + 1, hidden).write(0, hidden),
            *(step_array(steps, cell) for _ in range(5)),
            step_array(steps, cell, inputs.dtype),
        )
        _, cell, hidden, arrays = tf.while_loop(
            lambda t, *_: t < steps,
            step,
            (tf.constant(0), cell, hidden, arrays),
            maximum_iterations=inputs.shape[0],
        )
        cells, hiddens, *gates, activated_cells, activations = arrays
        recorded = _Recorded(
            gates, activated_cells, activations, cells, hiddens
        )
        return recorded, cell, hidden

    def backward(self, inputs, weights, recorded, gradients):
        """Returns the gradients of the inputs, the state and the weights.

        `gradients` are those of the outputs, the final cell and hidden.
        """
        kernel, _, recurrent_kernel, *projection_kernel = weights
        # [time, batch, 4·units], [time, batch, output_dim], the state's
        gates_gradient, projections_gradient, *state_gradients = (
            self._backward_loop(inputs, weights, recorded, gradients)
        )
        # The hidden before each step: [time, batch, output_dim]
        hiddens = self._scaled(recorded.hidden.stack()[:-1])
        # One product for both kernels: [time, batch, features + output_dim]
        sources = tf.concat([inputs, tf.cast(hiddens, inputs.dtype)], axis=-1)
        kernel_gradient, recurrent_kernel_gradient = tf.split(
            weight_gradient(sources, gates_gradient),
            [kernel.shape[0], recurrent_kernel.shape[0]],
        )
        # A product with ones takes a fifth of a sum's time.
        ones = tf.ones_like(inputs[:, :, :1])
        bias_gradient = tf.squeeze(weight_gradient(ones, gates_gradient), 0)
        weight_gradients = [
            kernel_gradient,
            bias_gradient,
            recurrent_kernel_gradient,
        ]
        if projection_kernel:
            weight_gradients.append(
                weight_gradient(
                    recorded.activation.stack(), projections_gradient
                )
            )
        inputs_gradient = over_steps(
            lambda rows: tf.matmul(rows, tf.transpose(kernel)), gates_gradient
        )
        return inputs_gradient, *state_gradients, *weight_gradients

    def _backward_loop(self, inputs, weights, recorded, gradients):
        """Carries the state's gradient from the last step to the first.

        Returns the gradients of the gates before their activations `[time,
        batch, 4·units]` and of the projections before the clip `[time, batch,
        output_dim]`, of the products' dtype, and of the initial cell and
        hidden.
        """
        _, _, recurrent_kernel, *projection_kernel = weights
        outputs_gradient, cell_gradient, hidden_gradient = gradients
        dtype = inputs.dtype
        # oneDNN multiplies few rows by a transposed float32 matrix at less than
        # half its speed.
        recurrent_kernel = tf.transpose(recurrent_kernel)

        def step(t, cell_gradient, hidden_gradient, arrays):
            i, j, f, o = (gate.read(t) for gate in recorded.gates)
            activated_cell = recorded.activated_cell.read(t)
            previous_cell = recorded.cell.read(t)
            cell = recorded.cell.read(t + 1)
            hidden_total = outputs_gradient[t] + hidden_gradient
            cell_total = cell_gradient
            if self._mask is not None:
                # A masked step gave zeros and handed the state on unchanged.
                present = self._mask[t]
                passed_cell = tf.where(present, 0.0, cell_gradient)
                passed_hidden = tf.where(present, 0.0, hidden_gradient)
                hidden_total = tf.where(present, hidden_total, 0.0)
                cell_total = tf.where(present, cell_total, 0.0)
            if projection_kernel:
                if self._projection_clip is not None:
                    hidden_total = tf.where(
                        tf.abs(recorded.hidden.read(t + 1))
                        < self._projection_clip,
                        hidden_total,
                        0.0,
                    )
                projection_gradient = tf.cast(hidden_total, dtype)
                hidden_total = tf.cast(
                    tf.matmul(
                        projection_gradient,
                        *projection_kernel,
                        transpose_b=True,
                    ),
                    tf.float32,
                )
            output_part = hidden_total * o
            cell_total += output_part * (1.0 - activated_cell**2)
            if self._cell_clip is not None:
                cell_total = tf.where(
                    tf.abs(cell) < self._cell_clip, cell_total, 0.0
                )
            input_part = cell_total * i
            cell_gradient = cell_total * f
            # [batch, 4·units], in the order of the gates
            gates_gradient = tf.concat(
                [
                    input_part * j * (1.0 - i),
                    input_part * (1.0 - j**2),
                    cell_gradient * previous_cell * (1.0 - f),
                    output_part * activated_cell * (1.0 - o),
                ],
                axis=-1,
            )
            gates_gradient = tf.cast(gates_gradient, dtype)
            hidden_gradient = self._scaled(
                tf.cast(tf.matmul(gates_gradient, recurrent_kernel), tf.float32)
            )
            if self._mask is not None:
                cell_gradient += passed_cell
                hidden_gradient += passed_hidden
            values = [gates_gradient]
            if projection_kernel:
                values.append(projection_gradient)
            arrays = tuple(
                array.write(t, value)
                for array, value in zip(arrays, values, strict=True)
            )
            return t - 1, cell_gradient, hidden_gradient, arrays

        steps = n_steps(inputs)
        gates_shape = [inputs.shape[1], recurrent_kernel.shape[0]]
        arrays = [tf.TensorArray(dtype, size=steps, element_shape=gates_shape)]
        if projection_kernel:
            arrays.append(step_array(steps, hidden_gradient, dtype))
        _, cell_gradient, hidden_gradient, arrays = tf.while_loop(
            lambda t, *_: t >= 0,
            step,
            (steps - 1, cell_gradient, hidden_gradient, tuple(arrays)),
            maximum_iterations=inputs.shape[0],
        )
        gates_gradients, *projections_gradients = (
            array.stack() for array in arrays
        )
        return (
            gates_gradients,
            projections_gradients[0] if projections_gradients else None,
            cell_gradient,
            hidden_gradient,
        )

    def _scaled(self, hidden):
        """The hidden, or its gradient, `[..., batch, output_dim]`."""
        if self._hidden_scale is None:
            return hidden
        return hidden * self._hidden_scale
