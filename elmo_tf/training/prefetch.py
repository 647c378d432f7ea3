"""Prepares items in the background while the last one is being used."""

import queue
import threading


class Prefetcher:
    """Runs an iterator in a thread, a few items ahead.

    Args:
        iterator: The iterator; an exception in it is raised by `next`.
        depth: How many items to prepare ahead.
    """

    def __init__(self, iterator, depth=4):
        self._iterator = iterator
        self._queue = queue.Queue(maxsize=depth)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def __iter__(self):
        return self

    def __next__(self):
        item, error = self._queue.get()
        if error is not None:
            # Later calls end likewise instead of waiting for ever.
            self._queue.put((None, error))
            raise error
        return item

    def close(self):
        """Stops the thread and drops what it prepared."""
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self._queue.get_nowait()
            except queue.Empty:
                self._thread.join(timeout=0.01)

    def _work(self):
        try:
            for item in self._iterator:
                self._queue.put((item, None))
                if self._stopped.is_set():
                    return
            self._queue.put((None, StopIteration()))
        except Exception as error:
            self._queue.put((None, error))
