"""What is taken out of archives, and what is said about bad ones."""

import io
import os
import tarfile

import pytest

from elmo_tf.errors import InputError
from tasks.downloads.archives import extract
from tests.tasks.downloads.published import make_tar
from tests.tasks.downloads.published import make_zip

MAKERS = pytest.mark.parametrize("make", [make_zip, make_tar])
LABEL = "https://somewhere/archive"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    return path


@pytest.fixture
def write(tmp_path):
    """A function that writes an archive and returns its path."""

    def write_archive(content):
        path = tmp_path / "archive"
        path.write_bytes(content)
        return path

    return write_archive


def message_of(path, members, folder):
    with pytest.raises(InputError) as info:
        extract(path, members, folder, LABEL)
    message = str(info.value)
    assert "\n" not in message
    return message


def list_files(folder):
    return sorted(
        os.path.relpath(os.path.join(parent, name), folder)
        for parent, _, names in os.walk(folder)
        for name in names
    )


@MAKERS
def test_named_files_alone_are_taken_out(write, folder, make):
    path = write(
        make(
            {
                "../evil.txt": "out of the folder",
                "/evil.txt": "anywhere",
                "top/a.txt": "first é\n",
                "a.txt": "another",
                "top/b.txt": "x" * 100_000,
            }
        )
    )
    calls = []
    extract(
        path,
        {"b/c.txt": "top/b.txt", "a.txt": "top/a.txt"},
        folder,
        LABEL,
        lambda *call: calls.append(call),
    )
    assert list_files(folder.parent) == [
        "archive",
        "folder/a.txt",
        "folder/b/c.txt",
    ]
    assert (folder / "a.txt").read_text("utf-8") == "first é\n"
    assert (folder / "b" / "c.txt").read_text() == "x" * 100_000
    size = path.stat().st_size
    assert len(calls) == 2
    assert all(0 < done <= total == size for done, total in calls)


def test_names_in_a_tar_file_may_begin_with_a_dot(write, folder):
    path = write(make_tar({"./top/a.txt": "text"}))
    extract(path, {"a.txt": "top/a.txt"}, folder, LABEL)
    assert (folder / "a.txt").read_text() == "text"


def test_a_link_in_a_tar_file_is_not_followed(write, folder):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        link = tarfile.TarInfo("a.txt")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        archive.addfile(link)
    path = write(raw.getvalue())
    assert message_of(path, {"a.txt": "a.txt"}, folder) == (
        f"{LABEL}: found no a.txt in the archive, expected it there"
    )
    assert list_files(folder) == []


@MAKERS
def test_a_file_is_missing(write, folder, make):
    path = write(make({"top/a.txt": "", "b.txt": ""}))
    members = {"a": "a.txt", "b": "b.txt", "c": "c.txt"}
    assert message_of(path, members, folder) == (
        f"{LABEL}: found no a.txt, c.txt in the archive, expected it there"
    )


def test_not_an_archive(write, folder):
    assert message_of(write(b"<html>"), {"a": "a"}, folder) == (
        f"{LABEL}: cannot be read as an archive: File is not a zip file"
    )


def test_an_empty_file(write, folder):
    assert message_of(write(b""), {"a": "a"}, folder) == (
        f"{LABEL}: cannot be read as an archive: File is not a zip file"
    )


@MAKERS
def test_half_an_archive(write, folder, make):
    content = make({"a.txt": os.urandom(100_000).hex()})
    path = write(content[: len(content) // 2])
    assert message_of(path, {"a": "a.txt"}, folder).startswith(
        f"{LABEL}: cannot be read as an archive: "
    )


@pytest.mark.parametrize("place", [0.001, 0.3, 0.5, 0.8])
def test_damage(write, folder, place):
    content = bytearray(make_zip({"a.txt": os.urandom(100_000).hex()}))
    start = int(place * len(content))
    content[start : start + 100] = bytes(100)
    path = write(bytes(content))
    assert message_of(path, {"a": "a.txt"}, folder).startswith(
        f"{LABEL}: cannot be read as an archive: "
    )


def test_an_encrypted_zip_file(write, folder):
    content = bytearray(make_zip({"a.txt": "text"}))
    # The flag in both headers.
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    path = write(bytes(content))
    assert "password required" in message_of(path, {"a": "a.txt"}, folder)
