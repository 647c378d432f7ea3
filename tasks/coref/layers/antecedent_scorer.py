"""How well each span before would do as a span's antecedent."""

import keras
import tensorflow as tf

from tasks.coref.layers.feed_forward_scorer import FeedForwardScorer
from tasks.coref.layers.pair_products import pair_products

# The least distances, counted in spans, that share an embedding.
_DISTANCES = (1, 2, 3, 4, 5, 8, 16, 32, 64)


@keras.saving.register_keras_serializable(package="elmo_tf_tasks")
class AntecedentScorer(keras.layers.Layer):
    """Scores pairs of a span and one before it (Lee et al. 2017, section 4).

    s(i, j) = s_m(i) + s_m(j) + FFNN([g_i; g_j; g_i ∘ g_j; φ(i, j)]), with s_m
    the spans' own scores, g their vectors, and φ embeddings of whether they
    have the same speaker, of the document's genre and of how many spans j
    stands before i: 1, 2, 3, 4, up to 7, 15, 31 or 63, or more. The K nearest
    spans before are scored; that a span has no antecedent scores 0.

    The first layer multiplies g_i and g_j before they are paired: of all that a
    pair has only g_i ∘ g_j is as wide as the spans, and of these there are few
    at a time (see `pair_products`).

    Input shapes: spans float `[batch, n, span_dim]`, in the order of the
    document; scores `[batch, n]`; speakers int32 `[batch, n]`; genre int32
    `[batch]`, from 0 up; mask bool `[batch, n]`, False for the spans that are
    none, which come last. Output shape: `[batch, n, 1 + min(n, K)]`, float32:
    first the score of having none, then the span before, the one before that
    and so on; where there is none, the least float32, as in all of a row that
    the mask leaves out but its first column.

    Args:
        max_antecedents: K.
        n_genres: Number of genres.
        n_layers: Number of the FFNN's hidden layers, at least one.
        units: Their width.
        feature_dim: Width of each embedding.
        dropout: The rate on the embeddings and on each hidden layer's output,
            in training.
        seed: Integer that starts the sequences of dropout masks; None: a random
            one.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: A size is not positive, or the rate outside [0, 1).
    """

    def __init__(
        self,
        max_antecedents,
        n_genres,
        n_layers,
        units,
        feature_dim,
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        # The spans' own scores keep their digits.
        super().__init__(autocast=False, **kwargs)
        for name, value in (
            ("max_antecedents", max_antecedents),
            ("n_genres", n_genres),
            ("n_layers", n_layers),
            ("units", units),
            ("feature_dim", feature_dim),
        ):
            if value < 1:
                raise ValueError(
                    f"`{name}` should be positive. Received: {name}={value}"
                )
        if not 0 <= dropout < 1:
            raise ValueError(
                f"`dropout` should be in [0, 1). Received: {dropout=}"
            )
        self.max_antecedents = max_antecedents
        self.n_genres = n_genres
        self.n_layers = n_layers
        self.units = units
        self.feature_dim = feature_dim
        self.dropout = dropout
        self.seed = seed
        self.supports_masking = True
        self._dropout = keras.layers.Dropout(
            dropout, seed=seed, dtype=self.dtype_policy
        )
        self._upper_layers = FeedForwardScorer(
            n_layers - 1,
            units,
            dropout,
            # Other masks than those of the first layer.
            None if seed is None else seed + 1,
            dtype=self.dtype_policy,
            name="upper_layers",
        )

    def build(self, spans_shape, scores_shape, speakers_shape, genre_shape):
        self.embeddings = {
            name: self.add_weight(
                shape=(n_values, self.feature_dim),
                initializer="glorot_uniform",
                name=f"{name}_embedding",
            )
            for name, n_values in (
                ("speaker", 2),
                ("genre", self.n_genres),
                ("distance", len(_DISTANCES)),
            )
        }
        widths = {
            "span": spans_shape[-1],
            "antecedent": spans_shape[-1],
            "product": spans_shape[-1],
            "feature": 3 * self.feature_dim,
        }
        # One matrix, of which these are the rows.
        limit = (6 / (sum(widths.values()) + self.units)) ** 0.5
        self.kernels = {
            name: self.add_weight(
                shape=(width, self.units),
                initializer=keras.initializers.RandomUniform(-limit, limit),
                name=f"{name}_kernel",
            )
            for name, width in widths.items()
        }
        self.bias = self.add_weight(
            shape=(self.units,), initializer="zeros", name="bias"
        )
        self._upper_layers.build((*spans_shape[:-1], None, self.units))

    def call(self, spans, scores, speakers, genre, mask, training=None):
        mask = tf.cast(mask, tf.bool)
        spans = tf.cast(spans, self.compute_dtype)
        spans = tf.where(mask[:, :, tf.newaxis], spans, 0)
        scores = tf.where(mask, tf.cast(scores, tf.float32), 0.0)
        batch, n_spans = tf.unstack(tf.shape(mask))
        n_before = tf.minimum(n_spans, self.max_antecedents)
        # [k]: 1, 2, …
        distances = tf.range(1, n_before + 1)
        # [n, k]
        before = tf.range(n_spans)[:, tf.newaxis] - distances
        is_there = (before >= 0) & mask[:, :, tf.newaxis]
        before = tf.maximum(before, 0)

        def of_antecedents(values):
            # [batch, n, …] → [batch, n, k, …]
            return tf.gather(values, before, axis=1)

        features = self._features(
            tf.equal(speakers[:, :, tf.newaxis], of_antecedents(speakers)),
            genre,
            distances,
        )
        features = self._dropout(features, training=training)
        products = pair_products(
            spans,
            before,
            tf.cast(self.kernels["product"], self.compute_dtype),
            training,
        )
        # [batch, n, k, units]
        hidden = (
            self._multiply(spans, "span")[:, :, tf.newaxis]
            + of_antecedents(self._multiply(spans, "antecedent"))
            + products
            + self._multiply(features, "feature")
            + tf.cast(self.bias, self.compute_dtype)
        )
        hidden = self._dropout(tf.nn.relu(hidden), training=training)
        # [batch, n, k, units] → [batch, n, k]
        pair_scores = self._upper_layers(hidden, training=training)
        pair_scores += scores[:, :, tf.newaxis] + of_antecedents(scores)
        pair_scores = tf.where(is_there, pair_scores, tf.float32.min)
        return tf.concat([tf.zeros([batch, n_spans, 1]), pair_scores], axis=-1)

    def _features(self, is_same_speaker, genre, distances):
        """The embeddings of pairs, `[batch, n, k, 3 · feature_dim]`."""
        bucket = tf.searchsorted(
            tf.constant(_DISTANCES), distances, side="right"
        )
        genre = genre[:, tf.newaxis, tf.newaxis]
        parts = []
        for name, values in (
            ("speaker", tf.cast(is_same_speaker, tf.int32)),
            ("genre", genre),
            ("distance", bucket - 1),
        ):
            table = tf.cast(self.embeddings[name], self.compute_dtype)
            values = tf.broadcast_to(values, tf.shape(is_same_speaker))
            parts.append(tf.gather(table, values))
        return tf.concat(parts, axis=-1)

    def _multiply(self, vectors, name):
        kernel = tf.cast(self.kernels[name], self.compute_dtype)
        return tf.tensordot(vectors, kernel, axes=1)

    def compute_mask(self, spans, mask):
        return None

    def compute_output_spec(
        self, spans, scores, speakers, genre, mask, training=None
    ):
        n_spans = scores.shape[1]
        n_columns = None
        if n_spans is not None:
            n_columns = 1 + min(n_spans, self.max_antecedents)
        return keras.KerasTensor((*scores.shape, n_columns), "float32")

    def compute_output_shape(self, spans_shape):
        return (
            *spans_shape[:2],
            1 + min(spans_shape[1], self.max_antecedents),
        )

    def get_config(self):
        config = super().get_config()
        config.update(
            max_antecedents=self.max_antecedents,
            n_genres=self.n_genres,
            n_layers=self.n_layers,
            units=self.units,
            feature_dim=self.feature_dim,
            dropout=self.dropout,
            seed=self.seed,
        )
        return config
