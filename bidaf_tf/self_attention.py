"""BiDAF with self-attention, the question answering model of the ELMo paper."""

import typing

import keras
import pydantic
from pydantic.dataclasses import dataclass

from bidaf_tf.bidaf import CONTEXT
from bidaf_tf.bidaf import QUESTION
from bidaf_tf.layers.attention_flow import AttentionFlow
from bidaf_tf.layers.self_attention import SelfAttention
from bidaf_tf.layers.span_pointer import SpanPointer
from elmo_tf.layers.variational_dropout import VariationalDropout

_STRICT = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)
_Rate = typing.Annotated[float, pydantic.Field(ge=0, lt=1)]


@dataclass(frozen=True, config=_STRICT)
class BiDAFSelfAttentionConfig:
    """The sizes of BiDAF with self-attention; the defaults are the paper's.

    Attributes:
        name: The model's name.
        gru_units: Width of each direction of each biGRU.
        linear_units: Width of the layers of ReLUs.
        dropout: The rate on the input of each biGRU and linear layer, with one
            mask for all time steps.
    """

    name: typing.Literal["bidaf_self_attention"] = "bidaf_self_attention"
    gru_units: pydantic.PositiveInt = 90
    linear_units: pydantic.PositiveInt = 180
    dropout: _Rate = 0.2


def make_bidaf_self_attention(config, inputs):
    """Builds BiDAF with self-attention (ELMo paper, section A.4).

    It is a simpler version of the model of Clark and Gardner 2017, "Simple and
    effective multi-paragraph reading comprehension": a biGRU that context and
    question share, with ELMo at its input and output; attention flow; a layer
    of ReLUs; `x + SelfAttention(biGRU(x))`; another layer of ReLUs. As in that
    paper, a biGRU and a linear layer point at the answer's first token, and a
    second biGRU, which reads the first one's output too, and another linear
    layer at its last.

    Args:
        config: The `BiDAFSelfAttentionConfig`.
        inputs: As for `bidaf_tf.bidaf.make_bidaf`.

    Returns:
        A `keras.Model` with the outputs of `bidaf_tf.bidaf.make_bidaf`.
    """
    contextual = _bigru(config, "contextual")
    dropout = _dropout(config, "contextual_dropout")
    mask = inputs.mask(CONTEXT)

    def encode(field):
        vectors = dropout(inputs.token_vectors(field))
        encoded = contextual(vectors, mask=inputs.mask(field))
        return inputs.with_elmo_output(field, encoded)

    def linear(name, vectors):
        return keras.layers.Dense(config.linear_units, "relu", name=name)(
            _dropout(config, f"{name}_dropout")(vectors)
        )

    def recurrent(name, vectors):
        return _bigru(config, name)(
            _dropout(config, f"{name}_dropout")(vectors), mask=mask
        )

    attended = AttentionFlow(name="attention_flow")(
        encode(CONTEXT),
        encode(QUESTION),
        context_mask=mask,
        question_mask=inputs.mask(QUESTION),
    )
    vectors = linear("attention_linear", attended)
    own = _dropout(config, "self_attention_dropout")(
        recurrent("self_attention_gru", vectors)
    )
    vectors = vectors + SelfAttention(
        config.linear_units, name="self_attention"
    )(own, mask=mask)
    vectors = linear("self_attention_linear", vectors)
    start_encoded = recurrent("start_gru", vectors)
    end_encoded = recurrent(
        "end_gru", keras.layers.Concatenate()([vectors, start_encoded])
    )
    return keras.Model(
        inputs.keras_inputs,
        {
            "start": SpanPointer(config.dropout, name="start")(
                start_encoded, mask=mask
            ),
            "end": SpanPointer(config.dropout, name="end")(
                end_encoded, mask=mask
            ),
        },
        name="bidaf_self_attention",
    )


def _bigru(config, name):
    return keras.layers.Bidirectional(
        keras.layers.GRU(
            config.gru_units, return_sequences=True, zero_output_for_mask=True
        ),
        name=name,
    )


def _dropout(config, name):
    return VariationalDropout(config.dropout, name=name)
