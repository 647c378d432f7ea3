"""The text of tasks' files."""

import json

import pytest

from elmo_tf.errors import InputError
from tasks.probes.task_text import read_task_text
from tasks.probes.task_text import write_text

# Two predicates, so two propositions of one sentence.
PROPS = """\
The - (A0* *
cat - *) *
that - * (A0*)
sat sat (V*) *
ran run * (V*)

Go go (V*)
"""


def test_tagged_words_again_and_again(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("Oslo B-LOC\nwon O\n\nNo O\n\nOslo O\nwon O\n")
    assert read_task_text("ner/conll2003", path) == [("Oslo", "won"), ("No",)]


def test_a_sentence_with_two_predicates(tmp_path):
    path = tmp_path / "train.props"
    path.write_text(PROPS)
    assert read_task_text("srl/conll2012", path) == [
        ("The", "cat", "that", "sat", "ran"),
        ("Go",),
    ]


def test_pairs_with_one_premise(tmp_path):
    path = tmp_path / "dev.tsv"
    path.write_text("neutral\tA dog\tIt runs\nentailment\tA dog\tAn animal\n")
    assert read_task_text("snli/snli", path) == [
        ("A", "dog"),
        ("It", "runs"),
        ("An", "animal"),
    ]


def test_a_document_gives_sentences(tmp_path):
    path = tmp_path / "documents.jsonl"
    sentences = [["Ann", "1 1/2\u00a0", "runs"], ["She", "wins"]]
    document = {
        "doc_key": "nw/1",
        "sentences": sentences,
        "speakers": [["-"] * 3, ["-"] * 2],
        "clusters": [],
    }
    path.write_text(f"{json.dumps(document)}\n")
    found = read_task_text("coref/conll2012", path)
    assert found == [("Ann", "1", "1/2", "runs"), ("She", "wins")]
    write_text(tmp_path / "text.txt", found)
    assert (tmp_path / "text.txt").read_text() == "Ann 1 1/2 runs\nShe wins\n"


def test_mistakes_are_the_readers(tmp_path):
    with pytest.raises(InputError, match="none.txt"):
        read_task_text("ner/conll2003", tmp_path / "none.txt")
