"""Tiny models with random weights of every kind that can be exported."""

import dataclasses

import numpy as np

from bidaf_tf.bidaf import BiDAFConfig
from elmo_tf.bilm import BiLM
from elmo_tf.config import BiLMConfig
from elmo_tf.layers.sampled_softmax import SampledSoftmax
from elmo_tf.saved_model import export_saved_model
from elmo_tf.text.vocabulary import Vocabulary
from tasks.cloze.experiments import ClozeConfig
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import WordVectorsConfig
from tasks.coref.experiments import CorefConfig
from tasks.elmo.elmo_source import ElmoSource
from tasks.ner.experiments import NERConfig
from tasks.pos.experiments import POSConfig
from tasks.registry import make_task
from tasks.snli.experiments import SNLIConfig
from tasks.squad.experiments import SquadConfig
from tasks.srl.experiments import SRLConfig
from tasks.sst.experiments import SSTConfig
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape
from tests.reference import options as options_lib

WORDS = ("the", "dog", "works", "it", "@entity1", "met", ".")
BILM = "bilm"
# Each task's configuration, without the biLM, and what it has learnt.
_TASKS = {
    "cloze": (
        ClozeConfig(model=BiDAFConfig(hidden_size=3), window_width=3),
        {},
    ),
    "coref": (
        CorefConfig(
            lstm_units=2, n_layers=1, units=2, singletons=True, genres=("nw",)
        ),
        {},
    ),
    "ner": (NERConfig(lstm_units=(4,)), {"classes": ["LOC", "PER"]}),
    "pos": (POSConfig(), {"tags": ["DT", "NN", "VB"], "words": []}),
    "snli": (SNLIConfig(lstm_units=3, feed_forward_units=3), {}),
    "squad": (
        SquadConfig(
            model=BiDAFConfig(hidden_size=3),
            n_best=3,
            # Windows, with the test's longest text.
            max_context_length=8,
            window_stride=4,
        ),
        {},
    ),
    "srl": (
        SRLConfig(n_layers=2, units=4, predicate_dim=2),
        {"tags": ["O", "B-V", "I-V", "B-ARG0", "I-ARG0"]},
    ),
    "sst": (
        SSTConfig(projection_dim=4, lstm_units=3, hidden_units=(4,)),
        {},
    ),
}
TASKS = tuple(_TASKS)


def export_bilm(folder):
    """Writes the SavedModel of a biLM with a softmax.

    Args:
        folder: The folder, which must not exist.
    """
    options = options_lib.make_options(n_layers=2, projection_dim=4)
    bilm = BiLM(BiLMConfig.from_dict(options), name="bilm")
    bilm.build((None, None, options["char_cnn"]["max_characters_per_token"]))
    vocabulary = Vocabulary(["<S>", "</S>", "<UNK>", *WORDS])
    softmax = SampledSoftmax(len(vocabulary))
    softmax.build((None, 4))
    _randomize([*bilm.weights, *softmax.weights])
    export_saved_model(str(folder), bilm, softmax, vocabulary)


def make_task_model(name, bilm, folder):
    """Makes a task model.

    Args:
        name: One of `TASKS`.
        bilm: The SavedModel of the biLM that it reads.
        folder: A folder to write the vocabulary into.

    Returns:
        The `TaskModel`.
    """
    config, state = _TASKS[name]
    words = WordVectorsConfig(dim=0 if name == "pos" else 4)
    config = dataclasses.replace(
        config,
        elmo=ElmoConfig(saved_model=str(bilm), location="input", cache=False),
        word_vectors=words,
        character_encoder=CharacterEncoderConfig(filters=3),
    )
    vocabulary_file = folder / "vocab.txt"
    vocabulary_file.write_text("".join(f"{word}\n" for word in WORDS))
    task = make_task(config)
    task.restore(state)
    shape = TaskShape(
        state=state,
        vocabulary_size=len(WORDS) + 2,
        word_dim=words.dim,
        elmo_fingerprint="",
    )
    task_model = TaskModel(
        task, shape, str(vocabulary_file), ElmoSource(config.elmo)
    )
    _randomize(task_model.model.weights)
    return task_model


def _randomize(weights):
    generator = np.random.default_rng(0)
    for weight in weights:
        if "float" in str(weight.dtype):
            weight.assign(0.5 * generator.normal(size=weight.shape))
