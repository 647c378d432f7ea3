"""The approximate search, of vectors that lie in heaps."""

import numpy as np
import pytest

from elmo_tf.nearest_rows import unit_vectors
from tasks.probes import approximate_index as module
from tasks.probes.approximate_index import ApproximateIndex


@pytest.fixture(scope="module")
def vectors():
    """30 heaps of 50 vectors each."""
    generator = np.random.default_rng(0)
    heaps = np.repeat(generator.normal(size=(30, 12)), 50, axis=0)
    noise = 0.2 * generator.normal(size=heaps.shape)
    return unit_vectors(heaps + noise).astype(np.float16)


def test_candidates(vectors, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 400)
    path = str(tmp_path / "index")
    steps = []
    ApproximateIndex.build(path, vectors, lambda *step: steps.append(step))
    assert steps == [(400, 400), (800, 400), (1200, 400), (1500, 300)]
    assert [file.name for file in tmp_path.iterdir()] == ["index"]
    index = ApproximateIndex(path)
    for row in (0, 777, 1499):
        query = vectors[row].astype(np.float32)
        found = index.candidates(query, 100)
        assert found.tolist() == sorted(set(found.tolist()))
        assert len(found) == 100
        # Not all of the nearest, but most.
        nearest = np.argsort(-(vectors.astype(np.float32) @ query))[:20]
        assert np.isin(nearest, found).mean() > 0.9
        assert row in found
    # Nothing is said of a text that is small.
    assert capfd.readouterr().err == ""


def test_more_than_there_are(vectors, tmp_path):
    path = str(tmp_path / "index")
    ApproximateIndex.build(path, vectors)
    found = ApproximateIndex(path).candidates(
        vectors[0].astype(np.float32), 5000
    )
    assert 0 < len(found) <= len(vectors)
    assert found.min() >= 0
