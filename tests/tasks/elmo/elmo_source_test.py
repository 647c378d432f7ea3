"""Layers of the biLM, live and from disk."""

import dataclasses
import os
import shutil

import numpy as np
import pytest

from elmo_tf.embedder import Elmo
from elmo_tf.errors import InputError
from tasks.config import ElmoConfig
from tasks.elmo import cached_elmo_layers
from tasks.elmo.cached_elmo_layers import CachedElmoLayers
from tasks.elmo.cached_elmo_layers import default_cache_dir
from tasks.elmo.elmo_source import ElmoSource
from tasks.elmo.fingerprint import fingerprint
from tests.tasks import tiny_elmo

SENTENCES = [["a", "b"], ["c"], ["a", "b"], ["naïve", "Ω" * 60, ".", ""]]
# Each a text by itself.
TEXTS = [[tokens] for tokens in SENTENCES]


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory):
    return tiny_elmo.export(tmp_path_factory.mktemp("bilm") / "model")


@pytest.fixture(scope="module")
def source(saved_model):
    return ElmoSource(ElmoConfig(saved_model=saved_model))


def with_cache(source, folder, **options):
    """The source with another folder of layers."""
    found = object.__new__(ElmoSource)
    found.elmo = source.elmo
    found.fingerprint = source.fingerprint
    found._config = dataclasses.replace(
        source._config, cache_dir=str(folder), **options
    )
    return found


def test_live_and_cached_are_what_the_embedder_gives(source, tmp_path, capsys):
    assert source.shape == (tiny_elmo.N_LAYERS, tiny_elmo.OUTPUT_DIM)
    expected = source.elmo.embed(SENTENCES)
    for cache in (False, True, True):
        layers = with_cache(source, tmp_path, cache=cache).layers(
            SENTENCES, "train"
        )
        assert layers.shape == source.shape
        batch = layers.batch(TEXTS[1:])
        assert batch.shape == (3, 4, *source.shape)
        assert batch.dtype == np.float32
        for row, array in zip(batch, expected[1:], strict=True):
            n = array.shape[1]
            np.testing.assert_allclose(
                row[:n], array.transpose(1, 0, 2), atol=1e-6
            )
            assert not row[n:].any()
    # Of three different sentences, once.
    assert len(os.listdir(tmp_path)) == 1
    assert capsys.readouterr().out.count("ELMo layers of train: token 7/7") == 1


@pytest.mark.parametrize("cache", [False, True])
def test_texts_of_several_sentences(source, tmp_path, cache):
    layers = with_cache(source, tmp_path, cache=cache).layers(SENTENCES, "a")
    expected = layers.batch(TEXTS)
    batch = layers.batch([SENTENCES[:2], [], SENTENCES[1:]])
    assert batch.shape == (3, 7, *source.shape)
    for row, numbers in ((0, (0, 1)), (2, (1, 2, 3))):
        start = 0
        for number in numbers:
            end = start + len(SENTENCES[number])
            np.testing.assert_allclose(
                batch[row, start:end],
                expected[number, : end - start],
                atol=1e-6,
            )
            start = end
        assert not batch[row, start:].any()
    assert not batch[1].any()


def test_the_second_time_nothing_is_computed(source, tmp_path, monkeypatch):
    cached = with_cache(source, tmp_path)
    before = cached.layers(SENTENCES, "train").batch(TEXTS)
    monkeypatch.setattr(
        Elmo, "embed_stream", lambda *_: pytest.fail("computed again")
    )
    # The order in which they are asked for is another matter.
    after = cached.layers(SENTENCES, "train").batch(TEXTS)
    np.testing.assert_array_equal(before, after)


def test_other_data_other_file(source, tmp_path):
    cached = with_cache(source, tmp_path)
    for sentences in (
        SENTENCES,
        SENTENCES[:2],
        [["a"], ["b", "c"]],
        [["a", "b"], ["c", "d"]],
        [["a", "b", "c", "d"]],
        [["ab", "c", "d"]],
    ):
        cached.layers(sentences, "train")
    assert len(os.listdir(tmp_path)) == 6


def test_another_bilm_other_file(source, saved_model, tmp_path):
    folder = tmp_path / "cache"
    first = with_cache(source, folder).layers(SENTENCES, "train")
    other = ElmoSource(
        ElmoConfig(
            saved_model=tiny_elmo.export(tmp_path / "other", seed=1),
            cache_dir=str(folder),
        )
    )
    second = other.layers(SENTENCES, "train")
    assert len(os.listdir(folder)) == 2
    difference = first.batch(TEXTS) - second.batch(TEXTS)
    assert np.abs(difference).max() > 0.1
    # The same biLM in another place is the same.
    moved = shutil.copytree(saved_model, tmp_path / "moved")
    assert fingerprint(str(moved)) == source.fingerprint
    assert other.fingerprint != source.fingerprint
    with pytest.raises(InputError) as info:
        ElmoSource(ElmoConfig(saved_model=str(moved)), other.fingerprint)
    assert str(info.value) == (
        f"{moved}: is another biLM than the one that the task model was "
        "trained with"
    )


