"""Bi-directional attention flow for question answering."""

import typing

import keras
import pydantic
from pydantic.dataclasses import dataclass

from bidaf_tf.layers.attention_flow import AttentionFlow
from bidaf_tf.layers.match_lstm import MatchLSTM
from bidaf_tf.layers.span_pointer import SpanPointer
from elmo_tf.layers.bilstm import BiLSTM
from elmo_tf.layers.highway import Highway

CONTEXT, QUESTION = TEXT_FIELDS = ("context", "question")

_STRICT = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)
_Rate = typing.Annotated[float, pydantic.Field(ge=0, lt=1)]
_ATTENTION_FLOW_OPTIONS = (
    "similarity",
    "fusion",
    "context_to_query",
    "query_to_context",
)


@dataclass(frozen=True, config=_STRICT)
class BiDAFConfig:
    """The sizes of BiDAF; the defaults are the paper's (section 4).

    Attributes:
        name: The model's name.
        n_highway: Number of highway layers over the token vectors.
        hidden_size: d: width of each direction of each biLSTM.
        similarity: The kind of `bidaf_tf.layers.similarity.Similarity`.
        fusion: How the attention flow joins its parts: "concat" or "mlp".
        context_to_query: Whether context words attend to the question.
        query_to_context: Whether the question attends to the context.
        dynamic_attention: Whether the lower biLSTM of the modeling layer
            attends to the question step by step, in place of the attention
            flow, whose four options are not to be set then.
        dropout: The rate on the input of each biLSTM and of the two pointers.
    """

    name: typing.Literal["bidaf"] = "bidaf"
    n_highway: pydantic.NonNegativeInt = 2
    hidden_size: pydantic.PositiveInt = 100
    similarity: typing.Literal[
        "trilinear", "dot", "linear", "bilinear", "mlp"
    ] = "trilinear"
    fusion: typing.Literal["concat", "mlp"] = "concat"
    context_to_query: bool = True
    query_to_context: bool = True
    dynamic_attention: bool = False
    dropout: _Rate = 0.2

    @pydantic.model_validator(mode="after")
    def _check_attention(self):
        if self.dynamic_attention:
            for name in _ATTENTION_FLOW_OPTIONS:
                default = type(self).__dataclass_fields__[name].default
                found = getattr(self, name)
                if found != default:
                    raise ValueError(
                        f"found {name}={found} with dynamic_attention=True, "
                        f"expected {default}: there is no attention flow"
                    )
        return self


def make_bidaf(config, inputs):
    """Builds BiDAF (Seo et al. 2017, section 2).

    The token vectors go through highway layers and, for context and question
    the same, a biLSTM (layers 2 and 3 of the paper), the attention flow (layer
    4) makes `G` of both, and two biLSTMs make `M` of it (layer 5). The answer's
    first token is pointed at from `[G; M]`, its last one from `[G; M²]`
    (layer 6).

    The paper says of `M²` that another biLSTM makes it of `M`. That biLSTM of
    the authors' program reads `[G; M; ã; M ∘ ã]` with `ã = Σₜ p¹ₜ mₜ`, so that
    the last token depends on the first, and only so are there the 2.6 million
    parameters of the paper: this is what is built here. That program drops
    nothing of the context before the lowest biLSTM, which looks like an
    oversight: here both texts are treated alike.

    With dynamic attention a `MatchLSTM` takes the place of attention flow and
    lower modeling biLSTM, and the contextual vectors of the context that of
    `G`, as in the authors' program.

    Args:
        config: The `BiDAFConfig`.
        inputs: Gives the fields `context` and `question`: `mask(field)`, bool
            `[batch, time]`; `token_vectors(field)`, `[batch, time, features]`;
            `with_elmo_output(field, vectors)`, the vectors with ELMo beside
            them or as they are; and `keras_inputs`, the model's inputs.

    Returns:
        A `keras.Model` whose outputs are `start` and `end`, float32 `[batch,
        time]`: the logits of the answer's first and last token.
    """
    highways = highway_layers(config)
    contextual = _bilstm(config, "contextual")

    def encode(field):
        vectors = inputs.token_vectors(field)
        for highway in highways:
            vectors = highway(vectors)
        encoded = contextual(_dropped(config, vectors), mask=inputs.mask(field))
        return inputs.with_elmo_output(field, encoded)

    mask = inputs.mask(CONTEXT)
    context, question = encode(CONTEXT), encode(QUESTION)
    attended, modeled = attend_and_model(
        config,
        context,
        question,
        context_mask=mask,
        question_mask=inputs.mask(QUESTION),
    )
    start = _pointer(config, "start", [attended, modeled], mask)
    # [batch, 1, T] and [batch, T, 2 · d] → [batch, 1, 2 · d]
    chosen = keras.ops.matmul(
        keras.ops.expand_dims(keras.ops.softmax(start), axis=1), modeled
    )
    chosen = keras.ops.ones_like(modeled) * chosen
    end_inputs = keras.layers.Concatenate()(
        [attended, modeled, chosen, modeled * chosen]
    )
    end_encoded = _bilstm(config, "end_encoder")(
        _dropped(config, end_inputs), mask=mask
    )
    end = _pointer(config, "end", [attended, end_encoded], mask)
    return keras.Model(
        inputs.keras_inputs, {"start": start, "end": end}, name="bidaf"
    )


def highway_layers(config):
    """Makes the highway layers over the token vectors.

    Args:
        config: The `BiDAFConfig`.

    Returns:
        A list of layers, the lowest first.
    """
    return [
        Highway(initial_carry_bias=0.0, name=f"highway_{index}")
        for index in range(config.n_highway)
    ]


def attend_and_model(config, context, question, context_mask, question_mask):
    """Builds the attention flow layer and the modeling layer (4 and 5).

    Args:
        config: The `BiDAFConfig`.
        context: H, `[batch, T, features]`.
        question: U, `[batch, J, features]`.
        context_mask: Bool `[batch, T]`.
        question_mask: Bool `[batch, J]`.

    Returns:
        G and M, `[batch, T, features]` each; with dynamic attention H and M.
    """
    masks = {"context_mask": context_mask, "question_mask": question_mask}
    if config.dynamic_attention:
        attended = context
        modeled = MatchLSTM(config.hidden_size, name="modeling_0")(
            _dropped(config, context), _dropped(config, question), **masks
        )
    else:
        attended = AttentionFlow(
            config.similarity,
            config.fusion,
            config.context_to_query,
            config.query_to_context,
            name="attention_flow",
        )(context, question, **masks)
        modeled = _bilstm(config, "modeling_0")(
            _dropped(config, attended), mask=context_mask
        )
    modeled = _bilstm(config, "modeling_1")(
        _dropped(config, modeled), mask=context_mask
    )
    return attended, modeled


def _bilstm(config, name):
    return BiLSTM(config.hidden_size, name=name)


def _dropped(config, vectors):
    return keras.layers.Dropout(config.dropout)(vectors)


def _pointer(config, name, parts, mask):
    return SpanPointer(config.dropout, name=name)(
        keras.layers.Concatenate()(parts), mask=mask
    )
