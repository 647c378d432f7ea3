"""A toy model and a server of it."""

import pytest

from tests.elmo_tf.serving import toy_model
from tests.elmo_tf.serving.running_server import RunningServer


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    """The folder of the toy model."""
    return toy_model.save(tmp_path_factory.mktemp("toy") / "model")


@pytest.fixture(scope="session")
def server(toy):
    """A server that nobody changes, of the model `toy`."""
    limits = {"max_body_bytes": 20_000, "max_rows": 100, "max_tokens": 200}
    with RunningServer({"toy": toy}, limits) as running:
        yield running
