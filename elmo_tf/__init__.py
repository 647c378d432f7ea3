"""ELMo: deep contextualized word representations, in TensorFlow 2.

Pre-trains bidirectional language models on raw text, packages them as
SavedModels that take strings, and embeds text with them.
"""

import os
import sys

from elmo_tf.missing_module import explain_missing_modules

if sys.argv[:1] == ["-m"]:
    # `python -m elmo_tf.…`: Python has not found the module yet. TensorFlow's
    # start-up notices would bury what a binary says.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    explain_missing_modules()

from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.dump import dump_bilm_embeddings
from elmo_tf.dump import dump_token_embeddings
from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from elmo_tf.frozen_bilm import FrozenBiLM
from elmo_tf.language_model import BiLanguageModel
from elmo_tf.layers.character_cnn import CharacterCNN
from elmo_tf.layers.highway import Highway
from elmo_tf.layers.projected_lstm import ProjectedLSTM
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.layers.variational_dropout import VariationalDropout
from elmo_tf.layers.weighted_layer_sum import WeightedLayerSum
from elmo_tf.saved_model import export_saved_model
from elmo_tf.stateful_elmo import StatefulElmo
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.training.sparse_adagrad import SparseAdagrad
from elmo_tf.weights import load_bilm
from elmo_tf.weights import read_weights
from elmo_tf.weights import write_weights

__all__ = [
    "BiLM",
    "BiLMConfig",
    "BiLanguageModel",
    "CharacterCNN",
    "Elmo",
    "FrozenBiLM",
    "Highway",
    "InputError",
    "ProjectedLSTM",
    "SampledSoftmax",
    "SparseAdagrad",
    "StatefulElmo",
    "VariationalDropout",
    "Vocabulary",
    "WeightedLayerSum",
    "dump_bilm_embeddings",
    "dump_token_embeddings",
    "export_saved_model",
    "load_bilm",
    "read_weights",
    "write_weights",
]
