import os
import subprocess

import pytest

from elmo_tf.checksums import check_checksums
from elmo_tf.checksums import check_files
from elmo_tf.checksums import remove_checksums
from elmo_tf.checksums import write_checksums
from elmo_tf.errors import InputError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_bytes(b"a" * 1000)
    (tmp_path / "inner" / "b").write_bytes(b"")
    write_checksums(tmp_path)
    return tmp_path


def test_nothing_changed(folder):
    check_checksums(folder)
    check_files(folder / "a.txt", None, folder / "inner" / "b")
    subprocess.run(
        ["sha256sum", "--check", "--quiet", "SHA256SUMS"],
        cwd=folder,
        check=True,
    )


def test_a_flipped_bit(folder):
    path = folder / "a.txt"
    status = path.stat()
    path.write_bytes(b"a" * 500 + b"c" + b"a" * 499)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    for check in (
        lambda: check_checksums(folder),
        lambda: check_files(path),
        lambda: check_checksums(folder, ["a.txt"]),
    ):
        with pytest.raises(InputError) as info:
            check()
        assert str(info.value) == (
            f"{path}: damaged or changed: found the SHA-256 "
            "9cef407894f4c0ef…, expected 41edece42d63e8d9… as in "
            f"{folder}/SHA256SUMS; if it was changed on purpose, remove its "
            "line there"
        )
    check_checksums(folder, ["inner/b"])
    check_checksums(folder, but_not="a")
    remove_checksums(folder)
    check_checksums(folder)
    remove_checksums(folder)


def test_a_missing_file(folder):
    os.remove(folder / "inner" / "b")
    with pytest.raises(InputError) as info:
        check_checksums(folder)
    assert str(info.value) == (
        f"{folder}/inner/b: no such file, expected it as {folder}/SHA256SUMS "
        "lists it"
    )


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\xff", ": damaged: expected UTF-8 text of SHA-256 sums"),
        (
            b"01234 a.txt\n",
            ":1: found '01234 a.txt', expected a SHA-256, two spaces and a "
            "file's name",
        ),
    ],
)
def test_damaged_checksums(folder, data, message):
    (folder / "SHA256SUMS").write_bytes(data)
    with pytest.raises(InputError) as info:
        check_checksums(folder)
    assert str(info.value) == f"{folder}/SHA256SUMS{message}"


def test_no_checksums(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("")
    check_files("x")
    check_checksums(tmp_path)
