"""What goes on inside a question answering model."""

import keras
import tensorflow as tf

from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.layers.attention_flow import AttentionFlow

# Name of the biLSTM or biGRU that context and question share.
_CONTEXTUAL = "contextual"


class ModelInspector:
    """Computes what a model makes on the way to its answers.

    Args:
        model: A model that `can_inspect`.
    """

    def __init__(self, model):
        self._attention_flow = _attention_flow(model)
        # The texts' vectors, ELMo beside them, and their masks.
        inputs = self._attention_flow.input
        self._width = model.get_layer(_CONTEXTUAL).output.shape[-1]
        self._model = keras.Model(
            model.input, {"outputs": model.output, "attended": inputs}
        )

    @staticmethod
    def can_inspect(model):
        """Whether a model has an attention matrix to look at.

        Args:
            model: A `keras.Model` as `bidaf_tf.bidaf.make_bidaf` builds them.

        Returns:
            True where an `AttentionFlow` stands between the texts; false where
            the attention is another.
        """
        return _attention_flow(model) is not None

    def __call__(self, inputs):
        """Computes the model's outputs, and what goes before them.

        Args:
            inputs: The model's inputs.

        Returns:
            A dictionary of float32 tensors, zero at padding but for the logits:

            *   start, end: the model's outputs;
            *   context_to_query `[batch, T, J]`: how each context word divides
                its attention among the question's words;
            *   query_to_context `[batch, T]`: how the question divides its
                own among the context's words; both whether or not the model's
                configuration uses them;
            *   context_contextual_vectors `[batch, T, features]` and
                question_contextual_vectors `[batch, J, features]`: what the
                recurrent encoder that both texts share makes of them, without
                ELMo.
        """
        found = self._model(inputs, training=False)
        to_query, to_context = self._attention_flow.attention(
            *found["attended"]
        )
        vectors = {}
        masks = found["attended"][2:]
        for field, encoded, mask in zip(
            TEXT_FIELDS, found["attended"], masks, strict=False
        ):
            vectors[f"{field}_contextual_vectors"] = tf.where(
                mask[:, :, tf.newaxis],
                tf.cast(encoded[:, :, : self._width], tf.float32),
                0.0,
            )
        return {
            **found["outputs"],
            "context_to_query": to_query,
            "query_to_context": to_context,
            **vectors,
        }


def _attention_flow(model):
    """The model's `AttentionFlow`, or None."""
    return next(
        (layer for layer in model.layers if isinstance(layer, AttentionFlow)),
        None,
    )
