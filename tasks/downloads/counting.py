"""Counts the examples of files in the standard formats."""

import json

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from tasks.text import column_file


def count_lines(path):
    """Counts the lines that are not blank: one example a line."""
    return sum(1 for line in shards.read_lines(path) if line.strip())


def count_tagged_sentences(path):
    """Counts the sentences of a CoNLL column file."""
    return sum(1 for _ in column_file.read_sentences(path))


def count_questions(path):
    """Counts the questions of a JSON file in SQuAD's format."""
    try:
        with open(path, encoding="utf-8") as file:
            articles = json.load(file)["data"]
        return sum(
            len(paragraph["qas"])
            for article in articles
            for paragraph in article["paragraphs"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: found {type(error).__name__}: {error}, expected "
            "questions in SQuAD's JSON format"
        ) from error
