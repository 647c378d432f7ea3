"""A biLM's SavedModel as a Keras layer."""

import os

import keras
import tensorflow as tf

from elmo_tf.saved_model import load_saved_model


@keras.saving.register_keras_serializable(package="elmo_tf")
class FrozenBiLM(keras.layers.Layer):
    """A frozen biLM that takes strings, loaded from a SavedModel.

    The layer has no trainable weights, and its configuration is the
    SavedModel's path or the pre-trained biLM's name, so a model that holds it
    can be saved as `.keras` and loaded in safe mode where that path exists, or
    this package. In a distributed training make it in the strategy's scope.

    Input: with the signature "tokens" a string tensor `[batch, time]`, padded
    at the end with empty strings, or a dictionary of `tokens` and
    `sequence_len` `[batch]`, which empty strings within a sentence need; with
    the signature "default" raw sentences, `[batch]`. Output: the SavedModel's
    output of that name, e.g. `layers` `[batch, time, n_layers + 1,
    output_dim]` for `WeightedLayerSum`. With "tokens" the output carries a
    Keras mask of the real tokens, where it has a time axis.

    Args:
        saved_model: The SavedModel's folder, or the name of a pre-trained biLM
            of the package: "mini".
        signature: "tokens" or "default".
        output: Name of the output; see `export_saved_model`.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        InputError: The SavedModel cannot be loaded.
        ValueError: It has no such signature or output.
    """

    def __init__(
        self, saved_model, signature="tokens", output="layers", **kwargs
    ):
        super().__init__(trainable=False, autocast=False, **kwargs)
        if signature not in ("tokens", "default"):
            raise ValueError(
                "`signature` should be 'tokens' or 'default'. Received: "
                f"signature={signature!r}"
            )
        self.saved_model = os.fspath(saved_model)
        self.signature = signature
        self.output_name = output
        self._loaded = load_saved_model(saved_model)
        self._function = self._loaded.signatures[signature]
        self._output_spec = self._function.structured_outputs
        if output not in self._output_spec:
            raise ValueError(
                f"`output` should be one of {sorted(self._output_spec)}. "
                f"Received: output={output!r}"
            )

    def build(self, input_shape):
        pass

    def call(self, inputs):
        if self.signature == "default":
            outputs = self._function(strings=inputs)
        else:
            tokens, sequence_len = _tokens_and_lengths(inputs)
            outputs = self._function(tokens=tokens, sequence_len=sequence_len)
        return tf.cast(
            outputs[self.output_name], self._dtype_of(self.compute_dtype)
        )

    def compute_mask(self, inputs, previous_mask=None):
        if self.signature == "default" or not self._has_time_axis():
            return None
        if any(
            isinstance(part, keras.KerasTensor)
            for part in keras.tree.flatten(inputs)
        ):
            # A functional model being built; the mask is made when it runs.
            return None
        tokens, sequence_len = _tokens_and_lengths(inputs)
        return tf.sequence_mask(sequence_len, tf.shape(tokens)[1])

    def compute_output_shape(self, input_shape):
        if isinstance(input_shape, dict):
            input_shape = input_shape["tokens"]
        shape = list(self._output_spec[self.output_name].shape)
        shape[0] = input_shape[0]
        if self.signature == "tokens" and self._has_time_axis():
            shape[1] = input_shape[1]
        return tuple(shape)

    def compute_output_spec(self, inputs):
        shape = keras.tree.map_structure(lambda x: x.shape, inputs)
        return keras.KerasTensor(
            self.compute_output_shape(shape),
            dtype=self._dtype_of(self.compute_dtype),
        )

    def get_config(self):
        config = super().get_config()
        # A frozen layer is never trainable.
        del config["trainable"]
        config.update(
            saved_model=self.saved_model,
            signature=self.signature,
            output=self.output_name,
        )
        return config

    def _has_time_axis(self):
        return self._output_spec[self.output_name].shape.rank > 2

    def _dtype_of(self, compute_dtype):
        """The output's dtype: vectors take the layer's, lengths stay whole."""
        dtype = self._output_spec[self.output_name].dtype
        return compute_dtype if dtype.is_floating else dtype.name


def _tokens_and_lengths(inputs):
    """The tokens `[batch, time]` and their numbers, int32 `[batch]`."""
    if isinstance(inputs, dict):
        return inputs["tokens"], tf.cast(inputs["sequence_len"], tf.int32)
    # One past the last token that is not empty.
    position = tf.range(1, tf.shape(inputs)[1] + 1)
    lengths = tf.reduce_max(
        tf.where(tf.not_equal(inputs, ""), position, 0), axis=1
    )
    # Of no positions at all the maximum is the least integer.
    return inputs, tf.maximum(lengths, 0)
