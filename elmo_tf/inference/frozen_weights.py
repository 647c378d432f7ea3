"""The weights that embedding needs, one LSTM at a time."""

import dataclasses
from collections.abc import Callable

import numpy as np

from elmo_tf.config import BiLMConfig
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.layers.word_embedding import WordEmbedding


@dataclasses.dataclass(frozen=True)
class LSTMWeights:
    """One LSTM's weights, float32 arrays.

    Attributes:
        kernel: `[features + output_dim, 4·units]`: the input's rows over the
            last output's, the gates in the order i, j, f, o.
        bias: `[4·units]`.
        projection_kernel: `[units, output_dim]`, or None.
    """

    kernel: np.ndarray
    bias: np.ndarray
    projection_kernel: np.ndarray | None


@dataclasses.dataclass(frozen=True)
class FrozenWeights:
    """A biLM's weights.

    The LSTMs hold nearly all of them, so they come one by one: whoever copies
    them never holds them all twice.

    Attributes:
        config: The `BiLMConfig`.
        token_encoder: The `CharacterCNN` or `WordEmbedding`, built.
        lstm: The function of a direction and a layer, two integers, that gives
            the `LSTMWeights`.
    """

    config: BiLMConfig
    token_encoder: CharacterCNN | WordEmbedding
    lstm: Callable

    @classmethod
    def of_bilm(cls, bilm):
        """Takes the weights of a `BiLM`, built."""

        def lstm(direction, layer):
            found = bilm.stacks[direction].lstms[layer]
            projection_kernel = None
            if found.has_projection:
                projection_kernel = found.projection_kernel.numpy()
            return LSTMWeights(
                np.concatenate(
                    [found.kernel.numpy(), found.recurrent_kernel.numpy()]
                ),
                found.bias.numpy(),
                projection_kernel,
            )

        return cls(bilm.config, bilm.token_encoder, lstm)
