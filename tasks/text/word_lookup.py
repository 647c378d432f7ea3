"""From strings to the ids of words, in the graph."""

import tensorflow as tf

from tasks.text.word_forms import word_forms
from tasks.text.word_vocabulary import FIRST_ID
from tasks.text.word_vocabulary import PADDING_ID


class WordLookup(tf.Module):
    """Looks up words' ids in a vocabulary file, as `WordVocabulary.ids` does.

    Works eagerly, in a `tf.function`, in `tf.data` and in a SavedModel, into
    which TensorFlow copies the file.

    Args:
        vocabulary_file: The file that `WordVocabulary.save` has written.
        lowercase: As the `WordVocabulary` was made with.
        zero_numbers: Likewise.
    """

    def __init__(self, vocabulary_file, lowercase=False, zero_numbers=False):
        super().__init__()
        self._lowercase = lowercase
        self._zero_numbers = zero_numbers
        self._vocabulary_file = tf.saved_model.Asset(vocabulary_file)
        self._table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                self._vocabulary_file,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            # Together with the first word's id, that of unknown words.
            default_value=-1,
        )

    def ids(self, tokens, mask=None):
        """Looks up tokens.

        Args:
            tokens: String tensor of any shape `[...]`, UTF-8.
            mask: Bool tensor `[...]`, False at padding; None: no padding.

        Returns:
            int32 tensor `[...]`, 0 for padding, 1 for unknown tokens.
        """
        lines = None
        for form in word_forms(tokens, self._lowercase, self._zero_numbers):
            found = self._table.lookup(form)
            lines = (
                found if lines is None else tf.where(lines < 0, found, lines)
            )
        ids = tf.cast(lines, tf.int32) + FIRST_ID
        return ids if mask is None else tf.where(mask, ids, PADDING_ID)
