"""The tagger of the ELMo paper's appendix A.5."""

import keras
import numpy as np

from tasks.layers.crf import LinearChainCRF
from tasks.layers.highway_lstm import HighwayLSTM
from tasks.text.tags import end_mask
from tasks.text.tags import start_mask
from tasks.text.tags import transition_mask

# Name of the input with the number of the predicate's token.
PREDICATE = "predicate"
_ENCODING = "BIO"
# As a score beside 0; its exponential is still a number.
_IMPOSSIBLE = -30.0


def make_srl_tagger(config, inputs, tags):
    """Builds the tagger of He et al. 2017 (ELMo paper, section A.5).

    Beside the word vectors, and ELMo at the input, stands an embedding of
    whether a token is the predicate. The LSTMs on top have highways and read in
    alternating directions, the lowest one forward. A dense layer gives each
    token's tag its score; the best sequence is found among those that BIO
    allows. Without a predicate there are no arguments: O is certain then.

    Args:
        config: The `SRLConfig`.
        inputs: The `ModelInputs`, with `predicate`, int32 `[batch]`: the number
            of the predicate's token, or −1.
        tags: A list of the tags, O the first.

    Returns:
        A `keras.Model` whose outputs are `scores`, float32 `[batch, time,
        n_tags]`, `mask`, and those of `LinearChainCRF` with all weights zero: a
        softmax for each token, whose best allowed sequence is looked for.
    """
    field = "tokens"
    mask = inputs.mask(field)
    predicate = inputs.keras_inputs[PREDICATE]
    # [batch, time]
    places = keras.ops.cumsum(keras.ops.ones_like(mask, "int32"), axis=1) - 1
    is_predicate = keras.ops.equal(
        places, keras.ops.expand_dims(predicate, axis=1)
    )
    indicator = keras.layers.Embedding(
        2, config.predicate_dim, name="predicate_embedding"
    )(keras.ops.cast(is_predicate, "int32"))
    vectors = keras.layers.Concatenate()(
        [inputs.token_vectors(field), indicator]
    )
    for index in range(config.n_layers):
        vectors = HighwayLSTM(
            config.units,
            go_backwards=index % 2 == 1,
            recurrent_dropout=config.recurrent_dropout,
            name=f"lstm_{index}",
        )(vectors, mask=mask)
        if index == 0:
            vectors = inputs.with_elmo_output(field, vectors)
    scores = keras.layers.Dense(
        len(tags),
        kernel_initializer="orthogonal",
        name="scores",
        dtype="float32",
    )(vectors)
    # [batch, time] → [batch, 1, 1]
    has_predicate = keras.ops.any(is_predicate, axis=1)[:, None, None]
    only_outside = np.full(len(tags), _IMPOSSIBLE, np.float32)
    only_outside[0] = 0
    scores = keras.ops.where(has_predicate, scores, only_outside)
    decoder = LinearChainCRF(
        len(tags),
        transition_mask(tags, _ENCODING),
        start_mask(tags, _ENCODING),
        end_mask(tags, _ENCODING),
        trainable=False,
        name="decoder",
    )
    return keras.Model(
        inputs.keras_inputs,
        {"scores": scores, "mask": mask, **decoder(scores, mask=mask)},
        name="srl",
    )
