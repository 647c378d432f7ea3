"""A SavedModel of a tiny biLM with random weights, for tests."""

import numpy as np

from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.saved_model import export_saved_model
from tests.reference import options as options_lib

N_LAYERS, OUTPUT_DIM = 3, 8


def export(folder, seed=0):
    """Writes the SavedModel.

    Args:
        folder: The folder, which must not exist.
        seed: Determines the weights.

    Returns:
        The folder as str.
    """
    options = options_lib.make_options(
        n_layers=N_LAYERS - 1, projection_dim=OUTPUT_DIM // 2
    )
    bilm = BiLM(BiLMConfig.from_dict(options), name="bilm")
    bilm.build((None, None, options["char_cnn"]["max_characters_per_token"]))
    generator = np.random.default_rng(seed)
    for weight in bilm.weights:
        weight.assign(0.4 * generator.normal(size=weight.shape))
    export_saved_model(str(folder), bilm)
    return str(folder)
