"""The text of a task's files, without what it is labelled with."""

import pathlib

from elmo_tf.atomic_file import write_file
from elmo_tf.training.experiment import experiment_config
from tasks.registry import make_task


def read_task_text(experiment, path):
    """Reads what a task's biLM would read of a file.

    Args:
        experiment: The name of an experiment of the task.
        path: A file in the task's format, plain or gzip.

    Returns:
        A list of sentences, tuples of tokens, in the order of the file. Each
        text is there once, however many examples have it: the premise of
        several pairs, the sentence of several predicates. Texts without tokens
        are left out.

    Raises:
        InputError: There is no such experiment, or the file cannot be used.
    """
    task = make_task(experiment_config(experiment).task)
    sentences = (
        # White space inside a token separates tokens in a text.
        tuple(" ".join(tokens).split())
        for example in task.read_to_predict(path)
        for field in task.sentences(example)
        for tokens in field
    )
    return [tokens for tokens in dict.fromkeys(sentences) if tokens]


def write_text(path, sentences):
    """Writes sentences as a corpus to train on.

    Args:
        path: The file; appears when it is complete.
        sentences: A list of tuples of tokens, at least one.
    """
    lines = (" ".join(tokens) for tokens in sentences)
    with write_file(path) as partial:
        pathlib.Path(partial).write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
