"""Small cloze questions, and a tiny model of them with random weights."""

import numpy as np

from bidaf_tf.bidaf import BiDAFConfig
from bidaf_tf.cloze_data import write_question
from bidaf_tf.cloze_question import ClozeQuestion
from tasks.cloze.experiments import ClozeConfig
from tasks.cloze.task import ClozeTask
from tasks.config import CharacterEncoderConfig
from tasks.config import ElmoConfig
from tasks.config import WordVectorsConfig
from tasks.elmo.elmo_source import ElmoSource
from tasks.task_model import TaskModel
from tasks.task_shape import TaskShape

WORDS = ("met", "saw", "in", ".", "the", *(f"@entity{n}" for n in range(9)))
QUESTIONS = (
    ClozeQuestion(
        "a.question",
        "http://a",
        "@entity7 met @entity2 in the rain . @entity5 saw @entity7 .",
        "@placeholder saw @entity7 in @entity3",
        "@entity5",
        ("@entity2:Bo", "@entity5:Zoë: a life", "@entity7:Ann"),
    ),
    ClozeQuestion(
        "b.question", "", "@entity1 .", "the @placeholder", "@entity1"
    ),
    ClozeQuestion(
        "c.question",
        "",
        "in the @entity4 @entity0 met @entity4 @entity8 @entity0",
        "@entity4 met @placeholder",
        "@entity0",
    ),
    ClozeQuestion(
        "d.question",
        "",
        "the @entity6 saw @entity5",
        "@placeholder met @entity5",
        "@entity9",
    ),
)


def write(folder, questions=QUESTIONS):
    """Writes questions into a folder, which is made.

    Returns:
        The folder as str.
    """
    folder.mkdir()
    for question in questions:
        write_question(folder, question)
    return str(folder)


def make_task_model(vocabulary_file, seed=0, elmo=None):
    """Makes a task model.

    Args:
        vocabulary_file: The file of the words to write.
        seed: Determines the weights.
        elmo: The `ElmoConfig`; None: it reads no biLM.

    Returns:
        The `TaskModel`.
    """
    config = ClozeConfig(
        model=BiDAFConfig(hidden_size=3),
        window_width=3,
        word_vectors=WordVectorsConfig(dim=4),
        character_encoder=CharacterEncoderConfig(filters=4),
        elmo=elmo or ElmoConfig(location="none"),
    )
    source = ElmoSource(config.elmo) if config.elmo.is_used else None
    vocabulary_file.write_text("".join(f"{word}\n" for word in WORDS))
    shape = TaskShape(
        state={},
        vocabulary_size=len(WORDS) + 2,
        word_dim=4,
        elmo_fingerprint=None,
    )
    task_model = TaskModel(
        ClozeTask(config), shape, str(vocabulary_file), source
    )
    generator = np.random.default_rng(seed)
    for weight in task_model.model.weights:
        weight.assign(generator.normal(size=weight.shape))
    return task_model
