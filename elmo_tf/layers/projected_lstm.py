"""An LSTM with a projection and clipping, as the official biLMs use it."""

import keras
import tensorflow as tf

from elmo_tf.layers.differentiable_lstm import differentiable_lstm


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
        if mask is not None:
            # [batch, time] → [time, batch, 1]; as numbers, and not by a cast,
            # which TensorFlow would move behind the transposition: oneDNN
            # complains about that of booleans.
            mask = tf.where(tf.cast(mask, tf.bool), 1.0, 0.0)
            mask = tf.transpose(mask)[:, :, tf.newaxis] > 0.0
        weights = [
            self._cast(weight)
            for weight in (
                self.kernel,
                self.bias,
                self.recurrent_kernel,
                self.projection_kernel,
            )
            if weight is not None
        ]
        if training:
            outputs, cell, hidden = differentiable_lstm(
                inputs,
                weights,
                (cell, hidden),
                mask,
                self.cell_clip,
                self.projection_clip,
            )
        else:
            outputs, cell, hidden = self._inference_loop(
                inputs, weights, cell, hidden, mask
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

    def _inference_loop(self, inputs, weights, cell, hidden, mask):
        """Runs all steps, keeping only the outputs.

        Shapes: `inputs` `[time, batch, features]`, `mask` `[time, batch, 1]`
        or None; returns outputs `[time, batch, output_dim]`, cell and hidden.
        """
        kernel, bias, recurrent_kernel, *rest = weights
        projection_kernel = rest[0] if rest else None
        # [time, batch, 4·units]
        projected_inputs = tf.tensordot(inputs, kernel, 1) + bias
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
