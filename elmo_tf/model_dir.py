"""What a pre-training's folder holds besides its checkpoints."""

import os

from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.checkpoints import latest_checkpoint
from elmo_tf.training.checkpoints import restore_model

OPTIONS_FILE_NAME = "options.json"
VOCABULARY_FILE_NAME = "vocab.txt"


def write_model_files(model_dir, config, vocabulary):
    """Writes the options and the vocabulary of a language model.

    Args:
        model_dir: The folder, made if it does not exist.
        config: The `BiLMConfig`.
        vocabulary: The `Vocabulary`.
    """
    os.makedirs(model_dir, exist_ok=True)
    config.to_json_file(os.path.join(model_dir, OPTIONS_FILE_NAME))
    vocabulary.save(os.path.join(model_dir, VOCABULARY_FILE_NAME))


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
    return model, vocabulary
