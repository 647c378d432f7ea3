"""From the tokens of a text to what a task model reads of them."""

import tensorflow as tf

from elmo_tf.text.characters import PADDING_ID
from elmo_tf.text.characters import character_ids


class TextFeatures(tf.Module):
    """Makes word ids and character ids of tokens, in the graph.

    Training, prediction and the exported SavedModel use the same.

    Args:
        word_lookup: The `WordLookup`; None: no word ids are made.
        uses_characters: Whether to make character ids.
    """

    def __init__(self, word_lookup, uses_characters):
        super().__init__()
        self._word_lookup = word_lookup
        self._uses_characters = uses_characters

    def __call__(self, tokens, sequence_len):
        """Makes the features of a batch.

        Args:
            tokens: String `[batch, time]`, anything at padding.
            sequence_len: int32 `[batch]`, the number of real tokens.

        Returns:
            A dictionary of `mask`, bool `[batch, time]`, with words
            `word_ids`, int32 `[batch, time]`, and with characters
            `character_ids`, int32 `[batch, time, 50]`; all zero at padding.
        """
        mask = tf.sequence_mask(sequence_len, tf.shape(tokens)[1])
        features = {"mask": mask}
        if self._word_lookup is not None:
            features["word_ids"] = self._word_lookup.ids(tokens, mask)
        if self._uses_characters:
            features["character_ids"] = tf.where(
                mask[:, :, tf.newaxis], character_ids(tokens), PADDING_ID
            )
        return features
