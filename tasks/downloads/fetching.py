"""Downloads a file and checks that it is the one that was meant."""

import hashlib
import http.client
import urllib.error
import urllib.request

from elmo_tf.errors import InputError

_CHUNK_SIZE = 1 << 18
_TIMEOUT_SECONDS = 60


def fetch(remote, path, progress=None):
    """Downloads a file.

    Args:
        remote: The `RemoteFile`.
        path: The file to write. After an error its content is worthless.
        progress: A function called after each piece with two ints, the bytes
            read so far and in all; not called where the latter is unknown.

    Raises:
        InputError: The address cannot be read, or what lies there does not
            have the expected size or checksum.
        OSError: The file cannot be written.
    """
    checksum = hashlib.sha256()
    done = 0
    with _open(remote) as response, open(path, "wb") as file:
        # None where the server does not say.
        announced = response.length
        size = remote.size or announced
        if announced is not None:
            # Known before all of a wrong file is downloaded.
            _check_size(remote, announced, size)
        while chunk := _read(response, remote):
            done += len(chunk)
            checksum.update(chunk)
            file.write(chunk)
            if progress is not None and size is not None:
                progress(done, size)
    if size is not None:
        _check_size(remote, done, size)
    found = checksum.hexdigest()
    if found != remote.sha256:
        raise InputError(
            f"{remote.address}: found the SHA-256 checksum {found}, expected "
            f"{remote.sha256}"
        )


def _open(remote):
    try:
        # The addresses stand in this package.
        return urllib.request.urlopen(  # noqa: S310
            remote.address, timeout=_TIMEOUT_SECONDS
        )
    except urllib.error.HTTPError as error:
        error.close()
        raise InputError(
            f"{remote.address}: found the HTTP status {error.code} "
            f"({error.reason}), expected 200"
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise _network_error(remote, error) from error


def _read(response, remote):
    try:
        return response.read(_CHUNK_SIZE)
    except (OSError, http.client.HTTPException) as error:
        raise _network_error(remote, error) from error


def _network_error(remote, error):
    # urllib wraps what happened while it connects, and only that.
    cause = getattr(error, "reason", error)
    reason = (
        getattr(cause, "strerror", None) or str(cause).strip() or repr(cause)
    )
    return InputError(f"{remote.address}: cannot be downloaded: {reason}")


def _check_size(remote, found, expected):
    if found != expected:
        raise InputError(
            f"{remote.address}: found {found:,} bytes, expected {expected:,}"
        )
