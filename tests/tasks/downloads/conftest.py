"""A web server on this machine."""

import pytest

from tests.tasks.downloads.file_server import FileServer


@pytest.fixture
def server(monkeypatch):
    """A `FileServer` that runs during the test."""
    # Whatever proxy stands between this machine and others.
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with FileServer() as running:
        yield running
