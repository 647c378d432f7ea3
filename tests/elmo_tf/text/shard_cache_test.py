"""Shards in memory, each once and only as long as it is used."""

import gc
import os

import pytest

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text.shard_cache import ShardCache


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("a b\n\né\u00a0c\r\nlast".encode())
    return str(path)


@pytest.mark.parametrize("block_size", [1, 5, 1 << 20])
def test_lines(path, block_size, monkeypatch):
    monkeypatch.setattr(shards, "_BLOCK_SIZE", block_size)
    shard = ShardCache().load(path, os.path.getsize(path))
    assert [shard.tokens(i) for i in range(len(shard))] == [
        [b"a", b"b"],
        [],
        ["é".encode(), b"c"],
        [b"last"],
    ]


def test_a_shard_in_use_is_loaded_once(path):
    cache = ShardCache()
    shard = cache.load(path, os.path.getsize(path))
    # Nothing is read: the file is gone.
    size = os.path.getsize(path)
    os.remove(path)
    assert cache.load(path, size) is shard
    del shard
    gc.collect()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        cache.load(path, size)


def test_another_size(path):
    with pytest.raises(InputError) as info:
        ShardCache().load(path, 5)
    assert str(info.value) == (
        f"{path}: changed while it was in use, from 5 to 16 bytes"
    )
