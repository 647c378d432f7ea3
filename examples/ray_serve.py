"""TensorFlow Serving's two APIs on Ray Serve, by several replicas.

    python -m examples.ray_serve --model=mini:mini --replicas=2

`elmo_tf.serving.Client` asks it as it asks the embedded server and TensorFlow
Serving. Ray Serve's proxy chooses the replica for each request; in the replica
requests are joined into batches and answered by what the embedded server
consists of. docs/embedded_server.md tells what is gained and what is lost.

Its gRPC port is open to every machine that reaches this one: Ray Serve knows
neither an address to listen on nor TLS nor tokens there.
"""

import contextlib
import signal
import sys

import ray
from absl import flags
from ray import serve
from starlette.responses import Response
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import predict_pb2

from elmo_tf import command_line
from elmo_tf.bulk.shard_embedder import use_threads
from elmo_tf.serving import rest_protocol
from elmo_tf.serving.grpc_api import PredictionService
from elmo_tf.serving.model_server import ModelServer
from elmo_tf.serving.model_server import read_models
from elmo_tf.serving.serving_error import ServingError

FLAGS = flags.FLAGS

_SERVICE = (
    "tensorflow_serving.apis.prediction_service_pb2_grpc."
    "add_PredictionServiceServicer_to_server"
)


class Replica:
    """A model server in a process of Ray.

    Args:
        models: A dictionary from the models' names to their folders.
        threads: How many threads it computes with.
    """

    def __init__(self, models, threads):
        use_threads(threads)
        self._server = ModelServer(models)
        self._service = PredictionService(self._server)

    # The methods of the gRPC service: Ray Serve calls them by their names.

    async def Predict(self, request, grpc_context):  # noqa: N802
        return await _answer(
            self._service.Predict(request, _Context()),
            predict_pb2.PredictResponse(),
            grpc_context,
        )

    async def GetModelMetadata(self, request, grpc_context):  # noqa: N802
        return await _answer(
            self._service.GetModelMetadata(request, _Context()),
            get_model_metadata_pb2.GetModelMetadataResponse(),
            grpc_context,
        )

    async def __call__(self, request):
        """Answers a request over REST: a Starlette request and response."""
        try:
            target = rest_protocol.parse_target(
                request.method, request.url.path
            )
            if target.verb == rest_protocol.PREDICT:
                content = await self._predict(target, await request.body())
            else:
                content = rest_protocol.describe(self._server, target)
            status = 200
        except ServingError as error:
            content = rest_protocol.error_json(str(error))
            status = rest_protocol.http_status(error)
        return Response(content, status, media_type="application/json")

    async def _predict(self, target, body):
        name, version, _ = target
        async with self._server.request("rest", name, version) as loaded:
            return await rest_protocol.predict(self._server, loaded, body)


class _Context:
    """What the service is told of instead of gRPC's own context."""

    async def abort(self, code, details):
        raise ServingError(code, details)


async def _answer(work, empty, grpc_context):
    """A refusal is told by its code; an exception would be logged at length."""
    try:
        return await work
    except ServingError as error:
        grpc_context.set_code(error.code)
        grpc_context.set_details(str(error))
        return empty


def main(_):
    # What Ray prints is for people, not for who reads our result.
    with contextlib.redirect_stdout(sys.stderr):
        _start()
    signals = (signal.SIGTERM, signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    command_line.print_json(
        {"rest_port": FLAGS.rest_port, "grpc_port": FLAGS.grpc_port}
    )
    signal.sigwait(signals)
    serve.shutdown()
    ray.shutdown()


def _start():
    ray.init(
        num_cpus=FLAGS.replicas * FLAGS.threads + 1,
        include_dashboard=False,
        logging_level="WARNING",
    )
    serve.start(
        http_options={"host": FLAGS.host, "port": FLAGS.rest_port},
        grpc_options={
            "port": FLAGS.grpc_port,
            "grpc_servicer_functions": [_SERVICE],
            "enable_reflection": False,
        },
        logging_config={"log_level": "WARNING", "enable_access_log": False},
    )
    deployment = serve.deployment(
        Replica,
        name="models",
        num_replicas=FLAGS.replicas,
        # So that there are some to be joined.
        max_ongoing_requests=64,
        ray_actor_options={"num_cpus": FLAGS.threads},
        logging_config={"log_level": "WARNING", "enable_access_log": False},
    )
    serve.run(deployment.bind(read_models(FLAGS.model), FLAGS.threads))


if __name__ == "__main__":
    flags.DEFINE_multi_string(
        "model", [], "NAME:DIR, as for elmo_tf.serve; several times."
    )
    flags.DEFINE_string("host", "127.0.0.1", "Where REST listens.")
    flags.DEFINE_integer("rest_port", 8501, "The port of REST.", 1)
    flags.DEFINE_integer("grpc_port", 8500, "The port of gRPC.", 1)
    flags.DEFINE_integer("replicas", 2, "Processes that compute.", 1)
    flags.DEFINE_integer("threads", 1, "Threads of each.", 1)
    command_line.run(main)
