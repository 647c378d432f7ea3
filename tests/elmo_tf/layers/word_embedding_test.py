import numpy as np
import tensorflow as tf

from elmo_tf.layers.word_embedding import WordEmbedding
from tests import layer_checks

IDS = np.array([[1, 3, 0], [2, 7, 3]], np.int32)


def reference(weights, inputs):
    table = weights["embeddings"]
    return np.concatenate([np.zeros_like(table[:1]), table])[inputs]


def test_layer(tmp_path):
    layer_checks.check_layer(
        WordEmbedding,
        dict(vocabulary_size=7, output_dim=4),
        {"inputs": IDS},
        {"embeddings": (7, 4)},
        (2, 3, 4),
        reference=reference,
        folder=tmp_path,
    )


def test_gradient_holds_only_the_rows_read():
    layer = WordEmbedding(vocabulary_size=7, output_dim=2)
    with tf.GradientTape() as tape:
        outputs = layer(IDS)
    gradient = tape.gradient(outputs, layer.embeddings.value)
    assert isinstance(gradient, tf.IndexedSlices)
    # Padding adds nothing to the row it happens to read.
    dense = tf.convert_to_tensor(gradient).numpy()[:, 0]
    np.testing.assert_array_equal(dense, [1, 1, 2, 0, 0, 0, 1])


def test_int64_ids():
    layer = WordEmbedding(vocabulary_size=7, output_dim=2)
    np.testing.assert_array_equal(layer(IDS.astype(np.int64)), layer(IDS))
