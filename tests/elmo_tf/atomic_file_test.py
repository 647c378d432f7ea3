import errno
import io
import os
import stat

import h5py
import pytest

from elmo_tf import atomic_file
from elmo_tf.atomic_file import check_output_file
from elmo_tf.atomic_file import check_output_files
from elmo_tf.atomic_file import remove_abandoned
from elmo_tf.atomic_file import temporary_folder
from elmo_tf.atomic_file import write_file
from elmo_tf.atomic_file import write_folder
from elmo_tf.atomic_file import write_hdf5
from elmo_tf.errors import InputError


class TestFile:
    def test_replaces_when_complete(self, tmp_path):
        path = tmp_path / "file"
        path.write_text("old")
        with write_file(path) as partial:
            assert os.path.dirname(os.path.dirname(partial)) == str(tmp_path)
            with open(partial, "w") as file:
                file.write("new")
            assert path.read_text() == "old"
        assert path.read_text() == "new"
        assert os.listdir(tmp_path) == ["file"]

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_leaves_the_old_one_after_an_error(self, tmp_path, error):
        path = tmp_path / "file"
        path.write_text("old")
        with pytest.raises(error), write_file(path) as partial:
            with open(partial, "w") as file:
                file.write("half")
            raise error
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["file"]

    def test_nothing_was_written_yet(self, tmp_path):
        with pytest.raises(ValueError), write_file(tmp_path / "file"):
            raise ValueError
        assert os.listdir(tmp_path) == []


class TestHDF5:
    def test_complete(self, tmp_path):
        with write_hdf5(tmp_path / "file") as file:
            file["x"] = [1, 2]
            assert not (tmp_path / "file").exists()
        with h5py.File(tmp_path / "file") as file:
            assert file["x"][()].tolist() == [1, 2]

    def test_error(self, tmp_path):
        with pytest.raises(ValueError), write_hdf5(tmp_path / "file") as file:
            file["x"] = [1, 2]
            raise ValueError
        assert os.listdir(tmp_path) == []


class TestHDF5OnAFullDisk:
    """HDF5 alone would end the process."""

    @pytest.fixture
    def full(self, monkeypatch):
        write = io.FileIO.write

        def fail(disk, data):
            if disk.tell() > 100_000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(disk, data)

        monkeypatch.setattr(atomic_file._ForgivingFile, "write_part", fail)

    @pytest.mark.parametrize("size", [100, 60_000])
    def test_raises_soon(self, tmp_path, full, size):
        written = 0
        with pytest.raises(OSError) as info:
            with write_hdf5(tmp_path / "file") as file:
                for number in range(100_000):
                    file.create_dataset(str(number), data=[1.0] * size)
                    written += 1
        assert str(info.value) == (
            f"[Errno 28] No space left on device: '{tmp_path}/file'"
        )
        assert written < 5000
        assert os.listdir(tmp_path) == []

    def test_when_it_is_closed(self, tmp_path, full):
        with pytest.raises(OSError, match="No space left"):
            with write_hdf5(tmp_path / "file") as file:
                file["x"] = [1.0] * 100_000
        assert os.listdir(tmp_path) == []


class TestFolder:
    def test_complete(self, tmp_path):
        path = tmp_path / "new" / "folder"
        with write_folder(path) as partial:
            with open(os.path.join(partial, "file"), "w") as file:
                file.write("content")
            assert not path.exists()
        assert (path / "file").read_text() == "content"
        assert os.listdir(path.parent) == ["folder"]
        # As open to other users as a new folder is.
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(
            path.parent.stat().st_mode
        )

    def test_a_slash_at_the_end(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with write_folder("folder/"):
            pass
        assert os.listdir(tmp_path) == ["folder"]

    def test_error(self, tmp_path):
        with pytest.raises(ValueError), write_folder(tmp_path / "folder"):
            raise ValueError
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("make", [os.mkdir, "file", "link"])
    def test_something_is_there(self, tmp_path, make):
        path = tmp_path / "folder"
        if make == "file":
            path.write_text("precious")
        elif make == "link":
            path.symlink_to("nowhere")
        else:
            make(path)
        with pytest.raises(InputError) as error, write_folder(path):
            pass
        assert str(error.value) == f"{path}: exists already; remove it first"
        assert os.listdir(tmp_path) == ["folder"]


class TestCheckOutputFile:
    def test_good(self, tmp_path, monkeypatch):
        check_output_file(tmp_path / "new", [tmp_path / "other"])
        (tmp_path / "old").write_text("")
        check_output_file(str(tmp_path / "old"), [])
        monkeypatch.chdir(tmp_path)
        check_output_file("new", ["old"])

    @pytest.mark.parametrize("path", ["", ".", "none/file"])
    def test_no_file_in_a_folder(self, tmp_path, monkeypatch, path):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError) as error:
            check_output_file(path, [], label="--output=")
        assert str(error.value) == (
            f"--output={path}: expected a file in an existing folder"
        )

    def test_an_input(self, tmp_path):
        path = tmp_path / "file"
        path.write_text("")
        (tmp_path / "link").symlink_to("file")
        with pytest.raises(InputError) as error:
            check_output_file(tmp_path / "link", [tmp_path / "x", path])
        assert str(error.value) == (
            f"{tmp_path}/link: is one of the input files"
        )


