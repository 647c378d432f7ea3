"""Bi-directional attention flow for the cloze test."""

import keras

from bidaf_tf.bidaf import CONTEXT
from bidaf_tf.bidaf import QUESTION
from bidaf_tf.bidaf import attend_and_model
from bidaf_tf.bidaf import highway_layers
from bidaf_tf.layers.entity_scores import EntityScores
from bidaf_tf.layers.mention_windows import MentionWindows
from bidaf_tf.layers.span_pointer import SpanPointer
from elmo_tf.layers.bilstm import BiLSTM

# Name of the input with the numbers of the context's entities.
ENTITIES = f"{CONTEXT}_entities"


def make_cloze_bidaf(config, window_width, inputs):
    """Builds BiDAF for the cloze test (Seo et al. 2017, section 5).

    Of the context only the words around each mention of an entity are read,
    each window for itself: no biLSTM runs across windows, and a window's
    attention from the question to the context stays in it, as in the authors'
    program. Token vectors and highway layers are computed once a token, before
    the windows are made. The pointer to the first word, over all words of all
    windows that are entities, is what is left of BiDAF's output layer.

    Args:
        config: The `BiDAFConfig`.
        window_width: Number of words of a window, odd; the paper has 19.
        inputs: As for `make_bidaf`; `keras_inputs` has `context_entities`,
            int32 `[batch, time]`, too: the number of the entity that a token
            is, −1 where it is none.

    Returns:
        A `keras.Model` whose output is `entities`, float32 `[batch, entities]`:
        each entity's logit by its number, −1e30 where the text has no such
        entity; see `EntityScores`.
    """
    highways = highway_layers(config)
    contextual = BiLSTM(config.hidden_size, name="contextual")

    def token_vectors(field):
        vectors = inputs.token_vectors(field)
        for highway in highways:
            vectors = highway(vectors)
        return vectors

    def encode(vectors, mask):
        dropped = keras.layers.Dropout(config.dropout)(vectors)
        return contextual(dropped, mask=mask)

    entities = inputs.keras_inputs[ENTITIES]
    places, mask, rows = MentionWindows(window_width, name="windows")(
        entities, inputs.mask(CONTEXT)
    )
    # In windows: [batch, time, features] → [windows, width, features]
    vectors = token_vectors(CONTEXT)
    width = vectors.shape[-1]
    vectors = _in_windows(inputs.with_elmo_output(CONTEXT, vectors), places)
    context = encode(vectors[..., :width], mask)
    if vectors.shape[-1] > width:
        context = keras.layers.Concatenate()([context, vectors[..., width:]])
    question_mask = inputs.mask(QUESTION)
    question = inputs.with_elmo_output(
        QUESTION, encode(token_vectors(QUESTION), question_mask)
    )
    # Beside each window: [batch, J, features] → [windows, J, features]
    attended, modeled = attend_and_model(
        config,
        context,
        keras.ops.take(question, rows, axis=0),
        context_mask=mask,
        question_mask=keras.ops.take(question_mask, rows, axis=0),
    )
    logits = SpanPointer(config.dropout, name="start")(
        keras.layers.Concatenate()([attended, modeled]), mask=mask
    )
    # [windows, width]
    shown = keras.ops.take(keras.ops.reshape(entities, [-1]), places, axis=0)
    shown = keras.ops.where(mask, shown, -1)
    scores = EntityScores(name="entity_scores")(logits, shown, rows, entities)
    return keras.Model(
        inputs.keras_inputs, {"entities": scores}, name="cloze_bidaf"
    )


def _in_windows(vectors, places):
    flat = keras.ops.reshape(vectors, [-1, vectors.shape[-1]])
    return keras.ops.take(flat, places, axis=0)
