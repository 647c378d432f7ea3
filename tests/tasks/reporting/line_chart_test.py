"""Lines lie where their numbers say."""

import re

from tasks.reporting.line_chart import Series
from tasks.reporting.line_chart import line_chart


def points(text):
    return [
        [tuple(map(float, pair.split(","))) for pair in found.split()]
        for found in re.findall(r'<polyline points="(.*?)"', text)
    ]


def test_lines():
    text = line_chart(
        "A & B",
        "step",
        "F1",
        [
            Series("one", ([(0, 0.0), (10, 50.0)],)),
            Series("<two>", ([(5, 100.0)], [(0, 25.0), (10, float("nan"))])),
        ],
    )
    # x from 40 to 342, y from 194 up to 10.
    assert points(text) == [
        [(40, 194), (342, 102)],
        [(191, 10)],
        [(40, 148)],
    ]
    # What has no line is a point.
    assert text.count("<circle") == 2
    assert "<title>A &amp; B: F1 by step</title>" in text
    assert "&lt;two&gt;" in text
    assert "nan" not in text
    ticks = re.findall(
        r'<text x="([\d.]+)" y="208" class="x">(.*?)</text>', text
    )
    assert ("40.0", "0") in ticks
    assert ("342.0", "10") in ticks


def test_a_logarithmic_axis():
    text = line_chart(
        "T",
        "x",
        "y",
        [Series("one", ([(1, 1.0), (10, 2.0), (100, 3.0)],), True)],
        is_log=True,
        x_ticks={1: "1", 10: "10"},
    )
    assert points(text) == [[(40, 194), (191, 102), (342, 10)]]
    assert text.count("<circle") == 3
    assert '<text x="191.0" y="208" class="x">10</text>' in text


def test_equal_numbers():
    text = line_chart("T", "x", "y", [Series("one", ([(3, 0.0), (3, 0.0)],))])
    assert points(text) == [[(191, 102), (191, 102)]]


def test_no_finite_number():
    series = [Series("one", ([(3, float("inf"))],))]
    assert "T: no finite figures" in line_chart("T", "x", "y", series)
