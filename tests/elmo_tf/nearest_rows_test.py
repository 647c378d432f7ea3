"""The exact search against sorting all cosines."""

import numpy as np
import pytest

from elmo_tf import nearest_rows as module
from elmo_tf.nearest_rows import nearest_rows
from elmo_tf.nearest_rows import unit_vectors


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)


def brute_force(vectors, query, n, rows):
    cosines = [
        round(float(np.float32(vectors[row].astype(np.float32) @ query)), 6)
        for row in rows
    ]
    best = sorted(zip(cosines, rows, strict=True), key=lambda p: (-p[0], p[1]))
    return [row for _, row in best[:n]], [cosine for cosine, _ in best[:n]]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("n", [1, 5, 30, 100])
def test_brute_force(dtype, n):
    generator = np.random.default_rng(0)
    vectors = unit_vectors(generator.normal(size=(50, 4))).astype(dtype)
    query = unit_vectors(generator.normal(size=4))
    for rows in (None, np.arange(0, 50, 3)):
        searched = range(50) if rows is None else rows
        searched = [int(row) for row in searched if row not in (6, 9)]
        cosines, found = nearest_rows(vectors, query, n, rows, [9, 6])
        expected, values = brute_force(vectors, query, n, searched)
        assert found.tolist() == expected
        np.testing.assert_allclose(cosines, values, atol=2e-6)


def test_of_equally_near_ones_the_first():
    vectors = unit_vectors(np.tile([[0.1, 0.7, 0.3]], (40, 1)))
    vectors[20] = [0, 1, 0]
    cosines, found = nearest_rows(vectors, vectors[3], 4)
    assert found.tolist() == [0, 1, 2, 3]
    assert cosines.tolist() == [1, 1, 1, 1]
    _, found = nearest_rows(vectors, vectors[20], 3)
    assert found.tolist() == [20, 0, 1]


def test_unit_vectors():
    found = unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 0]], rtol=1e-6)
    assert found.dtype == np.float32
