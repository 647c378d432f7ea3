"""The tagger of the ELMo paper's appendix A.7."""

import keras

from elmo_tf.layers.bilstm import BiLSTM
from tasks.layers.crf import LinearChainCRF
from tasks.text.tags import end_mask
from tasks.text.tags import start_mask
from tasks.text.tags import transition_mask


def make_tagger(config, inputs, tags):
    """Builds a biLSTM-CRF tagger (section A.7).

    Word vectors, characters and ELMo go through the biLSTMs, with one mask of
    dropout for all time steps on the input of each, a dense layer and a
    conditional random field. ELMo at the output stands beside what the lowest
    biLSTM gives.

    Args:
        config: The `NERConfig`.
        inputs: The `ModelInputs`.
        tags: A list of the tags, in the encoding of the configuration.

    Returns:
        A `keras.Model` whose outputs are `scores`, float `[batch, time,
        n_tags]`, `mask` and those of `LinearChainCRF`.
    """
    field = "tokens"
    mask = inputs.mask(field)
    vectors = inputs.token_vectors(field)
    for index, units in enumerate(config.lstm_units):
        bilstm = BiLSTM(units, dropout=config.dropout, name=f"bilstm_{index}")
        vectors = bilstm(vectors, mask=mask)
        if index == 0:
            vectors = inputs.with_elmo_output(field, vectors)
    scores = keras.layers.Dense(len(tags), name="scores", dtype="float32")(
        vectors
    )
    crf = LinearChainCRF(
        len(tags),
        transition_mask(tags, config.encoding),
        start_mask(tags, config.encoding),
        end_mask(tags, config.encoding),
        name="crf",
    )
    return keras.Model(
        inputs.keras_inputs,
        {"scores": scores, "mask": mask, **crf(scores, mask=mask)},
        name="ner",
    )
