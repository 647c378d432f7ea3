"""What the biLM of a run was."""

import functools
import os

from elmo_tf import pretrained
from elmo_tf.config import N_TRAINING_CHARACTERS
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from tasks.elmo.fingerprint import fingerprint

# Where a SavedModel of elmo_tf.export and a pre-trained biLM have it.
_OPTIONS_FILES = ("assets.extra/options.json", "options.json")


def describe_bilm(saved_model, expected_fingerprint):
    """Describes a biLM, as far as its folder is there.

    Args:
        saved_model: The folder of a SavedModel, or the name of a pre-trained
            biLM of the package.
        expected_fingerprint: The fingerprint of the biLM that a run read; None:
            not known.

    Returns:
        Text as "mini: 2 LSTM layers of 512 units, projected to 128, …".
    """
    folder = saved_model
    if not os.path.isdir(folder):
        if saved_model not in pretrained.names():
            return f"{saved_model}: not there any more, its size is not known"
        folder = str(pretrained.folder(saved_model))
    if expected_fingerprint not in (None, _fingerprint(folder)):
        return (
            f"{saved_model}: what is there now is another biLM than the run's, "
            "whose size is not known"
        )
    for name in _OPTIONS_FILES:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            try:
                return (
                    f"{saved_model}: {_size(BiLMConfig.from_json_file(path))}"
                )
            except InputError:
                break
    return f"{saved_model}: without options.json, its size is not known"


def count_parameters(config):
    """Counts the parameters of a biLM, without its softmax.

    Args:
        config: The `BiLMConfig`.

    Returns:
        The number; 0 for a biLM of words whose vocabulary's size is not known.
    """
    lstm = config.lstm
    width = lstm.projection_dim
    n_directions = 2 if config.bidirectional else 1
    layer = 2 * width * 4 * lstm.dim + 4 * lstm.dim
    if lstm.dim != width:
        layer += lstm.dim * width
    total = n_directions * lstm.n_layers * layer
    if config.char_cnn is None:
        if config.n_tokens_vocab is None:
            return 0
        return total + config.n_tokens_vocab * width
    cnn = config.char_cnn
    n_filters = sum(number for _, number in cnn.filters)
    total += N_TRAINING_CHARACTERS * cnn.embedding.dim
    total += sum(
        size * cnn.embedding.dim * number + number
        for size, number in cnn.filters
    )
    total += cnn.n_highway * 2 * (n_filters**2 + n_filters)
    if n_filters != width:
        total += n_filters * width + width
    return total


def _size(config):
    lstm = config.lstm
    text = f"{lstm.n_layers} LSTM layers of {lstm.dim:,} units"
    if lstm.dim != lstm.projection_dim:
        text += f", projected to {lstm.projection_dim:,}"
    n_parameters = count_parameters(config)
    if n_parameters:
        text += f", {n_parameters:,} parameters"
    return text


@functools.cache
def _fingerprint(folder):
    return fingerprint(folder)
