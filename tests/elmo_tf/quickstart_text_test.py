"""The quickstart's text: Python's documentation as sentences."""

import pytest

from elmo_tf import quickstart_text


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    paths = quickstart_text.write_corpus(str(folder))
    assert paths == [f"{folder}/train.txt", f"{folder}/heldout.txt"]
    return [
        path.read_text(encoding="utf-8").splitlines()
        for path in (folder / "train.txt", folder / "heldout.txt")
    ]


def test_sizes(corpus):
    train, heldout = (
        sum(len(line.split()) for line in lines) for lines in corpus
    )
    assert train > 45_000
    assert 0.05 < heldout / (train + heldout) < 0.15


def test_lines_are_tokenised_sentences(corpus):
    for lines in corpus:
        assert all(lines)
        assert all(" ".join(line.split()) == line for line in lines)
        assert sum(line.endswith(" .") for line in lines) > len(lines) / 2


def test_no_paragraph_stands_in_both():
    paragraphs = quickstart_text._paragraphs("A.\n\n* B *c d* e.\n\n a ::= b\n")
    assert list(paragraphs) == ["A.", "B c d e."]


def test_long_sentences_are_not_shared(corpus):
    train, heldout = corpus
    shared = {line for line in heldout if len(line.split()) > 12} & set(train)
    assert len(shared) < 0.05 * len(heldout)


def test_marks_of_restructured_text_are_left_out():
    text = (
        "A title\n*******\n\nSome *emphasised words* and\n“quotes”.\n\n"
        "* An item,\n  wrapped.\n\n   >>> print(1)\n\n   a ::= b c\n\n"
        "+---+---+\n| a | b |\n\nA call: f(*args, **kwargs).\n"
    )
    assert list(quickstart_text._paragraphs(text)) == [
        "A title",
        "Some emphasised words and “quotes”.",
        "An item, wrapped.",
        "A call: f(*args, **kwargs).",
    ]
