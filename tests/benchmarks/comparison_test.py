"""Differences of vectors, by layer."""

import numpy as np
import pytest

from benchmarks.comparison import agree
from benchmarks.comparison import compare

# Two layers of two tokens.
REFERENCE = np.array([[[3.0, 4.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]])


def test_differences_by_layer():
    vectors = REFERENCE.copy()
    vectors[0, 0] += [0.3, -0.4]
    found = compare(vectors, REFERENCE)
    assert found[0].largest_absolute == pytest.approx(0.4)
    assert found[0].largest_relative == pytest.approx(0.1)
    assert found[0].mean_relative == pytest.approx(0.05)
    assert found[1].largest_absolute == found[1].mean_relative == 0
    assert agree(found, 0.11)
    assert not agree(found, 0.09)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_never_agrees(wrong):
    vectors = REFERENCE.copy()
    vectors[1, 1, 0] = wrong
    assert not agree(compare(vectors, REFERENCE), 1e9)


def test_other_shapes_never_agree():
    assert not agree(compare(REFERENCE[:, :1], REFERENCE), 1e9)
