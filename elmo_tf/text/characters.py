"""UTF-8 character ids of string tensors, made inside the TensorFlow graph.

One implementation serves training, embedding and serving, so that the three
cannot differ. It uses ops of TensorFlow alone: a SavedModel that contains it
loads in a bare TensorFlow process.

The ids are those of bilm-tf at inference: 0 is padding (a masked token is all
zeros), 1 to 256 are the byte values plus one, 257 to 261 the special
characters below. The embedding table of a weights file has no padding row:
its row i is the id i + 1.
"""

import tensorflow as tf

BOS = "<S>"
EOS = "</S>"
UNK = "<UNK>"

MAX_CHARACTERS_PER_TOKEN = 50

PADDING_ID = 0
BEGIN_SENTENCE_ID = 257
END_SENTENCE_ID = 258
BEGIN_WORD_ID = 259
END_WORD_ID = 260
WORD_PADDING_ID = 261

# Begin of word, one character, end of word.
_MIN_CHARACTERS = 3


def character_ids(tokens, max_characters=MAX_CHARACTERS_PER_TOKEN):
    """Encodes tokens as the ids of their UTF-8 bytes.

    A token becomes `[259, bytes + 1, 260, 261, …]`. Bytes beyond
    `max_characters - 2` are dropped, without regard to character borders, as
    in bilm-tf. The literal tokens `<S>` and `</S>` become the sentence
    boundaries `[259, 257, 260, 261, …]` and `[259, 258, 260, 261, …]`. The
    empty token is legal: `[259, 260, 261, …]`. Which tokens are padding is
    not decided here; see `unique_character_ids` for masked ids.

    Works eagerly, in a `tf.function`, in `tf.data` and in a SavedModel.

    Args:
        tokens: String tensor of any shape `[...]`, UTF-8.
        max_characters: Ids per token, an int of at least 3.

    Returns:
        int32 tensor `[..., max_characters]`.

    Raises:
        ValueError: If `max_characters` is less than 3.

    Source: section 2.1 of the ELMo paper takes "purely character-based"
    token representations from Jozefowicz et al. (2016); the ids are those of
    bilm-tf's `UnicodeCharsVocabulary`.
    """
    if max_characters < _MIN_CHARACTERS:
        raise ValueError(
            f"`max_characters` should be at least {_MIN_CHARACTERS} (begin of "
            f"word, one character, end of word). Received: {max_characters}"
        )
    tokens = tf.convert_to_tensor(tokens, tf.string)
    # [N]
    words = tf.reshape(tokens, [-1])
    n_bytes = tf.minimum(tf.strings.length(words), max_characters - 2)
    # [N, 1]
    n_bytes = n_bytes[:, tf.newaxis]
    # [max_characters - 1]: everything but the begin of word.
    position = tf.range(max_characters - 1)
    # [N, max_characters - 1], cut or filled with zeros on the right. A zero
    # may as well be a byte of the word, so the length decides, not the value.
    byte_ids = 1 + tf.cast(
        tf.io.decode_raw(words, tf.uint8, fixed_length=max_characters - 1),
        tf.int32,
    )
    after_word = tf.where(position == n_bytes, END_WORD_ID, WORD_PADDING_ID)
    ids = tf.where(position < n_bytes, byte_ids, after_word)
    # [N, max_characters]
    ids = tf.pad(ids, [[0, 0], [1, 0]], constant_values=BEGIN_WORD_ID)
    for token, character in ((BOS, BEGIN_SENTENCE_ID), (EOS, END_SENTENCE_ID)):
        ids = tf.where(
            (words == token)[:, tf.newaxis],
            _boundary_row(character, max_characters),
            ids,
        )
    # [..., max_characters]
    ids = tf.reshape(ids, tf.concat([tf.shape(tokens), [max_characters]], 0))
    return tf.ensure_shape(ids, tokens.shape.concatenate([max_characters]))


