"""How much each word of a context has to do with each word of a question."""

import keras
import tensorflow as tf

_KINDS = ("trilinear", "dot", "linear", "bilinear", "mlp")


@keras.saving.register_keras_serializable(package="bidaf_tf")
class Similarity(keras.layers.Layer):
    """The similarity matrix S of two sequences (Seo et al. 2017, equation 1).

    For a vector `h` of the context and `u` of the question, with the kinds of
    the paper's section 2 ("trilinear") and appendix B (equations 6 to 9):

        trilinear:  w · [h; u; h ∘ u]
        dot:        h · u
        linear:     w · [h; u]
        bilinear:   h · W u
        mlp:        w · tanh(W [h; u] + b)

    No vector `[h; u; h ∘ u]` is ever made: the weights are cut into the parts
    that belong to `h`, to `u` and to `h ∘ u`, and the last is put to `h` first.
    No tensor is larger than S or the inputs then, except that "mlp" cannot do
    without `[batch, T, J, d]`; the paper leaves the width of its hidden layer
    open, here it is the context's. There is no bias outside the tanh, as in the
    paper: no softmax over S would see it.

    Input shapes: context `[batch, T, d]`, question `[batch, J, e]`, where only
    "linear", "bilinear" and "mlp" let e differ from d. Output shape: `[batch,
    T, J]`. What stands at padding gives scores like any other: whoever uses
    them masks them.

    Args:
        kind: One of the names above.
        **kwargs: Arguments of `keras.layers.Layer`.

    Raises:
        ValueError: The kind is unknown, or needs vectors of equal widths and
            gets others.
    """

    def __init__(self, kind="trilinear", **kwargs):
        super().__init__(**kwargs)
        if kind not in _KINDS:
            raise ValueError(
                f"`kind` should be one of {_KINDS}. Received: kind={kind!r}"
            )
        self.kind = kind
        self.supports_masking = True

    def build(self, context_shape, question_shape):
        width, question_width = context_shape[-1], question_shape[-1]
        if self.kind in ("trilinear", "dot") and width != question_width:
            raise ValueError(
                f"the similarity {self.kind!r} needs vectors of one width. "
                f"Received: context {width}, question {question_width}"
            )
        shapes = {
            "trilinear": {"kernel": (3 * width, 1)},
            "dot": {},
            "linear": {"kernel": (width + question_width, 1)},
            "bilinear": {"kernel": (width, question_width)},
            "mlp": {
                "kernel": (width + question_width, width),
                "bias": (width,),
                "output_kernel": (width, 1),
            },
        }
        for name, shape in shapes[self.kind].items():
            weight = self.add_weight(
                shape=shape,
                initializer="zeros" if name == "bias" else "glorot_uniform",
                name=name,
            )
            setattr(self, name, weight)

    def call(self, context, question):
        if self.kind == "dot":
            return _dot_products(context, question)
        if self.kind == "bilinear":
            return _dot_products(tf.matmul(context, self.kernel), question)
        width, question_width = context.shape[-1], question.shape[-1]
        of_context = self.kernel[:width]
        of_question = self.kernel[width : width + question_width]
        # [batch, T, 1, n] + [batch, 1, J, n] → [batch, T, J, n], where n is
        # the width of the hidden layer, else 1
        sums = (
            tf.matmul(context, of_context)[:, :, tf.newaxis]
            + tf.matmul(question, of_question)[:, tf.newaxis]
        )
        if self.kind == "mlp":
            sums = tf.matmul(tf.tanh(sums + self.bias), self.output_kernel)
        # [batch, T, J, 1] → [batch, T, J]
        scores = tf.squeeze(sums, axis=-1)
        if self.kind == "trilinear":
            of_product = self.kernel[width + question_width :, 0]
            scores += _dot_products(context * of_product, question)
        return scores

    def compute_output_shape(self, context_shape, question_shape):
        return (*context_shape[:2], question_shape[1])

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        config = super().get_config()
        config.update(kind=self.kind)
        return config


def _dot_products(context, question):
    # [batch, T, d] and [batch, J, d] → [batch, T, J]
    return tf.matmul(context, question, transpose_b=True)
