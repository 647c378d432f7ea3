"""A pre-trained language model, of a run's folder or of exported files."""

import dataclasses
import os

from elmo_tf import pretrained
from elmo_tf.config import BiLMConfig
from elmo_tf.errors import InputError
from elmo_tf.initial_weights import read_initial_weights
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.language_model_batch import LanguageModelEncoder
from elmo_tf.model_dir import OPTIONS_FILE_NAME
from elmo_tf.model_dir import VOCABULARY_FILE_NAME
from elmo_tf.model_dir import load_language_model
from elmo_tf.model_dir import load_typical_state
from elmo_tf.perplexity import PerplexityMeter
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.checkpoints import latest_checkpoint
from elmo_tf.weights import SOFTMAX_FILE_NAME

_NEEDED = (
    "without the softmax there is no perplexity, expected a pre-training's "
    "model_dir or the weights that elmo_tf.export --format=hdf5 makes of it"
)


class PretrainingSource:
    """Where a fine-tuning starts: a biLM with its softmax and vocabulary.

    Args:
        path: The model_dir of a pre-training; or an official HDF5 weights file
            with the options.json, vocab.txt and softmax.h5 of
            `elmo_tf.export --format=hdf5` beside it.

    Attributes:
        path: The same.
        checkpoint: The last checkpoint's path, or the weights file.
        vocab_file: The vocabulary's path.
        config: The `BiLMConfig`.

    Raises:
        InputError: There is no such thing, or a file is missing, as the softmax
            is beside weights from elsewhere.
    """

    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            if path in pretrained.names():
                raise InputError(
                    f"{path}: the package has it without its softmax; {_NEEDED}"
                )
            raise InputError(f"{path}: no such file or folder")
        self._is_folder = os.path.isdir(path)
        folder = path if self._is_folder else os.path.dirname(path)
        if self._is_folder:
            self.checkpoint = latest_checkpoint(path)
        else:
            self.checkpoint = path
            softmax = os.path.join(folder, SOFTMAX_FILE_NAME)
            if not os.path.exists(softmax):
                raise InputError(f"{softmax}: no such file; {_NEEDED}")
        self.vocab_file = os.path.join(folder, VOCABULARY_FILE_NAME)
        self._vocabulary = Vocabulary.load(self.vocab_file)
        self.config = dataclasses.replace(
            BiLMConfig.from_json_file(os.path.join(folder, OPTIONS_FILE_NAME)),
            n_tokens_vocab=len(self._vocabulary),
        )

    def perplexity(self, input_path):
        """Measures the perplexity of a text as elmo_tf.evaluate does.

        Args:
            input_path: Files of one sentence a line.

        Returns:
            A dictionary with the fields of `elmo_tf.perplexity.Perplexity`.
        """
        if self._is_folder:
            model, vocabulary = load_language_model(self.path)
            state = load_typical_state(self.path, model)
        else:
            vocabulary = self._vocabulary
            model = BiLanguageModel(self.config, name="language_model")
            model.build()
            state = read_initial_weights(self.path, model, vocabulary)
        meter = PerplexityMeter(
            model, LanguageModelEncoder(model.config, vocabulary)
        )
        return dataclasses.asdict(meter.measure_files(input_path, state))
