"""The softmax over the vocabulary, sampled in training, exact otherwise."""

import keras
import tensorflow as tf

from elmo_tf.layers.gather_rows import gather_rows
from elmo_tf.layers.log_uniform import log_uniform_candidates
from elmo_tf.layers.log_uniform import log_uniform_expected_count

# Logits held at once by the exact softmax: 2²⁵ float32 numbers are 128 MiB.
_MAX_LOGITS = 2**25


@keras.saving.register_keras_serializable(package="elmo_tf")
class SampledSoftmax(keras.layers.Layer):
    """Cross entropy of the next word, with sampled negatives in training.

    In training the softmax runs over the right word and `n_negative_samples`
    words drawn from a log-uniform distribution without repetition (Jean et al.
    2015): logits are corrected by the logarithm of their expected count, and a
    drawn word that is the right one does not count twice. The vocabulary must
    be sorted by falling frequency. Only the rows of the words in question are
    read, and the gradient is `tf.IndexedSlices` of these rows, so the time of a
    step does not grow with the vocabulary. Otherwise the softmax is exact; the
    logits are formed for a few positions at a time, so memory stays bounded
    for any vocabulary. Both directions of a biLM share one such layer.

    The sampler does not compile with `jit_compile` (see
    `log_uniform_candidates`), nor does the gradient of the exact softmax; give
    `candidates` drawn outside where the sampled one shall be compiled. Logits
    and losses are float32.

    Input shape: `[n, features]`. Output: losses in nats, float32 `[n]`.

    Args:
        vocabulary_size: Number of words.
        n_negative_samples: Number of negatives in training; None: exact softmax
            in training too.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: The tensor.
        labels: Integer `[n]`, the right words' ids.
        training: Whether to sample.
        sample_seed: Two integers that determine the negatives; needed when
            sampling without `candidates`.
        candidates: A pair of negatives and their number of draws, as
            `log_uniform_candidates` gives them; None: drawn with `sample_seed`.

    Raises:
        ValueError: More negatives than words are asked for, or neither
            `sample_seed` nor `candidates` is given when sampling.
    """

    def __init__(self, vocabulary_size, n_negative_samples=None, **kwargs):
        # Candidates and their number of draws stay as they are.
        super().__init__(autocast=False, **kwargs)
        if n_negative_samples is not None and not (
            0 < n_negative_samples <= vocabulary_size
        ):
            raise ValueError(
                "`n_negative_samples` should be positive and at most the "
                f"vocabulary's size, {vocabulary_size}. Received: "
                f"n_negative_samples={n_negative_samples}"
            )
        self.vocabulary_size = vocabulary_size
        self.n_negative_samples = n_negative_samples
        self._tied_kernel = None

    def tie_kernel(self, kernel):
        """Makes a word embedding the kernel, before the layer is built.

        Args:
            kernel: The embedding's variable, `[vocabulary_size, features]`.
        """
        self._tied_kernel = kernel

    def build(self, input_shape):
        if self._tied_kernel is None:
            # No autocast: it would cast the whole vocabulary in every step.
            self.kernel = self.add_weight(
                shape=(self.vocabulary_size, input_shape[-1]),
                initializer=keras.initializers.RandomNormal(
                    stddev=input_shape[-1] ** -0.5
                ),
                autocast=False,
                name="kernel",
            )
        else:
            self.kernel = self._tied_kernel
        self.bias = self.add_weight(
            shape=(self.vocabulary_size,),
            initializer="zeros",
            autocast=False,
            name="bias",
        )

    def call(
        self, inputs, labels, training=None, sample_seed=None, candidates=None
    ):
        inputs = tf.cast(inputs, self.compute_dtype)
        labels = tf.cast(labels, tf.int32)
        if not training or self.n_negative_samples is None:
            return -self.log_probability(inputs, labels)
        if candidates is None:
            if sample_seed is None:
                raise ValueError(
                    f"{self.name}: sampling needs `sample_seed` or "
                    "`candidates`. Received: neither"
                )
            candidates = log_uniform_candidates(
                self.n_negative_samples, self.vocabulary_size, sample_seed
            )
        return self._sampled_loss(inputs, labels, *candidates)

    def log_probability(self, inputs, labels):
        """The exact log-probability of the given words.

        Args:
            inputs: Float `[n, features]`.
            labels: Integer `[n]`.

        Returns:
            Float32 `[n]`, in nats.
        """
        labels = tf.cast(labels, tf.int32)
        positions = max(1, _MAX_LOGITS // self.vocabulary_size)
        total = tf.shape(inputs)[0]
        # At least one, be it empty: there is no concatenation of nothing.
        n_chunks = tf.maximum((total + positions - 1) // positions, 1)
        results = tf.TensorArray(
            tf.float32, size=n_chunks, infer_shape=False, element_shape=[None]
        )

        def chunk(index, results):
            start = index * positions
            # [positions, vocabulary_size]
            logits = self.logits(inputs[start : start + positions])
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels[start : start + positions], logits=logits
            )
            return index + 1, results.write(index, -losses)

        _, results = tf.while_loop(
            lambda index, _: index < n_chunks,
            chunk,
            (tf.constant(0), results),
            parallel_iterations=1,
        )
        return tf.reshape(results.concat(), [total])

    def logits(self, inputs):
        """The logits of all words.

        Args:
            inputs: Float `[n, features]`.

        Returns:
            Float32 `[n, vocabulary_size]`.
        """
        kernel = tf.cast(tf.convert_to_tensor(self.kernel), inputs.dtype)
        logits = tf.matmul(inputs, kernel, transpose_b=True)
        return tf.cast(logits, tf.float32) + tf.convert_to_tensor(self.bias)

    def compute_output_shape(self, input_shape, labels_shape=None):
        return input_shape[:-1]

    def compute_output_spec(
        self, inputs, labels, training=None, sample_seed=None, candidates=None
    ):
        return keras.KerasTensor(inputs.shape[:-1], dtype="float32")

    def get_config(self):
        config = super().get_config()
        config.update(
            vocabulary_size=self.vocabulary_size,
            n_negative_samples=self.n_negative_samples,
        )
        return config

    def _sampled_loss(self, inputs, labels, candidates, n_draws):
        """The loss with the right words `[n]` against candidates `[s]`."""
        n = tf.shape(labels)[0]
        class_ids = tf.concat([labels, candidates], axis=0)
        # One look-up, so that the gradient is one IndexedSlices.
        rows = tf.cast(gather_rows(self.kernel.value, class_ids), inputs.dtype)
        corrections = gather_rows(self.bias.value, class_ids) - tf.math.log(
            log_uniform_expected_count(class_ids, self.vocabulary_size, n_draws)
        )
        # Not by slices, whose gradients are arrays of zeros to be added up.
        sizes = tf.stack([n, tf.shape(candidates)[0]])
        true_rows, negative_rows = tf.split(rows, sizes)
        true_corrections, negative_corrections = tf.split(corrections, sizes)
        # [n]
        true_logits = true_corrections + tf.reduce_sum(
            tf.cast(inputs * true_rows, tf.float32), axis=-1
        )
        log_sum = _log_sum_exp(inputs, negative_rows, negative_corrections)
        # A candidate that is the right word has the right word's logit and
        # correction: then the sum over the candidates holds its term already.
        log_sum_with_true = tf.where(
            _is_member(labels, candidates),
            log_sum,
            _log_add_exp(log_sum, true_logits),
        )
        return log_sum_with_true - true_logits


@tf.custom_gradient
def _log_sum_exp(inputs, rows, biases):
    """`log Σⱼ exp(inputs · rowsⱼ + biasesⱼ)`, float32 `[n]`.

    `inputs` `[n, features]`, `rows` `[s, features]`, `biases` float32 `[s]`.
    The gradient reads the exponentials that the sum was made of, so no other
    `[n, s]` array is formed.
    """
    # [n, s]
    logits = tf.cast(tf.matmul(inputs, rows, transpose_b=True), tf.float32)
    logits = tf.nn.bias_add(logits, biases)
    largest = tf.reduce_max(logits, axis=1, keepdims=True)
    exponentials = tf.exp(logits - largest)
    # [n, 1]
    sums = tf.reduce_sum(exponentials, axis=1, keepdims=True)

    def gradient(upstream):
        scale = upstream[:, tf.newaxis] / sums
        weights = tf.cast(exponentials, rows.dtype)
        scaled_inputs = inputs * tf.cast(scale, inputs.dtype)
        return (
            tf.matmul(weights, rows) * tf.cast(scale, inputs.dtype),
            tf.matmul(weights, scaled_inputs, transpose_a=True),
            # [s]
            tf.squeeze(tf.matmul(exponentials, scale, transpose_a=True), 1),
        )

    return tf.squeeze(tf.math.log(sums) + largest, axis=1), gradient


def _is_member(values, members):
    """Which of `values` `[n]` occur in the distinct `members` `[s]`."""
    members = tf.sort(members)
    positions = tf.searchsorted(members, values)
    positions = tf.minimum(positions, tf.size(members) - 1)
    return tf.equal(tf.gather(members, positions), values)


def _log_add_exp(a, b):
    """`log(exp(a) + exp(b))`, with a gradient that is finite everywhere."""
    return tf.reduce_logsumexp(tf.stack([a, b]), axis=0)
