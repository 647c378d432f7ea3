"""The versions of a model in a folder, the newest of which is served."""

import contextlib
import gc
import os
import threading

import grpc
import tensorflow as tf
from absl import logging
from tensorflow_serving.apis import get_model_status_pb2

from elmo_tf.errors import InputError
from elmo_tf.serving.serving_error import ServingError

_State = get_model_status_pb2.ModelVersionStatus.State


class ServedVersions:
    """The versions of a model in a folder, the newest of which is served.

    The folder is either that of a SavedModel, which is then version 1 and stays
    what it is, or holds one for each version, `1`, `2` and so on. `refresh`
    looks for the greatest number there: it loads that one beside the one that
    is served, puts it in its place, and lets go of the old one when its last
    request is answered. So a version is put back by removing the one after it.
    What cannot be loaded is tried again when its files have changed, as they
    are perhaps still being copied.

    Args:
        name: The model's name.
        path: The folder, or the name of a pre-trained biLM.
        load: A function from a folder and a version's number to what serves it,
            of which only its end is up to this class.
    """

    def __init__(self, name, path, load):
        self.name = name
        self._path = os.fspath(path)
        self._load = load
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        # From numbers to what `load` gave, and how many use it.
        self._loaded = {}
        self._n_users = {}
        self._current = None
        # From numbers to a state and an error's message.
        self._states = {}
        # From numbers to the files of which loading failed.
        self._failed = {}
        self._has_garbage = False

    def load_first(self):
        """Loads the newest version that can be.

        Raises:
            InputError: There is none.
        """
        folders = self._find()
        errors = []
        for version, folder in sorted(folders.items(), reverse=True):
            error = self._try(version, folder)
            if error is None:
                return
            errors.append(error)
        if errors:
            raise errors[0]
        raise InputError(
            f"{self._path}: expected a SavedModel, or folders 1, 2 … of them, "
            "found neither"
        )

    def refresh(self):
        """Serves the newest version; takes as long as loading it takes."""
        with self._refreshing:
            if self._has_garbage:
                self._has_garbage = False
                # Models hold on to themselves in circles, and Python would look
                # for these when there are two or three more of them.
                gc.collect()
            folders = self._find()
            if not folders:
                # As TensorFlow Serving does: better the old one than none.
                return
            version = max(folders)
            folder = folders[version]
            if version == self._current or (
                self._failed.get(version) == _describe_files(folder)
            ):
                return
            error = self._try(version, folder)
            if error is not None:
                logging.error("%s: %s", self.name, error)

    @contextlib.contextmanager
    def use(self, version=None):
        """Keeps a version from being unloaded.

        Args:
            version: Its number; None: the one that is served.

        Yields:
            What `load` gave.

        Raises:
            ServingError: The version is not served.
        """
        with self._lock:
            number = self._current if version is None else version
            if number not in self._loaded:
                wanted = (
                    f"Latest({self.name})"
                    if version is None
                    else f"Specific({self.name}, {version})"
                )
                raise ServingError(
                    grpc.StatusCode.NOT_FOUND,
                    f"Servable not found for request: {wanted}",
                )
            loaded = self._loaded[number]
            self._n_users[number] += 1
        try:
            yield loaded
        finally:
            with self._lock:
                self._n_users[number] -= 1
                self._unload_unused()

    def loaded(self):
        """Returns a list of what `load` gave and what is in use still."""
        with self._lock:
            return list(self._loaded.values())

    def status(self, version=None):
        """Tells of the versions.

        Args:
            version: The number of the only one wanted; None: of all.

        Returns:
            A `GetModelStatusResponse`, the newest version first.

        Raises:
            ServingError: There is no such version.
        """
        with self._lock:
            states = dict(self._states)
        if version is not None:
            if version not in states:
                raise ServingError(
                    grpc.StatusCode.NOT_FOUND,
                    f"Could not find version {version} of model {self.name}",
                )
            states = {version: states[version]}
        response = get_model_status_pb2.GetModelStatusResponse()
        for number in sorted(states, reverse=True):
            state, message = states[number]
            status = response.model_version_status.add(
                version=number, state=state
            )
            status.status.error_message = message
            if message:
                status.status.error_code = grpc.StatusCode.UNKNOWN.value[0]
        return response

    def _find(self):
        """Finds what there is to load: a dictionary from numbers to folders."""
        path = self._path
        if not os.path.exists(path):
            # A name, or `load` says what is wrong with it. Later, a folder that
            # is gone is like one that is empty.
            return {1: path} if self._current is None else {}
        if tf.saved_model.contains_saved_model(path):
            return {1: path}
        if not os.path.isdir(path):
            return {}
        folders = {}
        for name in os.listdir(path):
            folder = os.path.join(path, name)
            # As TensorFlow Serving, that takes 007 for 7 too.
            if (
                name.isascii()
                and name.isdigit()
                and len(name) < 19
                and int(name) > 0
                and tf.saved_model.contains_saved_model(folder)
            ):
                folders[int(name)] = folder
        return folders

    def _try(self, version, folder):
        """Loads a version and serves it; returns the error that it met."""
        files = _describe_files(folder)
        with self._lock:
            if version in self._loaded:
                # It is in use still, and the one after it is gone.
                self._serve(version)
                return None
            self._states[version] = _State.LOADING, ""
        try:
            loaded = self._load(folder, version)
        except Exception as error:
            if not isinstance(error, InputError):
                logging.exception("%s: %s", self.name, folder)
                error = InputError(f"{folder}: cannot be loaded: {error}")
            with self._lock:
                self._states[version] = _State.END, str(error)
                self._failed[version] = files
            return error
        with self._lock:
            self._failed.pop(version, None)
            self._loaded[version] = loaded
            self._n_users[version] = 0
            self._serve(version)
        return None

    def _serve(self, version):
        old, self._current = self._current, version
        self._states[version] = _State.AVAILABLE, ""
        if old is not None and old != version:
            self._states[old] = _State.UNLOADING, ""
        self._unload_unused()

    def _unload_unused(self):
        for number in [*self._loaded]:
            if number != self._current and self._n_users[number] == 0:
                del self._loaded[number], self._n_users[number]
                self._states[number] = _State.END, ""
                self._has_garbage = True


def _describe_files(folder):
    """Describes a folder's files: another result tells that it has changed."""
    found = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with contextlib.suppress(OSError):
                status = os.stat(path)
                found.append((path, status.st_size, status.st_mtime_ns))
    return sorted(found)
