"""Brackets: order, nesting, crossing, what cannot be read or written."""

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.coref.brackets import read_brackets
from tasks.coref.brackets import write_brackets


def read(text):
    return read_brackets(text.split(), place=lambda token: f"f:{token + 1}")


@pytest.mark.parametrize(
    "text, clusters",
    [
        ("- _ -", ()),
        ("(3) - (3)", (((0, 0), (2, 2)),)),
        # Nested, in one cluster and in two.
        ("(1|(2) - 1)", (((0, 0),), ((0, 2),))),
        ("(7 (7 7) 7)", (((1, 2), (0, 3)),)),
        # Crossing: of two clusters.
        ("(0 (1 0) 1)", (((0, 2),), ((1, 3),))),
        # The same span in two clusters, and twice in one.
        ("(0|(1 1)|0)", (((0, 1),), ((0, 1),))),
        ("(0|(0 0)|0)", (((0, 1), (0, 1)),)),
        # Without bars, as the reference scorer's own test cases.
        ("(1(3(1) 3)1)", (((0, 0), (0, 1)), ((0, 1),))),
        # Whole mentions come before those that begin, as for that scorer.
        ("(5|(2) 5)", (((0, 0),), ((0, 1),))),
        # It opens before it closes.
        ("(0 0)|(0 0)", (((1, 1), (0, 2)),)),
        # Numbers are names.
        ("(1) (01)", (((0, 0),), ((1, 1),))),
    ],
)
def test_read(text, clusters):
    assert read(text) == clusters


def test_nothing_is_nothing():
    assert read_brackets(["", "-", "_"], place=str) == ()


@pytest.mark.parametrize(
    "text, message",
    [
        ("- 4) (4", "f:2: found 4), expected (4 before it in the document"),
        ("(4 - (5 5)", "f:1: found (4, expected 4) after it in the document"),
        ("(4 (4 4)", "f:1: found (4, expected 4) after it in the document"),
        *(
            (
                f"- {cell}",
                f"f:2: found {cell!r} in the last column, expected brackets "
                "with numbers of clusters, as (3|(5), or -",
            )
            for cell in (
                "*",
                "3",
                "(3|",
                "(3||3)",
                "(a)",
                "((3))",
                "(3)-",
                "()",
            )
        ),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "clusters, text",
    [
        ([], "- - - -"),
        ([[(0, 0), (2, 2)]], "(0) - (0) -"),
        ([[(0, 1)], [(0, 3), (3, 3)], [(1, 3)]], "(1|(0 (2|0) - (1)|2)|1)"),
        ([[(0, 1)], [(0, 1)]], "(0|(1 1)|0) - -"),
        ([[(0, 1), (0, 1), (1, 1)]], "(0|(0 (0)|0)|0) - -"),
        ([[(0, 2)], [(1, 3)]], "(0 (1 0) 1)"),
    ],
)
def test_write(clusters, text):
    assert write_brackets(clusters, 4, "a") == text.split()


def test_what_nests_is_matched_without_the_numbers():
    """By a reader that knows one stack of open mentions only."""
    rng = np.random.default_rng(0)
    n_nested = 0
    for _ in range(100):
        clusters = random_clusters(rng, crossing=False)
        stack = []
        for cell in write_brackets(clusters, 10, "a"):
            for piece in cell.replace("-", "").split("|"):
                if piece.startswith("("):
                    stack.append(piece.strip("()"))
                if piece.endswith(")"):
                    n_nested += len(stack) > 1
                    assert stack.pop() == piece.strip("()")
    assert n_nested > 100


@pytest.mark.parametrize("crossing", [False, True])
def test_what_is_written_is_read(crossing):
    rng = np.random.default_rng(0)
    for _ in range(100):
        clusters = random_clusters(rng, crossing)
        found = read_brackets(write_brackets(clusters, 10, "a"), place=str)
        assert sorted(map(sorted, found)) == sorted(map(sorted, clusters))


def random_clusters(rng, crossing):
    """Clusters in which no mentions cross, maybe those of two do."""
    clusters = [[] for _ in range(3)]
    for _ in range(12):
        first, last = sorted(rng.integers(10, size=2).tolist())
        cluster = clusters[rng.integers(3)]
        others = cluster if crossing else [m for c in clusters for m in c]
        if not any(
            a < first <= b < last or first < a <= last < b for a, b in others
        ):
            cluster.append((first, last))
    return [cluster for cluster in clusters if cluster]


@pytest.mark.parametrize(
    "cluster, crossing",
    [
        ([(1, 3), (0, 2)], "[0, 2] and [1, 3]"),
        ([(0, 2), (2, 3)], "[0, 2] and [2, 3]"),
        ([(0, 9), (2, 5), (3, 3), (4, 6)], "[2, 5] and [4, 6]"),
    ],
)
def test_mentions_of_a_cluster_that_cross(cluster, crossing):
    with pytest.raises(InputError) as error:
        write_brackets([[(0, 0)], cluster], 10, "f:1")
    assert str(error.value) == (
        f"f:1: found the mentions {crossing} in one cluster, expected none "
        "that cross: brackets cannot tell which ends where"
    )