def add_sentence_boundaries(tokens, sequence_len):
    """Puts `<S>` before and `</S>` right after the real tokens of each row.

    Args:
        tokens: String tensor `[batch, time]`, padded on the right with
            anything.
        sequence_len: int tensor `[batch]`, the number of real tokens, each
            between 0 and `time`.

    Returns:
        The tuple `(tokens, sequence_len)`: string `[batch, time + 2]` with
        the empty string after `</S>`, and int32 `[batch]`, two more than
        given.

    Raises:
        tf.errors.InvalidArgumentError: As `checked_lengths`.
    """
    tokens = tf.convert_to_tensor(tokens, tf.string)
    sequence_len = checked_lengths(tokens, sequence_len)
    batch, time = tf.unstack(tf.shape(tokens))
    # [batch, time + 2]
    framed = tf.concat(
        [tf.fill([batch, 1], BOS), tokens, tf.fill([batch, 1], "")], axis=1
    )
    # [time + 2] against [batch, 1]
    position = tf.range(time + 2)
    end = sequence_len[:, tf.newaxis] + 1
    framed = tf.where(
        position < end, framed, tf.where(position == end, EOS, "")
    )
    return framed, sequence_len + 2


def checked_lengths(tokens, sequence_len):
    """Checks that lengths can be those of rows of tokens.

    Args:
        tokens: String tensor `[batch, time]`.
        sequence_len: int tensor `[batch]`.

    Returns:
        The lengths, int32.

    Raises:
        tf.errors.InvalidArgumentError: There is not one length for each row,
            or a length is negative or larger than `time`.
    """
    sequence_len = tf.cast(sequence_len, tf.int32)
    batch, time = tf.unstack(tf.shape(tokens))
    checks = [
        tf.debugging.assert_equal(
            tf.shape(sequence_len)[0],
            batch,
            "`sequence_len` should hold a length for each sentence of "
            "`tokens`.",
        ),
        tf.debugging.assert_non_negative(
            sequence_len, "`sequence_len` should not be negative."
        ),
        tf.debugging.assert_less_equal(
            sequence_len,
            time,
            "`sequence_len` should not exceed the second dimension of "
            "`tokens`.",
        ),
    ]
    # In eager mode the checks have run already and are None.
    with tf.control_dependencies([c for c in checks if c is not None]):
        return tf.identity(sequence_len)


def unique_character_ids(tokens, mask, max_characters=MAX_CHARACTERS_PER_TOKEN):
    """Encodes each distinct token of a batch once.

    Running text repeats its words: the character CNN needs to see each only
    once. `tf.gather(character_ids, word_index)` equals
    `character_ids(tokens)` with zeros at masked positions.

    Args:
        tokens: String tensor `[batch, time]`.
        mask: bool tensor `[batch, time]`, False at padding.
        max_characters: Ids per token.

    Returns:
        The tuple `(character_ids, word_index)`: int32 `[distinct + 1,
        max_characters]`, whose row 0 is padding (zeros) and whose other rows
        are the distinct unmasked tokens by first occurrence; and int32
        `[batch, time]`, the row of each position, 0 where masked.
    """
    tokens = tf.convert_to_tensor(tokens, tf.string)
    mask = tf.cast(mask, tf.bool)
    # [real tokens, 2]
    positions = tf.where(mask)
    # [distinct], [real tokens]
    distinct, index = tf.unique(tf.gather_nd(tokens, positions))
    # [distinct + 1, max_characters]
    ids = tf.pad(
        character_ids(distinct, max_characters),
        [[1, 0], [0, 0]],
        constant_values=PADDING_ID,
    )
    # [batch, time]
    word_index = tf.scatter_nd(
        positions, index + 1, tf.shape(tokens, out_type=tf.int64)
    )
    return ids, tf.ensure_shape(word_index, tokens.shape)


def _boundary_row(character, max_characters):
    """Returns the ids of a sentence boundary, int32 `[max_characters]`."""
    padding = [WORD_PADDING_ID] * (max_characters - _MIN_CHARACTERS)
    return tf.constant([BEGIN_WORD_ID, character, END_WORD_ID] + padding)
