"""What the exported model shows of how it comes to an answer."""

import tensorflow as tf

from bidaf_tf import word_tokenizer
from bidaf_tf.bidaf import TEXT_FIELDS
from bidaf_tf.model_inspector import ModelInspector
from tasks.model_inputs import WORD_EMBEDDING
from tasks.squad.string_answers import answer_strings
from tasks.text.word_vocabulary import FIRST_ID


def make_inspector(model):
    """Makes what shows how a model comes to its answers.

    Args:
        model: A question answering model over the inputs of `ModelInputs`.

    Returns:
        A function from these inputs to what `ModelInspector` gives and, if the
        model reads words, for each field `FIELD_word_vectors`, float32 `[batch,
        time, features]`, and `FIELD_is_known`, bool `[batch, time]`: whether
        the word has a vector of its own; both zero at padding. None: the model
        has no attention matrix.
    """
    if not ModelInspector.can_inspect(model):
        return None
    inspector = ModelInspector(model)
    word_embedding = next(
        (layer for layer in model.layers if layer.name == WORD_EMBEDDING), None
    )

    def inspect(inputs):
        found = inspector(inputs)
        if word_embedding is None:
            return found
        for field in TEXT_FIELDS:
            word_ids = inputs[f"{field}_word_ids"]
            found[f"{field}_is_known"] = word_ids >= FIRST_ID
            found[f"{field}_word_vectors"] = tf.where(
                inputs[f"{field}_mask"][:, :, tf.newaxis],
                tf.cast(word_embedding(word_ids), tf.float32),
                0.0,
            )
        return found

    return inspect


def inspect_strings(strings, inspect, n):
    """Answers raw strings, and shows how, in the graph.

    A context is read in one piece, however long.

    Args:
        strings: The contexts and the questions, string `[batch]` each.
        inspect: As `make_inspector` made it, with the answers that
            `SquadTask.decode` gives, over tokens and their numbers.
        n: How many answers to give; `inspect` must find as many.

    Returns:
        A dictionary of tensors, `[batch, …]`, zero at padding. T and J are the
        most tokens of a context and of a question, at least 1:

        *   what `answer_strings` gives;
        *   start_probabilities, end_probabilities `[batch, T]`: of each token,
            that the answer begins or ends with it;
        *   for each field, context and question: FIELD_tokens, string;
            FIELD_starts and FIELD_ends, int32: where each token begins in its
            text and the offset after its end, in characters, each `[batch, T]`
            or `[batch, J]`; and FIELD_sequence_len, int32 `[batch]`, the number
            of tokens;
        *   the vectors, what words are known and the attention, as
            `make_inspector` says.
    """
    found = {}

    def answer(texts):
        found.update(inspect(texts))
        return found

    shown = answer_strings(strings, answer, n)
    for field, texts in zip(TEXT_FIELDS, strings, strict=True):
        rows = word_tokenizer.tokenize(texts)
        shown[f"{field}_sequence_len"] = tf.cast(
            rows.texts.row_lengths(), tf.int32
        )
        # At least one step, as the model takes.
        shape = tf.maximum(rows.texts.bounding_shape(), [0, 1])
        for name, values in (
            ("tokens", rows.texts),
            ("starts", rows.starts),
            ("ends", rows.ends),
        ):
            shown[f"{field}_{name}"] = values.to_tensor(shape=shape)
    # The model takes a blank text for an empty token: nothing to show.
    context, question = masks = [
        tf.sequence_mask(
            shown[f"{field}_sequence_len"],
            tf.shape(shown[f"{field}_tokens"])[1],
        )
        for field in TEXT_FIELDS
    ]
    for name in ("start", "end"):
        shown[f"{name}_probabilities"] = tf.where(
            context, tf.nn.softmax(found[name]), 0.0
        )
    is_question = tf.reduce_any(question, axis=1, keepdims=True)
    for name, mask in (
        (
            "context_to_query",
            context[:, :, tf.newaxis] & question[:, tf.newaxis],
        ),
        ("query_to_context", context & is_question),
    ):
        shown[name] = tf.where(mask, found[name], 0.0)
    for field, mask in zip(TEXT_FIELDS, masks, strict=True):
        for name in ("contextual_vectors", "word_vectors"):
            if f"{field}_{name}" in found:
                shown[f"{field}_{name}"] = tf.where(
                    mask[:, :, tf.newaxis], found[f"{field}_{name}"], 0.0
                )
        if f"{field}_is_known" in found:
            shown[f"{field}_is_known"] = found[f"{field}_is_known"]
    return shown
