"""Where a fine-tuning starts from."""

import os

import numpy as np
from absl import logging

from elmo_tf.errors import InputError
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.weights import read_weights


def read_initial_weights(source, model, vocabulary):
    """Gives a language model the weights of a pre-trained one.

    Args:
        source: The model_dir of a pre-training, or an official HDF5 weights
            file. The latter has no softmax, which keeps its random start.
        model: The `BiLanguageModel`, built. If its vocabulary differs from the
            pre-training's, words of both keep their softmax (and their word
            embedding), the others start at random.
        vocabulary: The model's `Vocabulary`.

    Returns:
        The LSTM state to start every row from, as `BiLM`'s with one row: the
        mean of what the pre-training carried, or zeros.

    Raises:
        InputError: The source is missing or of another shape.
    """
    if not os.path.isdir(source):
        read_weights(source, model.bilm)
        logging.warning(
            "%s has no softmax: it starts at random, so the perplexity starts "
            "high",
            source,
        )
        return model.zero_state(1)
    trained, trained_vocabulary = load_language_model(source)
    _check_same_shape(source, trained.config, model.config)
    rows = _rows_of_common_words(trained_vocabulary, vocabulary)
    trained_variables = {
        variable.path: variable for variable in trained.variables
    }
    for variable in model.variables:
        value = np.asarray(trained_variables[variable.path].value)
        if rows is not None and _is_by_word(variable, model):
            mixed = np.asarray(variable.value).copy()
            mixed[rows[0]] = value[rows[1]]
            value = mixed
        variable.assign(value)
    return load_typical_state(source, model)


def _rows_of_common_words(trained_vocabulary, vocabulary):
    """The common words' ids: ours and the trained; None if all are equal."""
    if trained_vocabulary.tokens == vocabulary.tokens:
        return None
    common = [word for word in vocabulary.tokens if word in trained_vocabulary]
    logging.info(
        "%d of %d words are in the pre-training's vocabulary",
        len(common),
        len(vocabulary),
    )
    return (
        [vocabulary.id(word) for word in common],
        [trained_vocabulary.id(word) for word in common],
    )


def _is_by_word(variable, model):
    tables = [model.softmax.kernel, model.softmax.bias]
    if model.config.char_cnn is None:
        tables.append(model.bilm.token_encoder.embeddings)
    return any(variable is table for table in tables)


def _check_same_shape(source, trained, config):
    for name in ("lstm", "char_cnn", "bidirectional"):
        if getattr(trained, name) != getattr(config, name):
            raise InputError(
                f"task.init_weights={source}: its {name} is "
                f"{getattr(trained, name)}, but task.model.{name} is "
                f"{getattr(config, name)}"
            )
    if trained.share_embedding_softmax != config.share_embedding_softmax:
        raise InputError(
            f"task.init_weights={source}: share_embedding_softmax differs"
        )
