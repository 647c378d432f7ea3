"""Averages of senses, and the file that keeps them."""

import numpy as np
import pytest

from elmo_tf.errors import InputError
from tasks.wsd.instance_vectors import add_mean_layer
from tasks.wsd.sense_vectors import SenseVectors
from tests.tasks.wsd import tiny_sentences
from tests.tasks.wsd import tiny_wordnet
from tests.tasks.wsd import vectors_by_hand

KNOWN = [key for keys in tiny_wordnet.KEYS.values() for key in keys]


@pytest.fixture(scope="module")
def sense_vectors(elmo):
    return SenseVectors.average(elmo, tiny_sentences.training(), KNOWN)


def test_averages(elmo, sense_vectors):
    means = vectors_by_hand.sense_means(elmo, tiny_sentences.training())
    del means["unknown%1:00:00::"]
    assert sense_vectors.keys == sorted(means)
    assert sense_vectors.vectors.dtype == np.float32
    np.testing.assert_allclose(
        add_mean_layer(sense_vectors.vectors),
        [means[key] for key in sense_vectors.keys],
        atol=1e-5,
    )
    counts = dict(
        zip(sense_vectors.keys, sense_vectors.counts.tolist(), strict=True)
    )
    assert [counts[key] for key in tiny_sentences.BANK] == [2, 2, 1]


def test_sentences_without_a_sense_are_not_embedded(elmo):
    announced, done = [], []

    def progress(*counts):
        announced.append(counts)
        return lambda *counts: done.append(counts)

    SenseVectors.average(
        elmo, tiny_sentences.training(), ["bank%1:06:00::"], progress
    )
    assert announced == [(1, 3)]
    assert done == [(1, 3)]


def test_senses_of_a_word(sense_vectors):
    assert sense_vectors.keys_of("bank", "n") == sorted(tiny_sentences.BANK)
    assert sense_vectors.keys_of("bank", "v") == ["bank%2:40:00::"]
    assert sense_vectors.keys_of("big", "a") == ["big%5:00:02:big:01"]
    assert sense_vectors.keys_of("shore", "n") == []
    keys = ["bank%2:40:00::", "bank%1:06:00::"]
    places = [sense_vectors.keys.index(key) for key in keys]
    np.testing.assert_array_equal(
        sense_vectors.vectors_of(keys), sense_vectors.vectors[places]
    )


def test_file(sense_vectors, tmp_path):
    path = tmp_path / "sense_vectors"
    sense_vectors.save(path, "mine")
    # As it is called, without a suffix, and nothing beside it.
    assert list(tmp_path.iterdir()) == [path]
    loaded = SenseVectors.load(path, "mine")
    assert loaded.keys == sense_vectors.keys
    np.testing.assert_array_equal(loaded.counts, sense_vectors.counts)
    np.testing.assert_array_equal(loaded.vectors, sense_vectors.vectors)
    with np.load(path) as file:
        assert set(file.files) == {"keys", "counts", "vectors", "fingerprint"}


def test_mistakes(sense_vectors, tmp_path):
    path = tmp_path / "a.npz"
    with pytest.raises(InputError) as info:
        SenseVectors.load(path, "mine")
    assert str(info.value) == f"{path}: no such file"
    sense_vectors.save(path, "another's")
    with pytest.raises(InputError) as info:
        SenseVectors.load(path, "mine")
    assert str(info.value) == (
        f"{path}: found sense vectors of another biLM, expected those of "
        "--saved_model"
    )
    data = path.read_bytes()
    for damaged in (b"", b"text", data[: len(data) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(InputError) as info:
            SenseVectors.load(path, "mine")
        assert str(info.value).startswith(f"{path}: cannot be read (")
        assert "expected sense vectors that tasks.wsd" in str(info.value)
    for save in (np.savez, np.save):
        with open(path, "wb") as file:
            save(file, np.zeros(3))
        with pytest.raises(InputError) as info:
            SenseVectors.load(path, "mine")
        assert str(info.value) == (
            f"{path}: expected sense vectors that tasks.wsd.evaluate wrote"
        )
