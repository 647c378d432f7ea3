"""A toy biLM whose vectors are known: for tests of neighbours."""

import numpy as np
import tensorflow as tf

DIM = 6


class NeighbourModel(tf.Module):
    """Has the two signatures that the search for neighbours needs.

    A word's vector in layer 0 depends on its letters, in layer 1 on those of
    the word before it too.
    """

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "strings")])
    def tokenize(self, strings):
        rows = tf.strings.split(strings)
        return {
            "tokens": rows.to_tensor(),
            "sequence_len": tf.cast(rows.row_lengths(), tf.int32),
        }

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None], tf.string, "tokens"),
            tf.TensorSpec([None], tf.int32, "sequence_len"),
        ]
    )
    def tokens(self, tokens, sequence_len):
        tf.debugging.assert_none_equal(
            tokens, "fail", message="found the word fail in the text"
        )
        # [batch, time, DIM]
        hashes = tf.stack(
            [
                tf.strings.to_hash_bucket_strong(tokens, 1000, [salt, 7])
                for salt in range(DIM)
            ],
            axis=-1,
        )
        first = tf.cast(hashes, tf.float32) - 500.0
        before = tf.pad(first, [[0, 0], [1, 0], [0, 0]])[:, :-1]
        return {
            "layers": tf.stack([first, first + 0.5 * before], axis=2),
            "sequence_len": tf.identity(sequence_len),
        }


def save(path):
    """Writes the SavedModel; returns its folder."""
    model = NeighbourModel()
    tf.saved_model.save(
        model,
        str(path),
        signatures={"tokenize": model.tokenize, "tokens": model.tokens},
    )
    return path


def vectors(sentence):
    """What the model makes of a list of tokens: `[2, tokens, DIM]`."""
    found = NeighbourModel().tokens(
        tf.constant([sentence]), tf.constant([len(sentence)])
    )
    return np.swapaxes(found["layers"][0].numpy(), 0, 1)
