"""The biattentive classification network (appendix A.8 of the ELMo paper)."""

import keras

from elmo_tf.layers.bilstm import BiLSTM
from tasks.layers.masked_pooling import MaskedPooling
from tasks.layers.self_attentive_pooling import SelfAttentivePooling


def make_classifier(config, inputs, n_labels):
    """Builds a biattentive classification network.

    That is the network of McCann et al. (2017), "Learned in translation",
    section 5, whose two inputs are the same text here, and whose maxout layers
    are ReLU layers (section A.8):

        X = biLSTM(ReLU(W [words; ELMo] + b)), [X; ELMo] with ELMo at the output
        C = softmax(X Xᵀ) X
        Y = biLSTM([X; X − C; X ∘ C])
        scores = layers([max Y; mean Y; min Y; self-attentive pooling of Y])

    McCann et al. have a biLSTM for each of the two texts; a second one would
    read the same and have nothing else to say.

    "The output ELMo vectors are computed with a second biLSTM and concatenated
    to the input" (section A.8) can be understood in two ways. Either ELMo with
    weights of its own stands beside the output of the first biLSTM, so that the
    attention sees it, as section 5.2 has it; or beside that of the second, as
    in AllenNLP. The configuration's `elmo_output` chooses.

    Args:
        config: The `SSTConfig`.
        inputs: The `ModelInputs`.
        n_labels: Number of labels.

    Returns:
        A `keras.Model` whose output is `scores`, float32 `[batch, n_labels]`,
        the logarithms of the probabilities but for a constant.
    """
    field = "tokens"
    mask = inputs.mask(field)
    vectors = _dropout(config.input_dropout, inputs.token_vectors(field))
    projected = _relu(config.projection_dim, "projection", vectors)
    projected = _dropout(config.projection_dropout, projected)
    encoded = BiLSTM(config.lstm_units, name="encoder")(projected, mask=mask)
    if config.elmo_output == "encoder":
        encoded = inputs.with_elmo_output(field, encoded)
    attended = keras.layers.Attention(name="biattention")(
        [encoded, encoded], mask=[mask, mask]
    )
    integrated = BiLSTM(config.lstm_units, name="integrator")(
        keras.layers.Concatenate()(
            [encoded, encoded - attended, encoded * attended]
        ),
        mask=mask,
    )
    if config.elmo_output == "integrator":
        integrated = inputs.with_elmo_output(field, integrated)
    pooled = keras.layers.Concatenate()(
        [
            MaskedPooling(["max", "mean", "min"], name="pooling")(
                integrated, mask=mask
            ),
            SelfAttentivePooling(name="self_attentive_pooling")(
                integrated, mask=mask
            ),
        ]
    )
    hidden = _dropout(config.pooling_dropout, pooled)
    for index, units in enumerate(config.hidden_units):
        hidden = _relu(units, f"hidden_{index}", hidden)
        hidden = _dropout(config.hidden_dropout, hidden)
    scores = keras.layers.Dense(n_labels, name="scores", dtype="float32")(
        hidden
    )
    return keras.Model(inputs.keras_inputs, {"scores": scores}, name="sst")


def _relu(units, name, vectors):
    return keras.layers.Dense(
        units, "relu", kernel_initializer="he_uniform", name=name
    )(vectors)


def _dropout(rate, vectors):
    return keras.layers.Dropout(rate)(vectors)
