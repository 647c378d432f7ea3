"""Tells at once what happens in a folder."""

import ctypes
import os
import select
import struct

_EVENT = struct.Struct("iIII")
_CREATE, _DELETE, _MOVED_TO = 0x100, 0x200, 0x80
_MODIFY, _CLOSE_WRITE = 0x2, 0x8
_IS_FOLDER = 0x40000000
_EVENTS = _CREATE | _DELETE | _MOVED_TO | _MODIFY | _CLOSE_WRITE


class FolderWatch:
    """Watches a folder and all folders in it, by Linux' inotify.

    Args:
        folder: The folder.

    Attributes:
        n_events: How many files were made, written, closed, renamed or removed
            until now.
    """

    def __init__(self, folder):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._file < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._folders = {}
        self.n_events = 0
        self._add(folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._file)

    def wait(self, seconds):
        """Waits for events, at most so long, and counts them."""
        if select.select([self._file], [], [], seconds)[0]:
            self._read()

    def _read(self):
        try:
            data = os.read(self._file, 1 << 16)
        except BlockingIOError:
            return
        start = 0
        while start < len(data):
            number, mask, _, n_bytes = _EVENT.unpack_from(data, start)
            start += _EVENT.size
            name = os.fsdecode(data[start : start + n_bytes].rstrip(b"\0"))
            start += n_bytes
            self.n_events += 1
            if mask & _IS_FOLDER and mask & (_CREATE | _MOVED_TO):
                self._add(os.path.join(self._folders[number], name))

    def _add(self, folder):
        number = self._libc.inotify_add_watch(
            self._file, os.fsencode(folder), _EVENTS
        )
        # It may be gone again.
        if number >= 0:
            self._folders[number] = folder
            for entry in os.scandir(folder):
                # Made before the folder was watched.
                self.n_events += 1
                if entry.is_dir(follow_symlinks=False):
                    self._add(entry.path)
