"""From token lists to a run of a frozen biLM over them."""

import tensorflow as tf

from elmo_tf.text.characters import add_sentence_boundaries
from elmo_tf.text.characters import unique_character_ids


def pad_tokens(sentences):
    """Makes tensors of token lists.

    Args:
        sentences: A list of at least one list of tokens, str or UTF-8 bytes.
            What has no UTF-8 form, a lone surrogate, is left out, as by
            bilm-tf.

    Returns:
        A dictionary of `tokens`, string `[batch, time]`, empty strings at
        padding, and `sequence_len`, int32 `[batch]`.
    """
    lengths = [len(tokens) for tokens in sentences]
    longest = max(lengths)
    rows = [
        [_utf8(token) for token in tokens] + [b""] * (longest - len(tokens))
        for tokens in sentences
    ]
    return {
        "tokens": tf.constant(rows, tf.string, [len(rows), longest]),
        "sequence_len": tf.constant(lengths, tf.int32),
    }


def call_bilm(bilm, tokens, sequence_len, initial_state=None, lookup=None):
    """Runs a biLM over tokens, each distinct word encoded once.

    Args:
        bilm: The `BiLM`.
        tokens: String `[batch, time]`, anything at padding.
        sequence_len: int32 `[batch]`.
        initial_state: As in `BiLM`.
        lookup: The function from strings to vocabulary ids, both of any shape;
            for a word-input biLM only.

    Returns:
        What the `BiLM` returns, the sentence boundaries included: of `time + 2`
        positions.

    Raises:
        tf.errors.InvalidArgumentError: As `checked_lengths`.
    """
    # [batch, time] → [batch, time + 2]
    framed, framed_len = add_sentence_boundaries(tokens, sequence_len)
    mask = tf.sequence_mask(framed_len, tf.shape(framed)[1])
    if bilm.config.char_cnn is None:
        inputs = tf.where(mask, lookup(framed) + 1, 0)
        word_index = None
    else:
        inputs, word_index = unique_character_ids(
            framed, mask, bilm.config.max_characters_per_token
        )
    return bilm(
        inputs,
        word_index=word_index,
        initial_state=initial_state,
        mask=mask,
        training=False,
    )


def _utf8(token):
    if isinstance(token, bytes):
        return token
    return token.encode("utf-8", "ignore")
