"""Files of keys."""

import gzip

import pytest

from elmo_tf.errors import InputError
from tasks.wsd.key_file import read_keys
from tasks.wsd.key_file import write_keys

TEXT = "a k1 k2\n\nb\nc  k3\na k3 k1\n"
KEYS = {"a": ("k1", "k2", "k3"), "b": (), "c": ("k3",)}


def test_read(tmp_path):
    path = tmp_path / "a.key.txt"
    path.write_text(TEXT)
    assert read_keys(path) == KEYS
    packed = tmp_path / "a.key.txt.gz"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    assert read_keys(packed) == KEYS


def test_write(tmp_path):
    path = tmp_path / "a.key.txt"
    write_keys(path, KEYS)
    assert path.read_text() == "a k1 k2 k3\nc k3\n"
    assert list(tmp_path.iterdir()) == [path]


def test_mistakes(tmp_path):
    path = tmp_path / "a.key.txt"
    with pytest.raises(InputError, match="a.key.txt: cannot be read"):
        read_keys(path)
    path.write_text("")
    with pytest.raises(InputError) as info:
        read_keys(path)
    assert str(info.value) == (
        f"{path}: empty file, expected the name of an instance and its sense "
        "keys a line"
    )
    path.write_bytes(b"a k\nb \xff\n")
    with pytest.raises(InputError, match="a.key.txt:2: byte 0xff"):
        read_keys(path)
