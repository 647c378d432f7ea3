"""The model of the ELMo paper's appendix A.3: ESIM."""

import keras

from elmo_tf.layers.bilstm import BiLSTM
from tasks.layers.masked_pooling import MaskedPooling
from tasks.snli.data import LABELS

# The paper's with ELMo, which it found to need more regularization.
_ATTENTION_DROPOUT = 0.5
_L2 = 0.0001


def make_classifier(config, inputs):
    """Builds the sequential ESIM (Chen et al. 2017, section 3).

    With the same layers for premise and hypothesis: a biLSTM encodes the
    sentence (eq. 1, 2); each vector `a` attends to the other sentence's by dot
    products, which gives `ã` (eq. 11 to 13); `[a; ã; a − ã; a ∘ ã]` (eq. 14,
    15) goes through a ReLU layer and another biLSTM (eq. 16, 17), whose mean
    and maximum over time (eq. 18 to 20) a ReLU layer and a softmax classify.
    ELMo at the output stands beside what the lower biLSTM gives, before the
    attention.

    Args:
        config: The `SNLIConfig`.
        inputs: The `ModelInputs`, of the fields `premise` and `hypothesis`.

    Returns:
        A `keras.Model` whose output is `scores`, float32 `[batch, 3]`: logits
        in the order of `LABELS`.
    """
    l2 = _default(config.l2, _L2, config)
    encoder = _bilstm(config, l2, "encoder")
    attention = keras.layers.Attention(name="attention")
    attention_dropout = keras.layers.Dropout(
        _default(config.attention_dropout, _ATTENTION_DROPOUT, config),
        name="attention_dropout",
    )
    projection = _dense(config.feed_forward_units, "relu", l2, "projection")
    composition = _bilstm(config, l2, "composition")
    pooling = MaskedPooling(["mean", "max"], name="pooling")

    def encode(field):
        encoded = encoder(inputs.token_vectors(field), mask=inputs.mask(field))
        return inputs.with_elmo_output(field, encoded)

    def compose(own, other, own_mask, other_mask):
        attended = attention([own, other], mask=[own_mask, other_mask])
        # [batch, time, features] → [batch, time, 4 · features]
        enhanced = keras.layers.Concatenate()(
            [own, attended, own - attended, own * attended]
        )
        vectors = projection(attention_dropout(enhanced))
        # [batch, time, units] → [batch, 4 · lstm_units]
        return pooling(composition(vectors, mask=own_mask), mask=own_mask)

    premise, hypothesis = encode("premise"), encode("hypothesis")
    masks = inputs.mask("premise"), inputs.mask("hypothesis")
    vectors = keras.layers.Concatenate()(
        [
            compose(premise, hypothesis, *masks),
            compose(hypothesis, premise, *reversed(masks)),
        ]
    )
    hidden = _dense(config.feed_forward_units, "relu", l2, "hidden")(
        keras.layers.Dropout(config.dropout, name="pooled_dropout")(vectors)
    )
    scores = _dense(len(LABELS), None, l2, "scores", dtype="float32")(
        keras.layers.Dropout(config.dropout, name="hidden_dropout")(hidden)
    )
    return keras.Model(inputs.keras_inputs, {"scores": scores}, name="snli")


def _default(value, with_elmo, config):
    if value is not None:
        return value
    return with_elmo if config.elmo.is_used else 0.0


def _bilstm(config, l2, name):
    return BiLSTM(
        config.lstm_units,
        dropout=config.dropout,
        kernel_regularizer=_penalty(l2),
        recurrent_regularizer=_penalty(l2),
        name=name,
    )


def _dense(units, activation, l2, name, **kwargs):
    return keras.layers.Dense(
        units,
        activation=activation,
        kernel_regularizer=_penalty(l2),
        name=name,
        **kwargs,
    )


def _penalty(l2):
    return keras.regularizers.L2(l2) if l2 else None
