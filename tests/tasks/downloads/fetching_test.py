"""Downloads from a server on this machine, and what can go wrong with them."""

import hashlib
import socket
import time

import pytest

from elmo_tf.errors import InputError
from tasks.downloads import fetching
from tasks.downloads.remote_file import RemoteFile

CONTENT = bytes(range(256)) * 4096
SIZE = len(CONTENT)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


@pytest.fixture
def remote(server):
    """A file that can be downloaded; a function with what is said of it."""
    server.files["file.zip"] = CONTENT

    def make(name="file.zip", sha256=SHA256, size=SIZE):
        return RemoteFile(server.address + name, sha256, {}, size)

    return make


def message_of(remote, path):
    with pytest.raises(InputError) as info:
        fetching.fetch(remote, path)
    message = str(info.value)
    assert "\n" not in message
    address, _, rest = message.partition(": ")
    assert address == remote.address
    return rest


@pytest.mark.parametrize("size", [SIZE, None])
def test_the_file_and_the_progress(remote, path, size):
    calls = []
    fetching.fetch(remote(size=size), path, lambda *call: calls.append(call))
    assert path.read_bytes() == CONTENT
    assert len(calls) > 1
    assert calls == sorted(calls)
    assert {total for _, total in calls} == {SIZE}
    assert calls[-1][0] == SIZE


def answer_without_length(handler):
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(CONTENT)


def test_the_server_does_not_say_how_much(server, remote, path):
    server.files["file"] = answer_without_length
    calls = []
    fetching.fetch(
        remote("file", size=None), path, lambda *call: calls.append(call)
    )
    assert path.read_bytes() == CONTENT
    assert calls == []
    short = remote("file", size=SIZE + 1)
    assert message_of(short, path) == (
        "found 1,048,576 bytes, expected 1,048,577"
    )


def test_a_redirection_is_followed(server, remote, path):
    def redirect(handler):
        handler.send_response(302)
        handler.send_header("Location", "/file.zip")
        handler.end_headers()

    server.files["old.zip"] = redirect
    fetching.fetch(remote("old.zip"), path)
    assert path.read_bytes() == CONTENT


def test_another_checksum(remote, path):
    expected = "0" * 64
    assert message_of(remote(sha256=expected), path) == (
        f"found the SHA-256 checksum {SHA256}, expected {expected}"
    )


def test_one_bit_of_the_file_is_another(server, remote, path):
    changed = CONTENT[:-1] + b"\xfe"
    server.files["file.zip"] = changed
    assert message_of(remote(), path) == (
        f"found the SHA-256 checksum {hashlib.sha256(changed).hexdigest()}, "
        f"expected {SHA256}"
    )


def test_another_size_is_seen_at_once(server, remote, path):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "99")
        handler.end_headers()

    server.files["file.zip"] = answer
    assert message_of(remote(), path) == "found 99 bytes, expected 1,048,576"
    assert path.read_bytes() == b""


@pytest.mark.parametrize("size", [SIZE, None])
def test_the_connection_breaks(server, remote, path, size):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(SIZE))
        handler.end_headers()
        handler.wfile.write(CONTENT[:5])

    server.files["file.zip"] = answer
    assert message_of(remote(size=size), path) == (
        "found 5 bytes, expected 1,048,576"
    )


def test_the_connection_breaks_in_a_chunk(server, remote, path):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"10\r\nabc")

    server.files["file.zip"] = answer
    assert message_of(remote(), path).startswith(
        "cannot be downloaded: IncompleteRead("
    )


def test_the_connection_is_reset(server, remote, path):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(SIZE))
        handler.end_headers()
        handler.wfile.flush()
        # What is not read yet makes the kernel reset the connection.
        handler.connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
        )
        handler.connection.close()

    server.files["file.zip"] = answer
    assert message_of(remote(), path) == (
        "cannot be downloaded: Connection reset by peer"
    )


@pytest.mark.parametrize("part", ["head", "body"])
def test_the_server_falls_silent(server, remote, path, monkeypatch, part):
    monkeypatch.setattr(fetching, "_TIMEOUT_SECONDS", 0.1)

    def answer(handler):
        if part == "body":
            handler.send_response(200)
            handler.send_header("Content-Length", str(SIZE))
            handler.end_headers()
            handler.wfile.write(CONTENT[:5])
            handler.wfile.flush()
        time.sleep(0.5)

    server.files["file.zip"] = answer
    assert message_of(remote(), path) == "cannot be downloaded: timed out"


def test_no_such_file(remote, path):
    assert message_of(remote("other.zip"), path) == (
        "found the HTTP status 404 (Not Found), expected 200"
    )


def test_no_answer_of_http(server, remote, path):
    server.files["file.zip"] = lambda handler: handler.wfile.write(b"hello\n")
    assert message_of(remote(), path) == "cannot be downloaded: hello"


def test_no_server(path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/file.zip"
        assert message_of(RemoteFile(address, SHA256, {}), path) == (
            "cannot be downloaded: Connection refused"
        )


def test_no_such_host(path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")

    def fail(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", fail)
    remote = RemoteFile("https://nowhere.example/file.zip", SHA256, {})
    assert message_of(remote, path) == (
        "cannot be downloaded: Name or service not known"
    )


def test_the_disk_is_full(remote):
    with pytest.raises(OSError, match="No space left on device") as info:
        fetching.fetch(remote(), "/dev/full")
    assert not isinstance(info.value, InputError)
