"""The task-specific combination of a biLM's layers."""

import keras
import tensorflow as tf

# Variance floors of the two conventions.
_EPSILON = {"bilm_tf": 1e-12, "allennlp": 1e-13}


@keras.saving.register_keras_serializable(package="elmo_tf")
class WeightedLayerSum(keras.layers.Layer):
    """ELMo: `γ · Σⱼ sⱼ hⱼ`, `s = softmax(w)` (Peters et al. 2018, eq. 1).

    The raw weights `w` start at zero, so the sum starts as the layers' mean,
    and `γ` at one. Known elsewhere as scalar mix (AllenNLP) and weight_layers
    (bilm-tf).

    Input shape: `[batch, time, n_layers, features]`. Output shape: `[batch,
    time, features]`. Layer normalisation uses one mean and one variance over
    all real tokens and features of the batch, without scale or offset, so with
    it a sentence's vectors depend on the batch; "bilm_tf" and "allennlp" name
    whose convention to follow. They share the formula and differ in the
    variance floor (1e-12, 1e-13) and in what they were fed: bilm-tf strips the
    sentence boundaries first, AllenNLP computes the moments with them, so give
    "allennlp" layers and a mask that still hold the boundaries. Layer
    normalisation and the sum run in float32.

    Args:
        layer_norm: None, "bilm_tf" or "allennlp".
        only_layer: Number of the one layer to use, times `γ`: 0 is the token
            layer, −1 the top one. There are no `w`, no regularization and no
            layer normalisation then. None: the sum of all.
        dropout: The rate on the output, in training.
        l2: λ; `λ‖w‖²` on the raw weights is added to the model's losses.
        use_gamma: Whether `γ` is learnt; otherwise it is one (section A.2 of
            the paper asks what it is worth).
        seed: Integer that starts the sequence of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        layers: The tensor.
        mask: Bool `[batch, time]`, true for real tokens; None: all are real.
            The output is zero where it is false.
        training: Whether to drop.

    Raises:
        ValueError: `layer_norm` is none of the above, a rate is outside [0, 1),
            `l2` is negative or there is no layer of the number.
    """

    def __init__(
        self,
        layer_norm=None,
        only_layer=None,
        dropout=0.0,
        l2=0.0,
        use_gamma=True,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if layer_norm is not None and layer_norm not in _EPSILON:
            raise ValueError(
                "`layer_norm` should be None, 'bilm_tf' or 'allennlp'. "
                f"Received: layer_norm={layer_norm!r}"
            )
        if l2 < 0:
            raise ValueError(f"`l2` should not be negative. Received: l2={l2}")
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: dropout={dropout}"
            )
        self.layer_norm = layer_norm
        self.only_layer = only_layer
        self.dropout = dropout
        self.l2 = l2
        self.use_gamma = use_gamma
        self.seed = seed
        self.supports_masking = True
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )

    def build(self, input_shape):
        n_layers = input_shape[-2]
        if self.only_layer is None:
            self.layer_weights = self.add_weight(
                shape=(n_layers,),
                initializer="zeros",
                regularizer=keras.regularizers.L2(self.l2) if self.l2 else None,
                name="layer_weights",
            )
        elif not -n_layers <= self.only_layer < n_layers:
            raise ValueError(
                f"`only_layer` should be one of {n_layers} layers. Received: "
                f"only_layer={self.only_layer}"
            )
        self.gamma = 1.0
        if self.use_gamma:
            self.gamma = self.add_weight(
                shape=(), initializer="ones", name="gamma"
            )
        self._dropout.build((*input_shape[:-2], input_shape[-1]))

    def call(self, layers, mask=None, training=None):
        gamma = tf.cast(self.gamma, tf.float32)
        if self.only_layer is not None:
            outputs = gamma * tf.cast(layers[:, :, self.only_layer], tf.float32)
        else:
            layers = tf.cast(layers, tf.float32)
            if self.layer_norm:
                layers = self._normalize(layers, mask)
            weights = tf.cast(self.normalized_weights(), tf.float32)
            # [batch, time, n_layers, features] → [batch, time, features]
            outputs = gamma * tf.einsum("btlf,l->btf", layers, weights)
        if mask is not None:
            outputs = tf.where(
                tf.cast(mask, tf.bool)[:, :, tf.newaxis], outputs, 0.0
            )
        outputs = tf.cast(outputs, self.compute_dtype)
        return self._dropout(outputs, training=training)

    def normalized_weights(self):
        """Returns `s = softmax(w)`, `[n_layers]`: each layer's share.

        Raises:
            ValueError: One layer only is used, and there are no weights.
        """
        if self.only_layer is not None:
            raise ValueError(
                "a WeightedLayerSum of one layer has no layer weights"
            )
        return tf.nn.softmax(tf.convert_to_tensor(self.layer_weights))

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-2], input_shape[-1])

    def get_config(self):
        config = super().get_config()
        config.update(
            layer_norm=self.layer_norm,
            only_layer=self.only_layer,
            dropout=self.dropout,
            l2=self.l2,
            use_gamma=self.use_gamma,
            seed=self.seed,
        )
        return config

    def _normalize(self, layers, mask):
        """Gives each layer mean 0 and variance 1 over the real tokens."""
        if mask is None:
            present = tf.ones_like(layers[:, :, :1, :1])
        else:
            # [batch, time] → [batch, time, 1, 1]
            present = tf.cast(mask, tf.float32)[:, :, tf.newaxis, tf.newaxis]
        features = tf.cast(tf.shape(layers)[-1], tf.float32)
        # A batch without a real token has no moments; it is masked anyway.
        count = tf.maximum(tf.reduce_sum(present) * features, 1.0)
        # Moments of each layer: [1, 1, n_layers, 1]
        axes = [0, 1, 3]
        mean = tf.reduce_sum(layers * present, axes, keepdims=True) / count
        variance = (
            tf.reduce_sum(((layers - mean) * present) ** 2, axes, keepdims=True)
            / count
        )
        return (layers - mean) * tf.math.rsqrt(
            variance + _EPSILON[self.layer_norm]
        )
