"""An LSTM in one direction with a highway around each step."""

import keras
import tensorflow as tf

from elmo_tf.layers.stateless_dropout import stateless_dropout
from elmo_tf.layers.time_major import n_steps
from elmo_tf.layers.time_major import over_steps
from elmo_tf.layers.time_major import step_array
from elmo_tf.layers.time_major import weight_gradient

# The gates that read the hidden state: i, j, f, o and r. One block of the
# kernel more makes the highway's other way, which reads the input alone.
_N_GATES = 5


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class HighwayLSTM(keras.layers.Layer):
    """The LSTM of deep semantic role labelling (He et al. 2017, section 2.2).

    For each time step, with `[i, j, f, o, r] = split(x W + h R + b)`:

        c ← σ(f + 1) · c + σ(i) · tanh(j)
        h ← z · (σ(r) · σ(o) · tanh(c) + (1 − σ(r)) · x W_h)

    so a gate r lets the input around the cell, and the bias of the forget gate
    is 1 to begin with. The factors z are those of a dropout with one mask for
    all time steps (Gal and Ghahramani 2016). All blocks of the kernels are
    orthogonal to begin with (ELMo paper, section A.5).

    The gradient is the layer's own, as that of `differentiable_lstm`, and has
    no derivative. The layer compiles with `jit_compile` when the number of time
    steps is static.

    Input shape: `[batch, time, features]`. Output shape: `[batch, time,
    units]`. A step that the mask leaves out gives zeros and does not exist for
    the others.

    Args:
        units: Width of the output.
        go_backwards: Whether to read each sequence from its end, as if its last
            step were the first; the output stays in the input's order.
        recurrent_dropout: The rate on the output h of each step, which the next
            one reads, in training.
        seed: Integer that starts the layer's sequence of dropout masks; None:
            a random one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: `units` is not positive, or the rate is outside [0, 1).
    """

    def __init__(
        self,
        units,
        go_backwards=False,
        recurrent_dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(
                f"`units` should be positive. Received: units={units}"
            )
        if not 0 <= recurrent_dropout < 1:
            raise ValueError(
                "`recurrent_dropout` should be in [0, 1). "
                f"Received: recurrent_dropout={recurrent_dropout}"
            )
        self.units = units
        self.go_backwards = go_backwards
        self.recurrent_dropout = recurrent_dropout
        self.seed = seed
        self.supports_masking = True
        if recurrent_dropout > 0:
            self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, input_shape):
        self.kernel = self.add_weight(
            shape=(input_shape[-1], (_N_GATES + 1) * self.units),
            initializer=self._orthogonal_blocks,
            name="kernel",
        )
        self.bias = self.add_weight(
            shape=(_N_GATES * self.units,), initializer="zeros", name="bias"
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, _N_GATES * self.units),
            initializer=self._orthogonal_blocks,
            name="recurrent_kernel",
        )

    def call(self, inputs, mask=None, training=None):
        # [batch, time, features] → [time, batch, features]
        inputs = tf.transpose(inputs, [1, 0, 2])
        axes = [0] if self.go_backwards else []
        if mask is None:
            present = tf.ones_like(inputs[:, :, :1], tf.float32)
        else:
            # [batch, time] → [time, batch, 1]
            present = tf.where(tf.cast(mask, tf.bool), 1.0, 0.0)
            present = tf.transpose(present)[:, :, tf.newaxis]
            inputs = tf.where(present > 0.0, inputs, 0)
        zeros = tf.zeros([tf.shape(inputs)[1], self.units])
        scale = None
        if training and self.recurrent_dropout > 0:
            scale = stateless_dropout(
                tf.ones_like(zeros),
                self.recurrent_dropout,
                self.seed_generator.next(),
            )
        loop = _Loop(tf.reverse(present, axes) > 0.0, scale, zeros)
        outputs = loop.run(
            tf.reverse(inputs, axes),
            [
                tf.convert_to_tensor(weight)
                for weight in (self.kernel, self.bias, self.recurrent_kernel)
            ],
            training,
        )
        # [time, batch, units] → [batch, time, units]
        outputs = tf.transpose(tf.reverse(outputs, axes), [1, 0, 2])
        return tf.cast(outputs, self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)

    def get_config(self):
        config = super().get_config()
        config.update(
            units=self.units,
            go_backwards=self.go_backwards,
            recurrent_dropout=self.recurrent_dropout,
            seed=self.seed,
        )
        return config

    def _orthogonal_blocks(self, shape, dtype=None):
        """Each gate's part of a kernel is orthogonal by itself."""
        return keras.ops.concatenate(
            [
                keras.initializers.Orthogonal()(
                    (shape[0], self.units), dtype=dtype
                )
                for _ in range(shape[1] // self.units)
            ],
            axis=-1,
        )


class _Loop:
    """The loop over time and the one back.

    Args:
        present: Bool `[time, batch, 1]`: which steps count.
        scale: Float32 `[batch, units]`, constant: what each step's output is
            multiplied with; None: nothing.
        zeros: Float32 `[batch, units]`, the state to begin with.
    """

    def __init__(self, present, scale, zeros):
        self._present = present
        self._scale = scale
        self._zeros = zeros

    def run(self, inputs, weights, training):
        """Returns the outputs, float32 `[time, batch, units]`."""

        def run(inputs, *weights):
            outputs, recorded = self._forward(inputs, weights)

            def gradient(outputs_gradient):
                return self._backward(
                    inputs, weights, recorded, outputs_gradient
                )

            return outputs, gradient

        if training:
            return tf.custom_gradient(run)(inputs, *weights)
        # A SavedModel cannot hold the gradient of a loop.
        outputs, _ = run(inputs, *weights)
        return outputs

    def _forward(self, inputs, weights):
        kernel, bias, recurrent_kernel = weights
        projected = over_steps(lambda rows: tf.matmul(rows, kernel), inputs)

        def step(t, cell, hidden, arrays):
            gates, highway = tf.split(
                projected[t], [bias.shape[0], hidden.shape[-1]], axis=-1
            )
            recurrent = tf.matmul(
                tf.cast(hidden, inputs.dtype), recurrent_kernel
            )
            # [batch, 5 · units]
            gates = tf.cast(gates + bias + recurrent, tf.float32)
            i, j, f, o, r = tf.split(gates, _N_GATES, axis=-1)
            i, f, o, r = (tf.sigmoid(gate) for gate in (i, f + 1.0, o, r))
            j = tf.tanh(j)
            highway = tf.cast(highway, tf.float32)
            new_cell = f * cell + i * j
            activated = tf.tanh(new_cell)
            new_hidden = self._scaled(r * o * activated + (1.0 - r) * highway)
            present = self._present[t]
            new_cell = tf.where(present, new_cell, cell)
            new_hidden = tf.where(present, new_hidden, hidden)
            # The last two before this step.
            values = (i, j, f, o, r, activated, highway, cell, hidden)
            arrays = (
                arrays[0].write(t + 1, tf.where(present, new_hidden, 0.0)),
                *(
                    array.write(t, value)
                    for array, value in zip(arrays[1:], values, strict=True)
                ),
            )
            return t + 1, new_cell, new_hidden, arrays

        steps = n_steps(inputs)
        # An array of nothing, where there are no steps, cannot be stacked.
        outputs = step_array(steps + 1, self._zeros).write(0, self._zeros)
        arrays = (outputs, *(step_array(steps, self._zeros) for _ in range(9)))
        *_, arrays = tf.while_loop(
            lambda t, *_: t < steps,
            step,
            (tf.constant(0), self._zeros, self._zeros, arrays),
            maximum_iterations=inputs.shape[0],
        )
        outputs, *recorded = arrays
        return outputs.stack()[1:], recorded

    def _backward(self, inputs, weights, recorded, outputs_gradient):
        """Returns the gradients of the inputs and the weights."""
        kernel, bias, recurrent_kernel = weights
        dtype = inputs.dtype
        # oneDNN multiplies few rows by a transposed float32 matrix at less
        # than half its speed.
        transposed = tf.transpose(recurrent_kernel)

        def step(t, cell_gradient, hidden_gradient, array):
            i, j, f, o, r, activated, highway, cell, _ = (
                values.read(t) for values in recorded
            )
            present = self._present[t]
            # A step left out gave zeros and handed the state on.
            passed_cell = tf.where(present, 0.0, cell_gradient)
            passed_hidden = tf.where(present, 0.0, hidden_gradient)
            total = self._scaled(
                tf.where(present, outputs_gradient[t] + hidden_gradient, 0.0)
            )
            around = total * (1.0 - r)
            through = total * r
            cell_total = tf.where(present, cell_gradient, 0.0)
            cell_total += through * o * (1.0 - activated**2)
            # [batch, 6 · units], in the kernel's order
            gradient = tf.concat(
                [
                    cell_total * j * i * (1.0 - i),
                    cell_total * i * (1.0 - j**2),
                    cell_total * cell * f * (1.0 - f),
                    through * activated * o * (1.0 - o),
                    around * r * (o * activated - highway),
                    around,
                ],
                axis=-1,
            )
            gradient = tf.cast(gradient, dtype)
            hidden_gradient = tf.cast(
                tf.matmul(gradient[:, : bias.shape[0]], transposed), tf.float32
            )
            return (
                t - 1,
                cell_total * f + passed_cell,
                hidden_gradient + passed_hidden,
                array.write(t, gradient),
            )

        steps = n_steps(inputs)
        array = tf.TensorArray(
            dtype, size=steps, element_shape=[inputs.shape[1], kernel.shape[1]]
        )
        *_, array = tf.while_loop(
            lambda t, *_: t >= 0,
            step,
            (steps - 1, self._zeros, self._zeros, array),
            maximum_iterations=inputs.shape[0],
        )
        gradients = array.stack()
        gates_gradients = gradients[:, :, : bias.shape[0]]
        hidden = tf.cast(recorded[-1].stack(), dtype)
        # A product with ones takes a fifth of a sum's time.
        ones = tf.ones_like(inputs[:, :, :1])
        return (
            over_steps(
                lambda rows: tf.matmul(rows, tf.transpose(kernel)), gradients
            ),
            weight_gradient(inputs, gradients),
            tf.squeeze(weight_gradient(ones, gates_gradients), 0),
            weight_gradient(hidden, gates_gradients),
        )

    def _scaled(self, hidden):
        return hidden if self._scale is None else hidden * self._scale
