"""From words to the vectors that a biLM's LSTMs read, each word once."""

import tensorflow as tf

from elmo_tf.inference.untracked import Untracked
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.text.characters import character_ids

# Words that go through the character CNN together, for the memory: their
# convolutions take 50 MB at most in the original biLM.
_WORDS_AT_ONCE = 256
# Their number is a multiple of this: TensorFlow prepares its kernels for each
# number of words, and remembers them.
_WORDS_UNIT = 16


class WordEncoder(tf.Module):
    """A character CNN that remembers the words it has seen.

    Running text repeats its words: most of a batch's distinct words have been
    seen before. The first `cache_size` words to come are kept; in running text
    the frequent ones are among them. The cache is a hash table of TensorFlow,
    so it works inside a SavedModel too, and for several threads at once, which
    may together overrun its bound by what they insert at the same moment.

    Args:
        character_cnn: The `CharacterCNN`, built; its weights are copied.
        max_characters: Ids per word.
        dtype: "float32" or "bfloat16", of the weights and the products.
        cache_size: Number of words to keep.

    Attributes:
        cache_size: An int32 variable: may be changed at any time; 0: no word
            is kept.
    """

    def __init__(
        self, character_cnn, max_characters, dtype="float32", cache_size=2**15
    ):
        super().__init__()
        self._max_characters = max_characters
        self._output_dim = character_cnn.output_dim
        cnn = CharacterCNN.from_config(
            {**character_cnn.get_config(), "dtype": dtype}
        )
        cnn.build((None, max_characters))
        for variable, value in zip(
            cnn.variables, character_cnn.variables, strict=True
        ):
            variable.assign(tf.cast(value.value, dtype))
        self._cnn = Untracked(cnn)
        self._variables = [variable.value for variable in cnn.variables]
        self.cache_size = tf.Variable(cache_size, trainable=False)
        # A word's vector and a 1; zeros for a word that is not there.
        self._cache = tf.lookup.experimental.MutableHashTable(
            tf.string, tf.float32, tf.zeros([self._output_dim + 1])
        )

    def encode(self, words):
        """Encodes distinct words.

        Args:
            words: Strings `[words]`.

        Returns:
            Float32 `[words, output_dim]`.
        """
        # [words, output_dim + 1]
        found = self._cache.lookup(words)
        found = tf.ensure_shape(found, [None, self._output_dim + 1])
        vectors, is_known = found[:, :-1], found[:, -1] > 0.0
        # [new, 1], [new]
        new_index = tf.where(tf.logical_not(is_known))
        new_words = tf.gather_nd(words, new_index)
        new_vectors = self.encode_ids(
            character_ids(new_words, self._max_characters)
        )
        # At most so many that the cache is full.
        n_kept = tf.clip_by_value(
            self.cache_size - tf.cast(self._cache.size(), tf.int32),
            0,
            tf.size(new_words),
        )
        kept = self._cache.insert(
            new_words[:n_kept],
            tf.pad(new_vectors[:n_kept], [[0, 0], [0, 1]], constant_values=1.0),
        )
        # In eager mode there is nothing to wait for.
        with tf.control_dependencies([] if kept is None else [kept]):
            return tf.tensor_scatter_nd_update(vectors, new_index, new_vectors)

    def forget(self):
        """Forgets all words."""
        words, _ = self._cache.export()
        self._cache.remove(words)

    def encode_ids(self, ids):
        """Encodes distinct words given as character ids.

        Args:
            ids: int32 `[words, max_characters]`.

        Returns:
            Float32 `[words, output_dim]`.
        """
        n_words = tf.shape(ids)[0]
        # At least one, be it empty: there is no concatenation of nothing.
        n_groups = (n_words + _WORDS_AT_ONCE - 1) // _WORDS_AT_ONCE
        n_groups = tf.maximum(n_groups, 1)
        groups = tf.TensorArray(
            tf.float32,
            size=n_groups,
            element_shape=[None, self._output_dim],
            infer_shape=False,
        )

        def encode_group(index, groups):
            start = index * _WORDS_AT_ONCE
            group = ids[start : start + _WORDS_AT_ONCE]
            n = tf.shape(group)[0]
            # [words rounded up, max_characters]
            group = tf.pad(group, [[0, -n % _WORDS_UNIT], [0, 0]])
            vectors = tf.cast(self._cnn.value(group)[:n], tf.float32)
            return index + 1, groups.write(index, vectors)

        _, groups = tf.while_loop(
            lambda index, _: index < n_groups,
            encode_group,
            (tf.constant(0), groups),
            parallel_iterations=1,
        )
        return groups.concat()
