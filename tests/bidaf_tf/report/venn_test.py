"""Agreement counted, and circles whose areas are right."""

import re

import numpy as np
import pytest

from bidaf_tf.report.venn import Agreement
from bidaf_tf.report.venn import circles
from bidaf_tf.report.venn import count_agreement
from bidaf_tf.report.venn import venn_section
from tests.bidaf_tf.report.judged import judge


def test_count():
    judged = [
        judge(text, other)
        for text, other, times in (
            ("Ann", "Bob", 2),
            ("Ann", "ann.", 3),
            ("Bob", "Ann", 4),
            ("Bob", "Bob", 5),
        )
        for _ in range(times)
    ]
    assert count_agreement(judged) == Agreement(2, 3, 4, 5)


def areas(radius, other, distance):
    """The areas of two circles and of their overlap, on a fine grid."""
    low = min(-radius, distance - other)
    high = max(radius, distance + other)
    tallest = max(radius, other)
    columns, rows = (
        np.linspace(first, last, 2001)
        for first, last in ((low, high), (-tallest, tallest))
    )
    x, y = np.meshgrid(columns, rows, sparse=True)
    inside = x**2 + y**2 < radius**2
    inside_other = (x - distance) ** 2 + y**2 < other**2
    cell = (columns[1] - columns[0]) * (rows[1] - rows[0])
    return [
        cell * np.count_nonzero(area)
        for area in (inside, inside_other, inside & inside_other)
    ]


@pytest.mark.parametrize(
    "expected",
    [(100, 100, 50), (100, 30, 20), (30, 100, 1), (500, 20, 19.5), (7, 7, 6)],
)
def test_areas(expected):
    found = areas(*circles(*expected))
    np.testing.assert_allclose(found, expected, rtol=0.01)


@pytest.mark.parametrize(
    "expected", [(100, 30, 0), (100, 30, 30), (50, 50, 50), (4, 0, 0)]
)
def test_apart_and_inside(expected):
    np.testing.assert_allclose(
        areas(*circles(*expected)), expected, rtol=0.01, atol=0.02
    )


def drawn(section):
    return [
        (float(x), float(radius))
        for x, radius in re.findall(
            r'<circle cx="([\d.]+)" cy="\d+" r="([\d.]+)"', section
        )
    ]


@pytest.mark.parametrize(
    "agreement",
    [
        Agreement(27, 25, 114, 267),
        Agreement(1, 3000, 2, 0),
        Agreement(5, 0, 5, 1),
        Agreement(0, 8, 20, 3),
        Agreement(6, 0, 0, 3),
    ],
)
def test_picture(agreement):
    section = venn_section(agreement, "<other>")
    (x, radius), (other_x, other_radius) = drawn(section)
    assert min(x - radius, other_x - other_radius) >= 0
    assert max(x + radius, other_x + other_radius) <= 420
    assert max(radius, other_radius) <= 125
    sizes = [
        agreement.only_model + agreement.both,
        agreement.only_other + agreement.both,
        agreement.both,
    ]
    found = np.array(areas(radius, other_radius, other_x - x))
    # All on one scale.
    found *= sum(sizes[:2]) / found[:2].sum()
    np.testing.assert_allclose(found, sizes, rtol=0.02, atol=sum(sizes) / 500)
    for count in (
        agreement.only_model,
        agreement.both,
        agreement.only_other,
        agreement.neither,
    ):
        assert f">{count:,}</td>" in section
    assert "&lt;other&gt; alone" in section


def test_numbers_stand_in_their_parts():
    section = venn_section(Agreement(300, 300, 300, 0), "other")
    (x, radius), (other_x, other_radius) = drawn(section)
    numbers = [
        float(place) for place in re.findall(r'<text x="([\d.]+)"', section)
    ]
    assert x - radius < numbers[0] < other_x - other_radius
    assert other_x - other_radius < numbers[1] < x + radius
    assert x + radius < numbers[2] < other_x + other_radius
    assert "50.0 % of the questions" in section


def test_nobody_answers_correctly():
    section = venn_section(Agreement(0, 0, 0, 9), "other")
    assert "<svg" not in section
    assert "no correct answer" in section
