"""From windows of tokens to what the language model reads."""

import tensorflow as tf

from elmo_tf.text.characters import unique_character_ids


class LanguageModelEncoder:
    """Turns windows of tokens into the integers that `BiLanguageModel` reads.

    Shapes are the same for every window, so that a training step is traced
    once: the character ids of the window's distinct words are padded to as many
    rows as the window has positions, and `n_words` tells how many count.

    Args:
        config: The `BiLMConfig`.
        vocabulary: The `Vocabulary` of the softmax.
    """

    def __init__(self, config, vocabulary):
        self._config = config
        self._vocabulary = vocabulary
        tokens = tf.TensorSpec([None, None, None], tf.string)
        mask = tf.TensorSpec([None, None, None], tf.bool)
        self._encode = tf.function(
            self._encode, input_signature=[tokens, tokens, mask]
        )

    @property
    def unknown_id(self):
        """The vocabulary id of `<UNK>`."""
        return self._vocabulary.unk_id

    def __call__(self, inputs, targets, mask=None):
        """Encodes a window; runs on the CPU.

        Args:
            inputs: Tokens, strings `[directions, batch, time]`.
            targets: Each position's next token, `[directions, batch, time]`.
            mask: Bool `[directions, batch, time]`; None: all true.

        Returns:
            A dictionary of integers:
                `targets`: `[directions, batch, time]`, vocabulary ids.
            and, for character input,
                `character_ids`: `[directions · batch · time + 1,
                    max_characters]`, the first `n_words` rows of which are the
                    distinct words', row 0 being padding.
                `n_words`: scalar.
                `word_index`: `[directions, batch, time]`.
            or, for word input,
                `word_ids`: `[directions, batch, time]`, vocabulary ids plus
                    one, 0 where masked.
        """
        with tf.device("CPU:0"):
            inputs = tf.convert_to_tensor(inputs)
            if mask is None:
                mask = tf.fill(tf.shape(inputs), True)
            batch = self._encode(inputs, targets, mask)
        for name, shape in (
            ("targets", inputs.shape),
            ("word_index", inputs.shape),
            ("word_ids", inputs.shape),
        ):
            if name in batch:
                batch[name].set_shape(shape)
        return batch

    def _encode(self, inputs, targets, mask):
        target_ids = self._vocabulary.lookup(targets)
        if self._config.char_cnn is None:
            word_ids = tf.where(mask, self._vocabulary.lookup(inputs) + 1, 0)
            return {"targets": target_ids, "word_ids": word_ids}
        shape = tf.shape(inputs)
        # [directions, batch, time] → [directions · batch, time]
        rows = [-1, shape[2]]
        character_ids, word_index = unique_character_ids(
            tf.reshape(inputs, rows),
            tf.reshape(mask, rows),
            self._config.max_characters_per_token,
        )
        n_words = tf.shape(character_ids)[0]
        unused = tf.size(inputs) + 1 - n_words
        return {
            "targets": target_ids,
            "character_ids": tf.pad(character_ids, [[0, unused], [0, 0]]),
            "n_words": n_words,
            "word_index": tf.reshape(word_index, shape),
        }


def call_language_model(model, batch, **kwargs):
    """Calls a `BiLanguageModel` with an encoded window.

    Args:
        model: The `BiLanguageModel`.
        batch: What `LanguageModelEncoder` returned.
        **kwargs: Further arguments of the model's call.

    Returns:
        What the model returns.
    """
    if "word_ids" in batch:
        return model(batch["word_ids"], batch["targets"], **kwargs)
    return model(
        batch["character_ids"][: batch["n_words"]],
        batch["targets"],
        word_index=batch["word_index"],
        **kwargs,
    )
