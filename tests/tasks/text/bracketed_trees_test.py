import gzip

import pytest

from elmo_tf.errors import InputError
from tasks.text.bracketed_trees import BracketedTree
from tasks.text.bracketed_trees import read_trees
from tasks.text.span import Span

EXAMPLE = "(3 works)"


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "trees.txt"

    def read(text, **options):
        path.write_text(text, encoding="utf-8")
        return list(read_trees(path, "some trees", EXAMPLE, **options))

    read.path = str(path)
    return read


def test_phrases_stand_after_those_in_them(read):
    (tree,) = read("( (S (NP (DT the) old (NN man))\n\n  (VP sits) -LRB-) )")
    assert tree == BracketedTree(
        ("the", "old", "man", "sits", "-LRB-"),
        (
            Span("DT", 0, 1),
            Span("NN", 2, 3),
            Span("NP", 0, 3),
            Span("VP", 3, 4),
            Span("S", 0, 5),
            Span("", 0, 5),
        ),
        read.path,
        (1, 1, 1, 3, 3),
    )
    assert tree.place(3) == f"{read.path}:3"


def test_a_label_stands_right_after_its_bracket(read):
    (tree,) = read("(\n  S\n ((NN a) b) c)")
    assert tree.words == ("a", "b", "c")
    assert [phrase.label for phrase in tree.phrases] == ["NN", "", "S"]


def test_several_trees(read):
    trees = read("(A a)(B\n b) (C\nc)\n")
    assert [tree.words for tree in trees] == [("a",), ("b",), ("c",)]
    assert [tree.lines for tree in trees] == [(1,), (2,), (3,)]
    assert [tree.phrases for tree in trees] == [
        (Span(label, 0, 1),) for label in "ABC"
    ]


def test_gzip(tmp_path):
    path = tmp_path / "trees.gz"
    path.write_bytes(gzip.compress(b"(A a)"))
    assert [tree.words for tree in read_trees(path, "", "")] == [("a",)]


def test_deep_trees(read):
    depth = 5000
    (tree,) = read("(A " * depth + "down" + ")" * depth)
    assert tree.phrases == (Span("A", 0, 1),) * depth


@pytest.mark.parametrize(
    "text, is_line, message",
    [
        ("(A a)\n(B b", False, ":2: found the end of the file, expected ')'"),
        ("(A a)\n(B b\n)", True, ":2: found the end of the line, expected ')'"),
        (
            "(A a) (B b)",
            True,
            ":1: found '(' after the tree, expected the end of the line",
        ),
        ("\na", False, ":2: found 'a', expected a tree, as (3 works)"),
        ("(A a))", False, ":1: found ')', expected a tree, as (3 works)"),
        ("((A) b)", False, ":1: found no word in '(A)', expected one or more"),
        ("\n", False, ": found no tree, expected some trees"),
        ("", False, ": empty file, expected some trees"),
    ],
)
def test_errors(read, text, is_line, message):
    with pytest.raises(InputError) as error:
        read(text, one_a_line=is_line)
    assert str(error.value) == f"{read.path}{message}"
