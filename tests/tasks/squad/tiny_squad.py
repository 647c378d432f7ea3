"""A tiny question answering model with random weights, for tests."""

import numpy as np
import tensorflow as tf

from bidaf_tf.bidaf import BiDAFConfig
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import WordVectorsConfig
from tasks.squad.experiments import SquadConfig
from tasks.squad.task import SquadTask
from tasks.task_functions import TaskFunctions
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape

WORD_DIM = 4


def make_task_model(vocabulary_file, words, model=None, word_dim=WORD_DIM):
    """Makes a task model without ELMo.

    Args:
        vocabulary_file: The file of the words to write.
        words: The words that it knows.
        model: The model's configuration; None: a narrow BiDAF.
        word_dim: Width of the word vectors; 0: it reads no words.

    Returns:
        The `TaskModel`, the same each time.
    """
    config = SquadConfig(
        model=model or BiDAFConfig(hidden_size=3),
        elmo=ElmoConfig(location="none"),
        word_vectors=WordVectorsConfig(dim=word_dim),
        character_encoder=CharacterEncoderConfig(filters=4),
        n_best=3,
    )
    vocabulary_file.write_text(
        "".join(f"{word}\n" for word in words), encoding="utf-8"
    )
    shape = TaskShape(
        state={},
        vocabulary_size=len(words) + 2,
        word_dim=word_dim,
        elmo_fingerprint=None,
    )
    task_model = TaskModel(SquadTask(config), shape, str(vocabulary_file), None)
    generator = np.random.default_rng(0)
    for weight in task_model.model.weights:
        weight.assign(generator.normal(size=weight.shape))
    return task_model


def make_functions(task_model):
    """Makes the functions of the task model's SavedModel."""
    return TaskFunctions(task_model.task.config, task_model, "whitespace")


def export(folder, task_model):
    """Writes the SavedModel.

    Args:
        folder: The folder, which must not exist.
        task_model: The `TaskModel`.

    Returns:
        The folder as str.
    """
    functions = make_functions(task_model)
    tf.saved_model.save(
        functions, str(folder), signatures=functions.signatures()
    )
    return str(folder)
