"""The LSTM layers of one direction of a biLM."""

import keras
import tensorflow as tf

from elmo_tf.layers.projected_lstm import ProjectedLSTM
from elmo_tf.layers.stateless_dropout import stateless_dropout


@keras.saving.register_keras_serializable(package="elmo_tf")
class LSTMStack(keras.layers.Layer):
    """Layers of `ProjectedLSTM` over each other, one direction (section 3.4).

    With skip connections each layer from the second on adds its input to its
    output; its recurrent state stays without that input. Dropout falls on the
    input of every layer, with a new mask at each time step, and what a layer
    adds to its output is the dropped input, as in the official training.

    Input shape: `[batch, time, features]`. Output: a list with each layer's
    `[batch, time, projection_dim]`, and the final state: a list with each
    layer's `[cell, hidden]`.

    Args:
        n_layers: Number of layers.
        units: Width of each layer's cell.
        projection_dim: Width of each layer's output.
        cell_clip: Bound of the cells; None: not clipped.
        projection_clip: Bound of the projected outputs; None: not clipped.
        use_skip_connections: Whether layers from the second on add their
            input.
        dropout: The rate on the input of every layer, in training.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: The tensor.
        initial_state: As the final state; None: zeros.
        mask: Bool `[batch, time]`; a step left out gives zeros and leaves the
            state as it is.
        training: Whether to drop.
        dropout_seed: Two integers that determine the masks; needed when
            training with dropout.

    Raises:
        ValueError: `n_layers` is not positive, or a training call with dropout
            has no `dropout_seed`.
    """

    def __init__(
        self,
        n_layers,
        units,
        projection_dim=None,
        cell_clip=None,
        projection_clip=None,
        use_skip_connections=False,
        dropout=0.0,
        **kwargs,
    ):
        # States stay float32 whatever the compute dtype.
        super().__init__(autocast=False, **kwargs)
        if n_layers < 1:
            raise ValueError(
                f"`n_layers` should be positive. Received: n_layers={n_layers}"
            )
        self.n_layers = n_layers
        self.units = units
        self.projection_dim = projection_dim
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.use_skip_connections = use_skip_connections
        self.dropout = dropout
        self.output_dim = projection_dim or units
        self.supports_masking = True
        self.lstms = [
            ProjectedLSTM(
                units,
                projection_dim,
                cell_clip,
                projection_clip,
                dtype=self.dtype_policy,
                name=f"lstm_{index}",
            )
            for index in range(n_layers)
        ]

    def build(self, input_shape):
        for lstm in self.lstms:
            lstm.build(input_shape)
            input_shape = (*input_shape[:-1], self.output_dim)

    def call(
        self,
        inputs,
        initial_state=None,
        mask=None,
        training=None,
        dropout_seed=None,
    ):
        inputs = tf.cast(inputs, self.compute_dtype)
        drops = bool(training and self.dropout)
        if drops and dropout_seed is None:
            raise ValueError(
                f"{self.name}: training with dropout {self.dropout} needs "
                "`dropout_seed`. Received: dropout_seed=None"
            )
        outputs = []
        final_state = []
        for index, lstm in enumerate(self.lstms):
            if drops:
                inputs = stateless_dropout(
                    inputs, self.dropout, tf.random.fold_in(dropout_seed, index)
                )
            output, state = lstm(
                inputs,
                initial_state=initial_state and initial_state[index],
                mask=mask,
                training=training,
            )
            if self.use_skip_connections and index > 0:
                output += inputs
                if mask is not None:
                    # The input of a masked step need not be zero.
                    output = tf.where(mask[:, :, tf.newaxis], output, 0)
            outputs.append(output)
            final_state.append(state)
            inputs = output
        return outputs, final_state

    def zero_state(self, batch_size):
        """Returns the state before the first word: zeros for each layer.

        Args:
            batch_size: Integer or scalar tensor.

        Returns:
            A list of `[cell, hidden]`, one a layer.
        """
        return [lstm.zero_state(batch_size) for lstm in self.lstms]

    def compute_output_shape(self, input_shape):
        shape, state = self.lstms[0].compute_output_shape(input_shape)
        return [shape] * self.n_layers, [state] * self.n_layers

    def compute_output_spec(
        self,
        inputs,
        initial_state=None,
        mask=None,
        training=None,
        dropout_seed=None,
    ):
        shape, state = self.lstms[0].compute_output_shape(inputs.shape)
        return (
            [
                keras.KerasTensor(shape, dtype=self.compute_dtype)
                for _ in self.lstms
            ],
            [
                [keras.KerasTensor(part, dtype="float32") for part in state]
                for _ in self.lstms
            ],
        )

    def compute_mask(self, inputs, mask=None):
        return [mask] * self.n_layers, [[None, None]] * self.n_layers

    def get_config(self):
        config = super().get_config()
        config.update(
            n_layers=self.n_layers,
            units=self.units,
            projection_dim=self.projection_dim,
            cell_clip=self.cell_clip,
            projection_clip=self.projection_clip,
            use_skip_connections=self.use_skip_connections,
            dropout=self.dropout,
        )
        return config
