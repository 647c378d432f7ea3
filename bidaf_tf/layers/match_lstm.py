"""A bidirectional LSTM that attends to another sequence at each step."""

import keras
import tensorflow as tf

from bidaf_tf.layers.masking import masked_softmax
from bidaf_tf.layers.masking import without_padding

_DIRECTIONS = ("forward", "backward")


@keras.saving.register_keras_serializable(package="bidaf_tf")
class MatchLSTM(keras.layers.Layer):
    """LSTMs over a context whose attention to a question has a memory.

    This is the dynamic attention that Seo et al. 2017 compare the attention
    flow with (table 1b), after Bahdanau et al. 2015 and Wang and Jiang 2016
    ("Machine comprehension using match-LSTM and answer pointer", equations 2
    to 6). At each step `t`, what the question words `uⱼ` are worth depends on
    the context word `xₜ` and on what was read before:

        aₜ = softmaxⱼ(w · tanh(uⱼ V + xₜ P + h Q + p))
        zₜ = [xₜ; Σⱼ aₜⱼ uⱼ]
        [i, j, f, o] = split(zₜ W + h R + b)
        c ← σ(f + 1) · c + σ(i) · tanh(j)
        h ← σ(o) · tanh(c)

    Each direction has weights of its own. The softmax, and the state, are in
    float32.

    Input shapes: context `[batch, T, d]`, question `[batch, J, e]`. Output
    shape: `[batch, T, 2 · units]`, the forward direction first. What stands at
    padding makes no difference, and the output there is zero; where a question
    has no word, the attended vector is zero. The layer does not compile with
    `jit_compile` where T is not static.

    Args:
        units: Width of each direction, and of the tanh over the question words.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        context: The tensor of the `xₜ`.
        question: The tensor of the `uⱼ`.
        context_mask: `[batch, T]`, true for real tokens; None: all are real.
        question_mask: Likewise, `[batch, J]`.

    Raises:
        ValueError: `units` is not positive.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(
                f"`units` should be positive. Received: units={units}"
            )
        self.units = units
        self.supports_masking = True

    def build(self, context_shape, question_shape):
        context_width, question_width = context_shape[-1], question_shape[-1]
        units = self.units
        shapes = {
            "question_kernel": (question_width, units),
            "context_kernel": (context_width, units),
            "state_kernel": (units, units),
            "attention_bias": (units,),
            "attention_output_kernel": (units, 1),
            "kernel": (context_width + question_width, 4 * units),
            "bias": (4 * units,),
            "recurrent_kernel": (units, 4 * units),
        }
        initializers = {
            "attention_bias": "zeros",
            "bias": "zeros",
            "recurrent_kernel": "orthogonal",
        }
        self.directions = [
            {
                name: self.add_weight(
                    shape=shape,
                    initializer=initializers.get(name, "glorot_uniform"),
                    name=f"{direction}_{name}",
                )
                for name, shape in shapes.items()
            }
            for direction in _DIRECTIONS
        ]

    def call(self, context, question, context_mask=None, question_mask=None):
        context, context_mask = without_padding(context, context_mask)
        question, question_mask = without_padding(question, question_mask)
        # [batch, T, d] → [T, batch, d] and [batch, T] → [T, batch, 1]
        context = tf.transpose(context, [1, 0, 2])
        present = tf.transpose(tf.where(context_mask, 1.0, 0.0))
        present = present[:, :, tf.newaxis]
        outputs = []
        for index, weights in enumerate(self.directions):
            # Padding, come first, leaves the state at zero.
            axes = [0] if index == 1 else []
            output = self._run(
                {
                    name: tf.convert_to_tensor(weight)
                    for name, weight in weights.items()
                },
                tf.reverse(context, axes),
                tf.reverse(present, axes),
                question,
                question_mask,
            )
            outputs.append(tf.reverse(output, axes))
        # [T, batch, units] twice → [batch, T, 2 · units]
        outputs = tf.transpose(tf.concat(outputs, axis=-1), [1, 0, 2])
        return tf.cast(outputs, self.compute_dtype)

    def _run(self, weights, context, present, question, question_mask):
        """One direction, time-major: float32 `[T, batch, units]`."""
        context_width = context.shape[-1]
        kernel, attended_kernel = tf.split(
            weights["kernel"], [context_width, question.shape[-1]]
        )
        # What does not depend on the state, for all steps at once:
        # [batch, J, units], [T, batch, units] and [T, batch, 4 · units]
        question_part = tf.matmul(question, weights["question_kernel"])
        context_part = (
            tf.matmul(context, weights["context_kernel"])
            + weights["attention_bias"]
        )
        gates_part = tf.matmul(context, kernel) + weights["bias"]

        def step(t, cell, hidden, outputs):
            read = tf.cast(hidden, context.dtype)
            # [batch, J, units]
            matched = (
                question_part
                + (context_part[t] + tf.matmul(read, weights["state_kernel"]))[
                    :, tf.newaxis
                ]
            )
            # [batch, J, units] → [batch, J]
            scores = tf.squeeze(
                tf.matmul(tf.tanh(matched), weights["attention_output_kernel"]),
                axis=-1,
            )
            shares = tf.cast(
                masked_softmax(scores, question_mask), question.dtype
            )
            # [batch, J] and [batch, J, e] → [batch, e]
            attended = tf.squeeze(
                tf.matmul(shares[:, tf.newaxis], question), axis=1
            )
            gates = tf.cast(
                gates_part[t]
                + tf.matmul(attended, attended_kernel)
                + tf.matmul(read, weights["recurrent_kernel"]),
                tf.float32,
            )
            i, j, f, o = tf.split(gates, 4, axis=-1)
            new_cell = tf.sigmoid(f + 1.0) * cell + tf.sigmoid(i) * tf.tanh(j)
            new_hidden = tf.sigmoid(o) * tf.tanh(new_cell)
            is_present = present[t] > 0.0
            return (
                t + 1,
                tf.where(is_present, new_cell, cell),
                tf.where(is_present, new_hidden, hidden),
                outputs.write(t, tf.where(is_present, new_hidden, 0.0)),
            )

        n_steps = context.shape[0]
        if n_steps is None:
            n_steps = tf.shape(context)[0]
        zeros = tf.zeros([tf.shape(context)[1], self.units])
        outputs = tf.TensorArray(
            tf.float32, size=n_steps, element_shape=[None, self.units]
        )
        *_, outputs = tf.while_loop(
            lambda t, *_: t < n_steps,
            step,
            (tf.constant(0), zeros, zeros, outputs),
            maximum_iterations=context.shape[0],
        )
        return outputs.stack()

    def compute_output_shape(self, context_shape, question_shape=None):
        return (*context_shape[:2], 2 * self.units)

    def get_config(self):
        config = super().get_config()
        config.update(units=self.units)
        return config
