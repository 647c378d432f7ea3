import glob
import os

import pytest
import tensorflow as tf

from elmo_tf.errors import InputError
from elmo_tf.training import durable_checkpoint_manager
from elmo_tf.training.durable_checkpoint_manager import DurableCheckpointManager
from elmo_tf.training.durable_checkpoint_manager import find_checkpoint


def make_manager(folder, value=0.0, max_to_keep=1):
    return DurableCheckpointManager(
        tf.train.Checkpoint(value=tf.Variable(value)),
        str(folder),
        max_to_keep=max_to_keep,
    )


def names(folder):
    return sorted(os.listdir(folder))


def test_a_new_process_overwrites_nothing(tmp_path):
    for number in range(1, 4):
        manager = make_manager(tmp_path)
        assert manager.save() == str(tmp_path / f"ckpt-{number}")
        assert find_checkpoint(str(tmp_path)) == manager.latest_checkpoint
    assert names(tmp_path) == [
        "checkpoint",
        "ckpt-3.data-00000-of-00001",
        "ckpt-3.index",
    ]


def test_on_the_disk_before_it_is_named(tmp_path, monkeypatch):
    """As after a power cut just when the file is synced."""
    make_manager(tmp_path).save()
    sync = durable_checkpoint_manager.sync
    synced = []

    def check(path):
        path = str(path)
        name = os.path.basename(path)
        if name.startswith("ckpt-2"):
            assert find_checkpoint(str(tmp_path)) == str(tmp_path / "ckpt-1")
            # The old one goes later still.
            assert (tmp_path / "ckpt-1.index").exists()
        synced.append(name)
        sync(path)

    monkeypatch.setattr(durable_checkpoint_manager, "sync", check)
    make_manager(tmp_path).save()
    folder = tmp_path.name
    assert sorted(synced[:2]) == ["ckpt-2.data-00000-of-00001", "ckpt-2.index"]
    assert synced[2:] == [folder, *["checkpoint", folder] * 2]
    assert not (tmp_path / "ckpt-1.index").exists()


def test_leftovers_of_a_killed_process(tmp_path):
    make_manager(tmp_path).save()
    expected = names(tmp_path)
    (tmp_path / "checkpoint.tmp0123abc").write_text("half")
    (tmp_path / "ckpt-2.index.tempstate12").write_text("half")
    (tmp_path / "ckpt-2.data-00000-of-00001").write_text("whole")
    (tmp_path / "ckpt-9_temp").mkdir()
    (tmp_path / "ckpt-9_temp" / "part").write_text("half")
    (tmp_path / "results.json").write_text("{}")
    manager = make_manager(tmp_path)
    # Reading changes nothing.
    assert (tmp_path / "ckpt-9_temp").exists()
    manager.save()
    assert names(tmp_path) == sorted(
        [
            "results.json",
            *(name.replace("ckpt-1", "ckpt-2") for name in expected),
        ]
    )


def test_killed_before_the_first_was_named(tmp_path, caplog):
    make_manager(tmp_path).save()
    os.remove(tmp_path / "checkpoint")
    assert find_checkpoint(str(tmp_path)) is None
    assert caplog.messages == [
        f"{tmp_path}/checkpoint: no such file: the checkpoint ckpt-1 is not "
        "complete and counts for nothing"
    ]
    make_manager(tmp_path).save()
    assert find_checkpoint(str(tmp_path)) == str(tmp_path / "ckpt-1")


def test_no_folder(tmp_path):
    assert find_checkpoint(str(tmp_path / "none")) is None


@pytest.fixture
def run(tmp_path):
    """A folder of two checkpoints."""
    manager = make_manager(tmp_path, max_to_keep=2)
    manager.save()
    manager.save()
    return tmp_path


def check_message(folder, message):
    for read in (
        lambda: find_checkpoint(str(folder)),
        lambda: make_manager(folder),
    ):
        with pytest.raises(InputError) as info:
            read()
        assert str(info.value) == message


def test_a_missing_pointer(run):
    os.remove(run / "checkpoint")
    check_message(
        run,
        f"{run}/checkpoint: no such file, expected one that names the last of "
        "the checkpoints ckpt-1, ckpt-2",
    )


@pytest.mark.parametrize("text", [b"\xff\xfe", b"model_check", b"a: 1", b"\0"])
def test_a_garbled_pointer(run, text):
    (run / "checkpoint").write_bytes(text)
    check_message(
        run,
        f"{run}/checkpoint: damaged: found something else than the name of the "
        "last checkpoint",
    )


def test_an_empty_pointer(run):
    (run / "checkpoint").write_bytes(b"")
    check_message(
        run,
        f"{run}/checkpoint: damaged: found 'nothing' as the last checkpoint, "
        "expected 'a name'",
    )


def test_a_pointer_to_another_one(run):
    pointer = run / "checkpoint"
    text = pointer.read_text().replace(
        'model_checkpoint_path: "ckpt-2"', 'model_checkpoint_path: "ckpt-1"', 1
    )
    pointer.write_text(text)
    check_message(
        run,
        f"{run}/checkpoint: damaged: found 'ckpt-1' as the last checkpoint, "
        "expected 'ckpt-2'",
    )


def test_a_missing_checkpoint(run):
    for path in glob.glob(f"{run}/ckpt-2.*"):
        os.remove(path)
    check_message(
        run,
        f"{run}/ckpt-2.index: no such file, expected the checkpoint that "
        f"{run}/checkpoint names",
    )