class TestCheckOutputFiles:
    def test_good(self, tmp_path):
        check_output_files(
            {"--a=": f"{tmp_path}/a", "--b=": None, "--c=": f"{tmp_path}/c"},
            [tmp_path / "other"],
        )
        check_output_files({"--a=": None, "--b=": None}, [])

    def test_one_of_them_is_an_input(self, tmp_path):
        with pytest.raises(InputError) as error:
            check_output_files(
                {"--a=": f"{tmp_path}/a", "--b=": f"{tmp_path}/b"},
                [tmp_path / "b"],
            )
        assert str(error.value) == (
            f"--b={tmp_path}/b: is one of the input files"
        )

    def test_the_same_file_twice(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError) as error:
            check_output_files({"--a=": "file", "--b=": "./file"}, [])
        assert str(error.value) == (
            "--b=./file: expected another file than in --a=file"
        )


def killed(function, *arguments):
    """Leaves what a process leaves that is killed while it writes."""
    child = os.fork()
    if child == 0:
        with function(*arguments) as partial:
            with (
                open(os.path.join(partial, "x"), "w")
                if os.path.isdir(partial)
                else open(partial, "w") as file
            ):
                file.write("half")
            os._exit(0)
    os.waitpid(child, 0)


class TestAfterAKill:
    @pytest.mark.parametrize("write", [write_file, write_folder])
    def test_the_next_one_clears_away(self, tmp_path, write):
        path = tmp_path / "name"
        for _ in range(3):
            killed(write, path)
            assert not path.exists()
            assert len(os.listdir(tmp_path)) == 1
        with write(path) as partial:
            if write is write_file:
                open(partial, "w").close()
        assert os.listdir(tmp_path) == ["name"]

    def test_of_a_living_process_nothing_goes(self, tmp_path):
        path = tmp_path / "name"
        with write_file(path) as first:
            with open(first, "w") as file:
                file.write("first")
            with write_file(path) as second:
                with open(second, "w") as file:
                    file.write("second")
            assert path.read_text() == "second"
        assert path.read_text() == "first"
        assert os.listdir(tmp_path) == ["name"]

    def test_removed_by_who_has_nothing_to_write(self, tmp_path):
        for name in ("a", "a-b"):
            killed(write_file, tmp_path / name)
        with write_file(tmp_path / "c") as partial:
            open(partial, "w").close()
            remove_abandoned(tmp_path, {"a"})
            (other, own) = sorted(os.listdir(tmp_path))
            assert "partial-a-b-" in other and "partial-c-" in own
            remove_abandoned(tmp_path, {"a-b", "c"})
            assert os.listdir(tmp_path) == [own]
        assert os.listdir(tmp_path) == ["c"]
        remove_abandoned(tmp_path / "none", {"a"})

    def test_temporary_folder(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        killed(temporary_folder, "words")
        (left,) = os.listdir(tmp_path)
        with temporary_folder("words") as folder:
            assert os.path.dirname(folder) == str(tmp_path)
            assert os.listdir(tmp_path) == [os.path.basename(folder)] != [left]
        assert os.listdir(tmp_path) == []


class TestOrderOnDisk:
    """After a power cut there is what was synced before it was renamed."""

    NAMES = ("fsync", "replace", "rename")

    @pytest.fixture
    def calls(self, monkeypatch):
        calls = []
        originals = [(name, getattr(os, name)) for name in self.NAMES]
        for name, original in originals:

            def call(*arguments, name=name, original=original):
                first = arguments[0]
                if name == "fsync":
                    first = os.readlink(f"/proc/self/fd/{first}")
                calls.append((name, os.path.basename(first)))
                return original(*arguments)

            monkeypatch.setattr(os, name, call)
        return calls

    def test_file(self, tmp_path, calls):
        with write_file(tmp_path / "file") as partial:
            open(partial, "w").close()
        assert calls == [
            ("fsync", "file"),
            ("replace", "file"),
            ("fsync", tmp_path.name),
        ]

    def test_folder(self, tmp_path, calls):
        with write_folder(tmp_path / "folder") as partial:
            os.mkdir(os.path.join(partial, "inner"))
            open(os.path.join(partial, "inner", "file"), "w").close()
        assert calls == [
            ("fsync", "folder"),
            ("fsync", "file"),
            ("fsync", "inner"),
            ("rename", "folder"),
            ("fsync", tmp_path.name),
        ]


class TestDiskErrors:
    """They name what was to be written, whoever raises them."""

    @pytest.mark.parametrize(
        "error",
        [
            OSError(errno.ENOSPC, "No space left on device"),
            RuntimeError("x/ckpt-1.data; No space left on device"),
        ],
    )
    def test_full_disk(self, tmp_path, error):
        with pytest.raises(OSError) as info, write_file(tmp_path / "file"):
            raise error
        assert str(info.value) == (
            f"[Errno 28] No space left on device: '{tmp_path}/file'"
        )
        assert os.listdir(tmp_path) == []

    def test_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError) as info:
            with write_file(tmp_path / "none" / "file"):
                pass
        assert info.value.filename == f"{tmp_path}/none/file"

    @pytest.mark.parametrize(
        "error",
        [
            FileNotFoundError(errno.ENOENT, "No such file", "input"),
            OSError(errno.EIO, "Input/output error"),
            InputError("input: No space left on device"),
            KeyError("x"),
        ],
    )
    def test_others_stay(self, tmp_path, error):
        with pytest.raises(type(error)) as info, write_file(tmp_path / "file"):
            raise error
        assert info.value is error
