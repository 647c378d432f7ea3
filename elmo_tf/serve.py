"""Serves models over TensorFlow Serving's REST and gRPC APIs.

    python -m elmo_tf.serve --model=NAME:DIR --rest_port=8501 --grpc_port=8500

DIR is the folder of a SavedModel of any kind, of versions `1`, `2` … of one, or
the name of a pre-trained biLM: mini. SIGTERM and Ctrl-C end it, once what runs
is answered.
"""

import asyncio
import sys

from absl import flags

from elmo_tf import command_line
from elmo_tf.serving.bearer_token import BearerToken
from elmo_tf.serving.embedded_server import Address
from elmo_tf.serving.embedded_server import EmbeddedServer
from elmo_tf.serving.limits import Limits
from elmo_tf.serving.model_server import ModelServer
from elmo_tf.serving.model_server import read_models

FLAGS = flags.FLAGS

flags.DEFINE_multi_string("model", [], "NAME:DIR; may be given several times.")
flags.DEFINE_string("host", "127.0.0.1", "Where to listen.")
flags.DEFINE_integer("rest_port", 8501, "0: any that is free; -1: none.", -1)
flags.DEFINE_integer("grpc_port", 8500, "0: any that is free; -1: none.", -1)
flags.DEFINE_string("token_file", None, "File of the bearer token to ask for.")
flags.DEFINE_string("tls_cert", None, "File of the certificate chain, PEM.")
flags.DEFINE_string("tls_key", None, "File of its key, PEM.")
flags.DEFINE_integer("workers", 1, "How many batches run at once.", 1)
flags.DEFINE_integer("max_batch_size", 32, "Most rows joined; 1: none.", 1)
flags.DEFINE_float(
    "batch_timeout", 0.0, "Seconds that a request waits for others.", 0.0
)
flags.DEFINE_integer("max_queue", 256, "Most waiting requests of a model.", 1)
flags.DEFINE_integer("max_rows", 256, "Most rows of a request.", 1)
flags.DEFINE_integer(
    "max_tokens", 2**14, "Most tokens of a request, padding included.", 1
)
flags.DEFINE_integer("max_body_bytes", 2**24, "Longest request.", 1)
flags.DEFINE_float("timeout", 30.0, "Most seconds that a request takes.", 0.01)
flags.DEFINE_float(
    "poll_seconds", 2.0, "Between two looks for new versions.", 0.01
)
flags.DEFINE_float(
    "grace_seconds", 30.0, "For requests that still run at the end.", 0.0
)


def main(_):
    token = FLAGS.token_file and BearerToken.from_file(FLAGS.token_file)
    rest_port, grpc_port = (
        None if port == -1 else port
        for port in (FLAGS.rest_port, FLAGS.grpc_port)
    )
    address = Address(
        *(FLAGS.host, rest_port, grpc_port, token),
        *(FLAGS.tls_cert, FLAGS.tls_key),
    )
    if token is None and not address.is_loopback:
        print(
            f"warning: --host={FLAGS.host}: whoever reaches it may use it; "
            "--token_file asks for a token",
            file=sys.stderr,
        )
    limits = (FLAGS.max_body_bytes, FLAGS.max_rows, FLAGS.max_tokens)
    models = ModelServer(
        read_models(FLAGS.model),
        Limits(*limits, FLAGS.max_queue, FLAGS.timeout),
        *(FLAGS.workers, FLAGS.max_batch_size, FLAGS.batch_timeout),
    )
    server = EmbeddedServer(
        models, address, FLAGS.poll_seconds, FLAGS.grace_seconds
    )

    def report():
        ports = {"rest_port": server.rest_port, "grpc_port": server.grpc_port}
        command_line.print_json({"host": address.host, **ports})

    asyncio.run(server.run(report))


if __name__ == "__main__":
    command_line.run(main)
