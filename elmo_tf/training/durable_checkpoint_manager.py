"""Checkpoints that a killed process or a power cut cannot spoil."""

import glob
import os
import shutil

import tensorflow as tf
from absl import logging
from google.protobuf import text_format
from tensorflow.python.training.checkpoint_state_pb2 import CheckpointState

from elmo_tf.atomic_file import sync
from elmo_tf.errors import InputError

# TensorFlow's file that names the last checkpoint.
POINTER_FILE_NAME = "checkpoint"


class DurableCheckpointManager(tf.train.CheckpointManager):
    """A checkpoint manager of which nothing is lost at any moment.

    A checkpoint is named the last one when it is on the disk, not before, and
    older ones go after that. It never takes the place of one that is there:
    the numbers go on where those of an earlier process ended. What a killed
    process left behind, this one removes when it first writes.

    Args:
        checkpoint: As in the base class.
        directory: As in the base class.
        **options: As in the base class.

    Raises:
        InputError: The file that names the last checkpoint is missing or
            damaged.
    """

    def __init__(self, checkpoint, directory, **options):
        find_checkpoint(directory)
        super().__init__(checkpoint, directory, **options)
        self._has_written = False
        self._path_on_disk = None

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        if not self._has_written:
            _remove_leftovers(self.directory)
            self._has_written = True
        if self.latest_checkpoint is not None and checkpoint_number is None:
            last = int(self.latest_checkpoint.rsplit("-", 1)[1])
            counter = self.checkpoint.save_counter
            counter.assign(max(last, int(counter.numpy())))
        return super().save(checkpoint_number, check_interval, options)

    def _record_state(self):
        # The base class calls this between the writing of a checkpoint and the
        # removal of an old one, and once more in the end.
        if self.latest_checkpoint != self._path_on_disk:
            for path in glob.glob(f"{glob.escape(self.latest_checkpoint)}.*"):
                sync(path)
            sync(self.directory)
            self._path_on_disk = self.latest_checkpoint
        super()._record_state()
        sync(os.path.join(self.directory, POINTER_FILE_NAME))
        sync(self.directory)


def find_checkpoint(folder):
    """Finds the last checkpoint.

    Args:
        folder: The folder of checkpoints, which need not exist.

    Returns:
        The checkpoint's path, without the endings of its files; None: there is
        no checkpoint.

    Raises:
        InputError: The file that names it is missing or damaged, or names one
            that is not there.
    """
    pointer = os.path.join(folder, POINTER_FILE_NAME)
    if not os.path.lexists(pointer):
        _check_no_checkpoints(folder, pointer)
        return None
    try:
        with open(pointer, encoding="utf-8") as file:
            state = text_format.Parse(file.read(), CheckpointState())
    except (text_format.ParseError, UnicodeDecodeError):
        raise InputError(
            f"{pointer}: damaged: found something else than the name of the "
            "last checkpoint"
        ) from None
    last = state.model_checkpoint_path
    names = list(state.all_model_checkpoint_paths)
    if not last or names and names[-1] != last:
        raise InputError(
            f"{pointer}: damaged: found {last or 'nothing'!r} as the last "
            f"checkpoint, expected {names[-1] if names else 'a name'!r}"
        )
    path = os.path.join(folder, last)
    if not os.path.exists(f"{path}.index"):
        raise InputError(
            f"{path}.index: no such file, expected the checkpoint that "
            f"{pointer} names"
        )
    return path


def _check_no_checkpoints(folder, pointer):
    """Without the pointer there may be one checkpoint at most.

    A process may have been killed before its first one was complete.
    """
    names = sorted(
        os.path.basename(path).removesuffix(".index")
        for path in glob.glob(os.path.join(glob.escape(folder), "ckpt-*.index"))
    )
    if len(names) > 1:
        raise InputError(
            f"{pointer}: no such file, expected one that names the last of "
            f"the checkpoints {', '.join(names)}"
        )
    if names:
        logging.warning(
            "%s: no such file: the checkpoint %s is not complete and counts "
            "for nothing",
            pointer,
            names[0],
        )


def _remove_leftovers(folder):
    """Removes what killed processes have left of TensorFlow's writing."""
    folder = glob.escape(folder)
    for pattern in (f"{POINTER_FILE_NAME}.tmp*", "ckpt-*.tempstate*"):
        for path in glob.glob(os.path.join(folder, pattern)):
            os.remove(path)
    for path in glob.glob(os.path.join(folder, "ckpt-*_temp")):
        shutil.rmtree(path, ignore_errors=True)
    for path in glob.glob(os.path.join(folder, "ckpt-*.data-?????-of-?????")):
        if not os.path.exists(f"{path.rsplit('.', 1)[0]}.index"):
            os.remove(path)
