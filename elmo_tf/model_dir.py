"""What a pre-training's folder holds besides its checkpoints."""

import os

import tensorflow as tf

from elmo_tf.checksums import check_checksums
from elmo_tf.checksums import remove_checksums
from elmo_tf.checksums import write_checksums
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.checkpoints import latest_checkpoint
from elmo_tf.training.checkpoints import restore_model
from elmo_tf.training_state import typical_state
from elmo_tf.training_state import unpack_state

OPTIONS_FILE_NAME = "options.json"
VOCABULARY_FILE_NAME = "vocab.txt"

# Where a checkpoint keeps the attribute `host_state`, a `HostState`.
_TRAINING_STATE = "host_state/.ATTRIBUTES/py_state"


def write_model_files(model_dir, config, vocabulary):
    """Writes the options and the vocabulary of a language model.

    Args:
        model_dir: The folder, made if it does not exist.
        config: The `BiLMConfig`.
        vocabulary: The `Vocabulary`.
    """
    os.makedirs(model_dir, exist_ok=True)
    remove_checksums(model_dir)
    # The options last: a run that finds them relies on the vocabulary too.
    vocabulary.save(os.path.join(model_dir, VOCABULARY_FILE_NAME))
    config.to_json_file(os.path.join(model_dir, OPTIONS_FILE_NAME))
    write_checksums(model_dir, [OPTIONS_FILE_NAME, VOCABULARY_FILE_NAME])


def load_language_model(model_dir):
    """Loads the language model of a pre-training's last checkpoint.

    Args:
        model_dir: The pre-training's folder.

    Returns:
        A tuple of the `BiLanguageModel` (softmax exact) and the `Vocabulary`.

    Raises:
        InputError: The folder, or something in it, is missing or does not fit.
    """
    latest_checkpoint(model_dir)
    config = BiLMConfig.from_json_file(
        os.path.join(model_dir, OPTIONS_FILE_NAME)
    )
    vocabulary_path = os.path.join(model_dir, VOCABULARY_FILE_NAME)
    vocabulary = Vocabulary.load(vocabulary_path)
    if config.n_tokens_vocab != len(vocabulary):
        raise InputError(
            f"{vocabulary_path}: has {len(vocabulary)} words, but "
            f"{OPTIONS_FILE_NAME} says {config.n_tokens_vocab}"
        )
    model = BiLanguageModel(config, name="language_model")
    model.build()
    restore_model(model, model_dir)
    check_checksums(model_dir)
    return model, vocabulary


def load_typical_state(model_dir, model):
    """Loads the mean of the LSTM states that a pre-training carried.

    Args:
        model_dir: The pre-training's folder.
        model: Its `BiLanguageModel`.

    Returns:
        A state of one row, as `BiLM`'s `initial_state`, of NumPy arrays.

    Raises:
        InputError: There is no checkpoint, or none of a pre-training.
    """
    path = latest_checkpoint(model_dir)
    reader = tf.train.load_checkpoint(path)
    if not reader.has_tensor(_TRAINING_STATE):
        raise InputError(f"{path}: holds no LSTM state of a pre-training")
    _, lstm_state = unpack_state(
        reader.get_tensor(_TRAINING_STATE), model.zero_state(1)
    )
    return typical_state(lstm_state)
