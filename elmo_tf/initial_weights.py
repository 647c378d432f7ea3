"""Where a fine-tuning starts from."""

import os

import numpy as np
from absl import logging

from elmo_tf.errors import InputError
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.weights import SOFTMAX_FILE_NAME
from elmo_tf.weights import read_softmax
from elmo_tf.weights import read_weights


def read_initial_weights(source, model, vocabulary):
    """Gives a language model the weights of a pre-trained one.

    Args:
        source: The model_dir of a pre-training, or an official HDF5 weights
            file. The latter holds no softmax: where `elmo_tf.export` has
            written softmax.h5 and vocab.txt beside it they are read, else the
            softmax keeps its random start.
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
        softmax_path = os.path.join(os.path.dirname(source), SOFTMAX_FILE_NAME)
        if os.path.exists(softmax_path):
            _read_softmax(softmax_path, model, vocabulary)
        else:
            logging.warning(
                "%s has no softmax: it starts at random, so the perplexity "
                "starts high",
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
        _assign(
            variable,
            trained_variables[variable.path],
            rows if _is_by_word(variable, model) else None,
        )
    return load_typical_state(source, model)


def _read_softmax(path, model, vocabulary):
    """Reads the softmax that was exported beside a weights file."""
    trained_vocabulary = Vocabulary.load(
        os.path.join(os.path.dirname(path), VOCABULARY_FILE_NAME)
    )
    trained = SampledSoftmax(len(trained_vocabulary))
    trained.build((None, model.config.lstm.projection_dim))
    read_softmax(path, trained)
    rows = _rows_of_common_words(trained_vocabulary, vocabulary)
    _assign(model.softmax.kernel, trained.kernel, rows)
    _assign(model.softmax.bias, trained.bias, rows)


def _assign(variable, trained, rows):
    """Copies a variable: all of it, or the rows of the common words."""
    value = np.asarray(trained.value)
    if rows is not None:
        mixed = np.asarray(variable.value).copy()
        mixed[rows[0]] = value[rows[1]]
        value = mixed
    variable.assign(value)


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
