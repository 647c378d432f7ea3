"""A tiny language model with random weights, and its folder, for tests."""

import dataclasses

import numpy as np
import tensorflow as tf

from elmo_tf.config import BiLMConfig
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.model_dir import write_model_files
from elmo_tf.training.checkpoints import NamedVariables
from elmo_tf.training.host_state import HostState
from elmo_tf.training_state import pack_state
from tests.reference import options as options_lib


def make(vocabulary, seed=0, n_negative_samples=None, options=None, **shape):
    """Makes a model.

    Args:
        vocabulary: Its `Vocabulary`.
        seed: Determines the weights.
        n_negative_samples: As in `BiLanguageModel`.
        options: Options besides the shape, a dict.
        **shape: As in `tests.reference.options.make_options`.
    """
    shape = {"n_layers": 1, "max_characters": 12, **shape}
    config = BiLMConfig.from_dict(
        {**options_lib.make_options(**shape), **(options or {})}
    )
    config = dataclasses.replace(config, n_tokens_vocab=len(vocabulary))
    model = BiLanguageModel(config, n_negative_samples, name="language_model")
    model.build()
    generator = np.random.default_rng(seed)
    for variable in model.variables:
        variable.assign(0.6 * generator.normal(size=variable.shape))
    return model


def save(model, vocabulary, folder, lstm_state=None):
    """Writes what a pre-training leaves in its folder.

    Args:
        model: The model.
        vocabulary: Its `Vocabulary`.
        folder: The folder, made if it does not exist.
        lstm_state: The state that the training carries; None: there is none.
    """
    write_model_files(str(folder), model.config, vocabulary)
    parts = {"model": NamedVariables(model.variables)}
    if lstm_state is not None:
        parts["host_state"] = HostState(
            lambda: pack_state("", lstm_state), lambda _: None
        )
    checkpoint = tf.train.Checkpoint(**parts)
    tf.train.CheckpointManager(checkpoint, str(folder), 1).save()
