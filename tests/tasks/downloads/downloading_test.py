"""The folder of a data set is whole or not there."""

import dataclasses
import os

import pytest

from elmo_tf.errors import InputError
from tasks.downloads import catalogue
from tasks.downloads import downloading
from tests.tasks.downloads import published


@pytest.fixture
def wnut17(server):
    """A data set of three files."""
    return published.publish(catalogue.find("wnut17"), server)


@pytest.fixture
def sst(server):
    """A data set in an archive."""
    return published.publish(catalogue.find("sst"), server)


def ignore(text):
    del text


def test_what_is_said(sst, wnut17, tmp_path):
    for data_set, steps in (
        (
            sst,
            [
                f"downloading {sst.files[0].address}",
                "unpacking 3 files",
                "counting trees",
            ],
        ),
        (
            wnut17,
            [
                *(f"downloading {file.address}" for file in wnut17.files),
                "counting sentences",
            ],
        ),
    ):
        said = []
        downloading.download(data_set, tmp_path / data_set.name, said.append)
        assert said == [data_set.describe(), *steps]


def test_progress(sst, tmp_path, capsys):
    downloading.download(sst, tmp_path / "sst", ignore)
    size = f"{sst.files[0].size / 1e6:.1f}"
    assert capsys.readouterr().err.startswith(
        f"read {size} of {size} MB | 0:00:00 left\n"
    )


def test_an_existing_folder_is_not_touched(sst, server, tmp_path):
    server.files.clear()
    folder = tmp_path / "folder"
    folder.mkdir()
    said = []
    with pytest.raises(InputError) as info:
        downloading.download(sst, folder, said.append)
    assert str(info.value) == f"{folder}: exists already; remove it first"
    assert said == []
    assert os.listdir(tmp_path) == ["folder"]
    assert os.listdir(folder) == []


def test_another_checksum_of_the_last_file(wnut17, tmp_path):
    *others, last = wnut17.files
    last = dataclasses.replace(last, sha256="0" * 64)
    data_set = dataclasses.replace(wnut17, files=(*others, last))
    with pytest.raises(InputError, match=f"^{last.address}: found the SHA"):
        downloading.download(data_set, tmp_path / "folder", ignore)
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_gone(wnut17, server, tmp_path):
    del server.files["emerging.dev.conll"]
    with pytest.raises(InputError) as info:
        downloading.download(wnut17, tmp_path / "folder", ignore)
    assert str(info.value) == (
        f"{server.address}emerging.dev.conll: found the HTTP status 404 (Not "
        "Found), expected 200"
    )
    assert os.listdir(tmp_path) == []


def test_an_archive_without_one_of_the_files(sst, server, tmp_path):
    (remote,) = sst.files
    outputs = {**remote.outputs, "more.txt": "trees/more.txt"}
    data_set = dataclasses.replace(
        sst, files=(dataclasses.replace(remote, outputs=outputs),)
    )
    with pytest.raises(InputError) as info:
        downloading.download(data_set, tmp_path / "folder", ignore)
    assert str(info.value) == (
        f"{remote.address}: found no trees/more.txt in the archive, expected "
        "it there"
    )
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_not_in_its_format(wnut17, tmp_path):
    def fail(path):
        assert os.path.exists(path)
        raise InputError("bad")

    data_set = dataclasses.replace(wnut17, count=fail)
    with pytest.raises(InputError, match="^bad$"):
        downloading.download(data_set, tmp_path / "folder", ignore)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("step", ["downloading", "unpacking", "counting"])
def test_an_interruption(sst, tmp_path, step):
    def interrupt(text):
        if text.startswith(step):
            assert len(os.listdir(tmp_path)) == 1
            assert not (tmp_path / "folder").exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        downloading.download(sst, tmp_path / "folder", interrupt)
    assert os.listdir(tmp_path) == []
    # Nothing stands in the way of the next attempt.
    downloading.download(sst, tmp_path / "folder", ignore)
    assert os.listdir(tmp_path) == ["folder"]
    assert sorted(os.listdir(tmp_path / "folder")) == [
        "dev.txt",
        "test.txt",
        "train.txt",
    ]
