"""A worker that trains with one of two forms of the similarity."""

import time

import keras
import numpy as np
import tensorflow as tf

from benchmarks.peers import worker
from benchmarks.plain_similarity import PlainSimilarity
from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.bidaf import make_bidaf
from bidaf_tf.layers import attention_flow


class AttentionWorker:
    """Takes training steps of an attention flow, or of a BiDAF around one.

    Args:
        form: "factored", as the layer has it, or "plain".
        part: "layer", whose loss is the mean of its output's squares, or
            "model", BiDAF with the loss of the paper's equation 5.
        batch_size: Number of examples.
        lengths: Tokens of a context and of a question.
        hidden_size: BiDAF's d; the attention's vectors have 2 · d numbers.
    """

    def __init__(self, form, part, batch_size, lengths, hidden_size):
        if form == "plain":
            # The layer makes its similarity itself, by this name.
            attention_flow.Similarity = PlainSimilarity
        keras.utils.set_random_seed(0)
        generator = np.random.default_rng(0)
        inputs = _Inputs(2 * hidden_size)
        self._values = {}
        for field, length in zip(TEXT_FIELDS, lengths, strict=True):
            self._values[f"{field}_mask"] = tf.ones(
                [batch_size, length], tf.bool
            )
            self._values[f"{field}_vectors"] = tf.constant(
                generator.normal(size=[batch_size, length, 2 * hidden_size]),
                tf.float32,
            )
        if part == "layer":
            layer = attention_flow.AttentionFlow()
            outputs = layer(*map(inputs.token_vectors, TEXT_FIELDS))
            model = keras.Model(inputs.keras_inputs, {"flow": outputs})
        else:
            # Masks of dropout would hide whether both forms agree.
            config = BiDAFConfig(hidden_size=hidden_size, dropout=0.0)
            model = make_bidaf(config, inputs)
        answers = tf.constant(
            generator.integers(lengths[0], size=batch_size), tf.int32
        )
        optimizer = keras.optimizers.Adadelta(0.5, rho=0.95, epsilon=1e-8)
        optimizer.build(model.trainable_variables)

        def loss(outputs):
            if part == "layer":
                return tf.reduce_mean(outputs["flow"] ** 2)
            return sum(
                tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(
                        answers, outputs[name]
                    )
                )
                for name in ("start", "end")
            )

        @tf.function
        def step(values):
            with tf.GradientTape() as tape:
                value = loss(model(values, training=True))
            variables = model.trainable_variables
            optimizer.apply_gradients(
                zip(tape.gradient(value, variables), variables, strict=True)
            )
            return value

        self._step = step

    def answer_train(self, steps):
        """Trains; answers with each step's seconds and loss."""
        seconds, losses = [], []
        for _ in range(steps):
            begin = time.perf_counter()
            losses.append(float(self._step(self._values)))
            seconds.append(time.perf_counter() - begin)
        return {"seconds": seconds, "losses": losses}

    def answer_memory(self):
        """Answers with the largest memory that the process has ever had."""
        return {"peak_bytes": worker.peak_bytes()}


class _Inputs:
    """Vectors for `make_bidaf`."""

    def __init__(self, width):
        self.keras_inputs = {}
        for field in TEXT_FIELDS:
            for name, shape, dtype in (
                ("mask", [None], "bool"),
                ("vectors", [None, width], "float32"),
            ):
                name = f"{field}_{name}"
                self.keras_inputs[name] = keras.Input(shape, None, dtype, name)

    def mask(self, field):
        return self.keras_inputs[f"{field}_mask"]

    def token_vectors(self, field):
        return self.keras_inputs[f"{field}_vectors"]

    def with_elmo_output(self, field, vectors):
        del field
        return vectors


if __name__ == "__main__":
    worker.serve(AttentionWorker, {"tensorflow": tf.__version__})
