"""Attention between a context and a question, in both directions."""

import keras
import tensorflow as tf

from bidaf_tf.layers.masking import masked_softmax
from bidaf_tf.layers.masking import without_padding
from bidaf_tf.layers.similarity import Similarity

_FUSIONS = ("concat", "mlp")


@keras.saving.register_keras_serializable(package="bidaf_tf")
class AttentionFlow(keras.layers.Layer):
    """The attention flow layer (Seo et al. 2017, section 2, layer 4).

    From the similarity S of the context H and the question U, each context
    word `t` gets the question vector that it attends to, and all get the
    context vector that the question attends to:

        ũₜ = Σⱼ aₜⱼ uⱼ,  aₜ = softmax(Sₜ)                 (context to query)
        h̃  = Σₜ bₜ hₜ,   b  = softmax(maxⱼ Sₜⱼ)           (query to context)

    The fusion "concat" gives `[h; ũ; h ∘ ũ; h ∘ h̃]` (equation 2); "mlp" puts
    a layer of ReLUs behind it that is as wide as the context (equation 10).
    Without the attention from context to query, `ũ` is the mean of the real
    question vectors; without that from query to context, the part with `h̃` is
    not there, and a quarter of the width with it (table 1b). Both softmaxes run
    in float32.

    Input shapes: context `[batch, T, d]`, question `[batch, J, d]`. Output
    shape: `[batch, T, 4 · d]`; 3 · d without query to context; d with "mlp".
    What stands at padding makes no difference, and the output there is zero.
    Where there is nothing to attend to, the attended vector is zero.

    Args:
        similarity: The kind of `Similarity`.
        fusion: "concat" or "mlp".
        context_to_query: Whether that attention is there.
        query_to_context: Whether that attention is there.
        **kwargs: Arguments of `keras.layers.Layer`.

    Call arguments:
        context: The tensor H.
        question: The tensor U.
        context_mask: `[batch, T]`, true for real tokens; None: all are real.
        question_mask: Likewise, `[batch, J]`.

    Raises:
        ValueError: The similarity or the fusion is unknown, both attentions are
            switched off, or context and question differ in width.
    """

    def __init__(
        self,
        similarity="trilinear",
        fusion="concat",
        context_to_query=True,
        query_to_context=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if fusion not in _FUSIONS:
            raise ValueError(
                f"`fusion` should be one of {_FUSIONS}. "
                f"Received: fusion={fusion!r}"
            )
        if not context_to_query and not query_to_context:
            raise ValueError(
                "one of `context_to_query` and `query_to_context` should be "
                "true. Received: both false"
            )
        self.fusion = fusion
        self.context_to_query = context_to_query
        self.query_to_context = query_to_context
        self.supports_masking = True
        self.similarity = Similarity(
            similarity, dtype=self.dtype_policy, name="similarity"
        )

    def build(self, context_shape, question_shape):
        width = context_shape[-1]
        if width != question_shape[-1]:
            raise ValueError(
                "context and question should have vectors of one width. "
                f"Received: context {width}, question {question_shape[-1]}"
            )
        self.similarity.build(context_shape, question_shape)
        if self.fusion == "mlp":
            self.projection = keras.layers.Dense(
                width,
                activation="relu",
                dtype=self.dtype_policy,
                name="projection",
            )
            self.projection.build((*context_shape[:2], self._width(width)))

    def call(self, context, question, context_mask=None, question_mask=None):
        context, context_mask = without_padding(context, context_mask)
        question, question_mask = without_padding(question, question_mask)
        scores = self.similarity(context, question)
        if self.context_to_query:
            shares = _context_to_query(scores, question_mask)
            # [batch, T, J] and [batch, J, d] → [batch, T, d]
            attended = tf.matmul(tf.cast(shares, question.dtype), question)
        else:
            mean = _mean(question, question_mask)
            # [batch, d] → [batch, T, d]
            attended = tf.ones_like(context) * mean[:, tf.newaxis]
        parts = [context, attended, context * attended]
        if self.query_to_context:
            shares = _query_to_context(scores, context_mask, question_mask)
            # [batch, T] and [batch, T, d] → [batch, 1, d]
            attended = tf.matmul(
                tf.cast(shares, context.dtype)[:, tf.newaxis], context
            )
            parts.append(context * attended)
        # [batch, T, d] thrice or four times → [batch, T, 3 or 4 · d]
        outputs = tf.concat(parts, axis=-1)
        if self.fusion == "mlp":
            outputs = self.projection(outputs)
        return tf.where(context_mask[:, :, tf.newaxis], outputs, 0)

    def attention(
        self, context, question, context_mask=None, question_mask=None
    ):
        """Computes the shares of both attentions, as figure 3 shows them.

        Each is computed whether or not the layer uses it.

        Args:
            context: As for `call`.
            question: Likewise.
            context_mask: Likewise.
            question_mask: Likewise.

        Returns:
            Two float32 tensors: `a`, `[batch, T, J]`, where each real context
            word's shares sum to one, and `b`, `[batch, T]`, which sums to one.
            Padding has no share, and none is given where there is nothing to
            attend to.
        """
        context, context_mask = without_padding(context, context_mask)
        question, question_mask = without_padding(question, question_mask)
        scores = self.similarity(context, question)
        shares = _context_to_query(scores, question_mask)
        return (
            tf.where(context_mask[:, :, tf.newaxis], shares, 0.0),
            _query_to_context(scores, context_mask, question_mask),
        )

    def compute_output_shape(self, context_shape, question_shape=None):
        width = context_shape[-1]
        if self.fusion == "concat":
            width = self._width(width)
        return (*context_shape[:2], width)

    def get_config(self):
        config = super().get_config()
        config.update(
            similarity=self.similarity.kind,
            fusion=self.fusion,
            context_to_query=self.context_to_query,
            query_to_context=self.query_to_context,
        )
        return config

    def _width(self, width):
        """The width of the parts side by side."""
        return (4 if self.query_to_context else 3) * width


def _context_to_query(scores, question_mask):
    """`[batch, T, J]` → `[batch, T, J]`."""
    return masked_softmax(scores, question_mask[:, tf.newaxis])


def _query_to_context(scores, context_mask, question_mask):
    """`[batch, T, J]` → `[batch, T]`."""
    # [batch, T, J] → [batch, T]
    highest = tf.reduce_max(
        tf.where(question_mask[:, tf.newaxis], scores, scores.dtype.min),
        axis=-1,
    )
    is_question = tf.reduce_any(question_mask, axis=-1, keepdims=True)
    return masked_softmax(highest, context_mask & is_question)


def _mean(inputs, mask):
    """The mean of the real vectors: `[batch, J, d]` → `[batch, d]`."""
    count = tf.reduce_sum(tf.where(mask, 1.0, 0.0), axis=1, keepdims=True)
    total = tf.reduce_sum(tf.cast(inputs, tf.float32), axis=1)
    return tf.cast(total / tf.maximum(count, 1.0), inputs.dtype)
