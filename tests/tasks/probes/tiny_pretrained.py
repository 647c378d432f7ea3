"""The folder of a tiny pre-training with random weights."""

import tensorflow as tf

from elmo_tf.text.vocabulary import Vocabulary
from tests import tiny_language_model

WORDS = (".", "Ann", "Bergen", "Oslo", "met", "visits", "won")


def write(folder):
    """Writes the folder, and returns it.

    Args:
        folder: The folder, which must not exist.
    """
    vocabulary = Vocabulary(["<S>", "</S>", "<UNK>", *WORDS])
    model = tiny_language_model.make(vocabulary)
    state = tf.nest.map_structure(
        lambda part: tf.fill([2, part.shape[-1]], 0.3), model.zero_state(1)
    )
    tiny_language_model.save(model, vocabulary, folder, state)
    return folder
