"""The scan that finds bad data before training."""

import gzip

import pytest

from elmo_tf.errors import InputError
from elmo_tf.text import shards
from elmo_tf.text.corpus import CorpusReader
from elmo_tf.text.corpus_statistics import CorpusStatistics
from elmo_tf.text.corpus_statistics import scan


@pytest.mark.parametrize("block_size", [1, 5, 1 << 20])
def test_counts(tmp_path, block_size, monkeypatch):
    monkeypatch.setattr(shards, "_BLOCK_SIZE", block_size)
    (tmp_path / "a.txt").write_bytes("a b\n\nc\u00a0d e\r\nlast".encode())
    (tmp_path / "b.txt").write_bytes(gzip.compress(b"\nx y\n\n"))
    statistics = scan(f"{tmp_path}/*")
    assert statistics == CorpusStatistics(shards=2, sentences=7, tokens=8)
    assert statistics.targets == 15


def test_targets_are_those_of_one_pass(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b\n\nc d e\n")
    reader = CorpusReader(path, 1, scan(path).targets, seed=0, shuffle=False)
    first, _ = reader.next_window()
    second, _ = reader.next_window()
    assert first.tolist() == second.tolist()
    assert first[0, 0] == b"<S>"


def test_progress(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b\n" * 1_000_000)
    calls = []
    scan(path, lambda done, total: calls.append((done, total)))
    assert calls[-1] == (4_000_000, 4_000_000)
    assert len(calls) >= 4


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", ": empty file, expected one sentence a line"),
        (b"\n \n", ": no token in 2 blank lines, expected one sentence a line"),
        (
            b"\xef\xbb\xbf",
            ": no token in 0 blank lines, expected one sentence a line",
        ),
        (
            b"a\nb \xe9\n",
            ":2: byte 0xe9 at position 3 of the line is not UTF-8 (invalid "
            "continuation byte); expected UTF-8 text, plain or gzip",
        ),
        (
            gzip.compress(b"a\nb\n" * 1000, mtime=0)[:-4],
            ":1: damaged gzip file (Compressed file ended before the "
            "end-of-stream marker was reached); the lines before this one are "
            "intact",
        ),
    ],
)
def test_bad_shards(tmp_path, content, message):
    (tmp_path / "a.txt").write_bytes(b"good\n")
    path = tmp_path / "b.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as info:
        scan(f"{tmp_path}/*")
    assert str(info.value) == f"{path}{message}"


def test_missing(tmp_path):
    with pytest.raises(InputError, match="none.txt: no such file$"):
        scan(tmp_path / "none.txt")
