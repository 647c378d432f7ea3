"""Spans become brackets and the other way, by hand and at random."""

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.srl.brackets import is_cell
from tasks.srl.brackets import read_brackets
from tasks.srl.brackets import write_brackets
from tasks.text.span import Span

CASES = [
    ("* *", []),
    ("(V*) *", [("V", 0, 1)]),
    ("(A0* * *) (V*)", [("A0", 0, 3), ("V", 3, 4)]),
    ("(A1(A0*) *)", [("A1", 0, 2), ("A0", 0, 1)]),
    ("(A1* (A0*))", [("A1", 0, 2), ("A0", 1, 2)]),
    ("(A1(A0*))", [("A1", 0, 1), ("A0", 0, 1)]),
    ("(A1(A2* *) (A0* *))", [("A1", 0, 4), ("A2", 0, 2), ("A0", 2, 4)]),
    ("(C-A1* (R-A1*)) *", [("C-A1", 0, 2), ("R-A1", 1, 2)]),
]


def place(token):
    return f"a.props:{token + 1}"


def random_spans(rng, start, end, depth):
    spans = []
    while start < end:
        stop = int(rng.integers(start + 1, end + 1))
        if rng.random() < 0.6:
            spans.append(Span(str(rng.choice(["A0", "C-A0"])), start, stop))
            if depth:
                spans += random_spans(rng, start, stop, depth - 1)
        start = stop
    return spans


@pytest.mark.parametrize("text, spans", CASES)
def test_by_hand(text, spans):
    cells = text.split()
    spans = tuple(Span(*span) for span in spans)
    assert read_brackets(cells, place, 2) == spans
    assert write_brackets(spans, len(cells)) == cells


def test_labels_at_the_end():
    cells = ["(A1(A0*A0)", "*A1)"]
    assert read_brackets(cells, place, 2) == (
        Span("A1", 0, 2),
        Span("A0", 0, 1),
    )


def test_round_trip():
    rng = np.random.default_rng(0)
    for length in range(1, 60):
        spans = tuple(random_spans(rng, 0, length, 2))
        cells = write_brackets(spans, length)
        assert read_brackets(cells, place, 2) == spans


def test_spans_in_any_order():
    spans = [Span("B", 2, 3), Span("C", 0, 1), Span("A", 0, 2)]
    assert write_brackets(spans, 3) == ["(A(C*)", "*)", "(B*)"]


@pytest.mark.parametrize("text", ["*", "(A*", "*)", "(A(B*))", "*A)"])
def test_cells(text):
    assert is_cell(text)


@pytest.mark.parametrize("text", ["", "-", "(A", "A*", "(*)", "**", "*(A)"])
def test_what_is_no_cell(text):
    assert not is_cell(text)
    with pytest.raises(InputError) as info:
        read_brackets(["*", text], place, 3)
    assert str(info.value) == (
        f"a.props:2: found {text!r} in column 3, expected an asterisk between "
        "brackets, such as (ARG0*, *, *) or (V*)"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "* *)",
            "2: found '*)' in column 3, expected no closing bracket, as none "
            "is open",
        ),
        (
            "(A* *))",
            "2: found '*))' in column 3, expected no closing bracket, as none "
            "is open",
        ),
        (
            "* (A(B* *) *",
            "2: found (A in column 3, expected a closing bracket before the "
            "sentence ends",
        ),
        ("(A* *B)", "2: found '*B)' in column 3, expected the end of (A"),
    ],
)
def test_brackets_that_do_not_match(text, message):
    with pytest.raises(InputError) as info:
        read_brackets(text.split(), place, 3)
    assert str(info.value) == f"a.props:{message}"


@pytest.mark.parametrize(
    "spans",
    [
        [("A", 0, 2), ("B", 1, 3)],
        [("A", 1, 1)],
        [("A", 2, 1)],
        [("A", -1, 1)],
        [("A", 2, 4)],
    ],
)
def test_spans_that_cannot_be(spans):
    with pytest.raises(ValueError, match="^found Span.* of 3 tokens, "):
        write_brackets([Span(*span) for span in spans], 3)