def test_a_pretrained_bilm_has_a_fingerprint():
    assert len(fingerprint("mini")) == 64


def test_interrupted(source, tmp_path, monkeypatch):
    embed_stream = Elmo.embed_stream

    def interrupted(self, sentences):
        yield next(embed_stream(self, sentences))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Elmo, "embed_stream", interrupted)
        with pytest.raises(KeyboardInterrupt):
            with_cache(source, tmp_path).layers(SENTENCES, "train")
    assert os.listdir(tmp_path) == []
    layers = with_cache(source, tmp_path).layers(SENTENCES, "train")
    assert layers.batch(TEXTS).any()


def test_a_process_was_killed_after_all_was_there(source, tmp_path):
    """Before it could remove the folder in which it had written the file."""
    path = with_cache(source, tmp_path).layers(SENTENCES, "train").path
    for name in (os.path.basename(path), "another.npy"):
        (tmp_path / f".partial-{name}-abcdefgh").mkdir()
    with_cache(source, tmp_path).layers(SENTENCES, "train")
    assert sorted(os.listdir(tmp_path)) == [
        ".partial-another.npy-abcdefgh",
        os.path.basename(path),
    ]


def test_two_runs_at_once(source, tmp_path, monkeypatch):
    """The other one ends while this one is at work."""
    compute = cached_elmo_layers._compute
    paths = []

    def disturbed(*arguments):
        if not paths:
            paths.append(arguments[2])
            monkeypatch.setattr(os, "getpid", lambda: 1)
            other = with_cache(source, tmp_path).layers(SENTENCES, "other")
            paths.append(other.path)
            monkeypatch.undo()
        compute(*arguments)

    monkeypatch.setattr(cached_elmo_layers, "_compute", disturbed)
    layers = with_cache(source, tmp_path).layers(SENTENCES, "train")
    assert paths[0] != layers.path and paths[1] == layers.path
    assert os.listdir(tmp_path) == [os.path.basename(layers.path)]


_DAMAGES = {
    "cut": (
        lambda data: data[:-100],
        "found 712 bytes, expected 812 for the ELMo layers of 7 tokens",
    ),
    "longer": (
        lambda data: data + b"x",
        "found 813 bytes, expected 812 for the ELMo layers of 7 tokens",
    ),
    "other": (
        lambda data: data.replace(b"(7, 3, 8)", b"(8, 3, 7)"),
        "found another beginning, expected that of the ELMo layers of 7 tokens",
    ),
}


@pytest.mark.parametrize("damage, message", _DAMAGES.values(), ids=_DAMAGES)
def test_damaged(source, tmp_path, damage, message):
    path = with_cache(source, tmp_path).layers(SENTENCES, "train").path
    with open(path, "r+b") as file:
        data = damage(file.read())
        file.seek(0)
        file.truncate()
        file.write(data)
    with pytest.raises(InputError) as info:
        with_cache(source, tmp_path).layers(SENTENCES, "train")
    assert str(info.value) == (
        f"{path}: damaged: {message}; delete the file, and the layers are "
        "computed again"
    )


@pytest.mark.parametrize("place", [128, 300, 799, 800, 811])
def test_a_flipped_bit(source, tmp_path, place):
    """In the array, and in the sums after it."""
    path = with_cache(source, tmp_path).layers(SENTENCES, "train").path
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 16]))
    layers = with_cache(source, tmp_path).layers(SENTENCES, "train")
    with pytest.raises(InputError, match="found another CRC-32 of the sent"):
        layers.batch(TEXTS)


def test_cache_dir(monkeypatch, source, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == str(tmp_path / "elmo_tf")
    layers = with_cache(source, "").layers(SENTENCES, "train")
    assert isinstance(layers, CachedElmoLayers)
    assert os.path.dirname(layers.path) == default_cache_dir()
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_dir() == os.path.expanduser("~/.cache/elmo_tf")


def test_a_layer_that_the_bilm_has_not(saved_model):
    ElmoSource(ElmoConfig(saved_model=saved_model, layers=2))
    with pytest.raises(InputError) as error:
        ElmoSource(ElmoConfig(saved_model=saved_model, layers=3))
    assert str(error.value) == (
        "task.elmo.layers: found 3, expected all, top or a layer of "
        f"{saved_model}: 0 to 2"
    )
