"""The biLM's LSTM layers, laid out for inference."""

import tensorflow as tf

from elmo_tf.inference.inference_lstm import InferenceLSTM
from elmo_tf.inference.packed_layer import PackedLayer

_MIN_SHARED_WIDTH = 256


class InferenceBiLM(tf.Module):
    """Both directions' LSTM stacks over packed sequences (sections 3.1, 3.4).

    Args:
        weights: The `FrozenWeights`; they are copied.
        dtype: "float32" or "bfloat16", of the weights and the products.
        initial_state: Each sequence's first state, as `BiLM`'s but with one
            row; None: zeros.
    """

    def __init__(self, weights, dtype="float32", initial_state=None):
        super().__init__()
        options = weights.config.lstm
        self._use_skip_connections = options.use_skip_connections
        self._stacks = [
            [
                InferenceLSTM(
                    weights.lstm(direction, layer),
                    options.cell_clip,
                    options.proj_clip,
                    dtype,
                )
                for layer in range(options.n_layers)
            ]
            for direction in range(weights.config.n_directions)
        ]
        self._initial_state = None
        if initial_state is not None:
            self._initial_state = tf.nest.map_structure(
                lambda part: tf.Variable(part, trainable=False), initial_state
            )

    def __call__(self, word_vectors, word_index, boundaries, sequences):
        """Runs over sentences.

        Args:
            word_vectors: Float32 `[words, projection_dim]`.
            word_index: int32 `[batch, time]`: which row of `word_vectors`
                stands there; anything at padding.
            boundaries: The rows of `word_vectors` of the sentences' begin and
                end, two int32 scalars.
            sequences: The `PackedSequences` of the sentences' lengths, without
                boundaries.

        Returns:
            A list with each direction's list of `PackedLayer`, the token layer
            first, of n + 2 elements `[projection_dim]`: the boundary that the
            direction begins with, the n tokens, packed, the backward direction
            from the sentences' ends, and zeros.
        """
        # The row of zeros.
        n_words = tf.shape(word_vectors)[0]
        word_vectors = tf.pad(word_vectors, [[0, 1], [0, 0]])
        directions = []
        for index, stack in enumerate(self._stacks):
            packed = sequences.pack(word_index, reverse=index == 1)
            # [n + 2]
            elements = tf.concat(
                [[boundaries[index]], packed, [n_words]], axis=0
            )
            layer = PackedLayer(word_vectors, elements)
            if not shares_inputs(word_vectors.shape[-1]):
                layer = PackedLayer(tf.gather(word_vectors, elements))
            layers = [layer]
            for depth, lstm in enumerate(stack):
                state = None
                if self._initial_state is not None:
                    state = self._initial_state[index][depth]
                outputs = lstm(layer, sequences, state)
                if self._use_skip_connections and depth > 0:
                    outputs += layer.rows
                layer = PackedLayer(outputs)
                layers.append(layer)
            directions.append(layers)
        return directions


def shares_inputs(width):
    """Whether the first LSTMs' products with a word are formed once for all.

    With narrow word vectors it takes longer to fetch the products than to form
    them at each of the word's occurrences.

    Args:
        width: Of the word vectors.

    Returns:
        True or False.
    """
    return width >= _MIN_SHARED_WIDTH
