"""What a server tells Prometheus."""

import prometheus_client

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class ServerMetrics:
    """What a server tells Prometheus.

    Attributes:
        registry: The `prometheus_client.CollectorRegistry`, of its own.
    """

    def __init__(self):
        self.registry = prometheus_client.CollectorRegistry()
        self._requests = prometheus_client.Counter(
            "elmo_tf_requests",
            "Requests for predictions by how they ended.",
            ["model", "api", "code"],
            registry=self.registry,
        )
        self._seconds = prometheus_client.Histogram(
            "elmo_tf_request_seconds",
            "How long requests for predictions took, waiting included.",
            ["model", "api"],
            buckets=(*_SECONDS, 5, 10, 30, 60),
            registry=self.registry,
        )
        self._rows = prometheus_client.Histogram(
            "elmo_tf_batch_rows",
            "The rows of the batches that ran.",
            ["model"],
            buckets=_ROWS,
            registry=self.registry,
        )
        self._waiting = prometheus_client.Gauge(
            "elmo_tf_waiting_requests",
            "Requests that wait for a worker.",
            ["model"],
            registry=self.registry,
        )
        self._version = prometheus_client.Gauge(
            "elmo_tf_model_version",
            "The version that is served.",
            ["model"],
            registry=self.registry,
        )

    def add_request(self, model, api, code, seconds):
        """Counts a request.

        Args:
            model: The name of a model that there is.
            api: "rest" or "grpc".
            code: The name of a `grpc.StatusCode`.
            seconds: How long it took.
        """
        self._requests.labels(model, api, code).inc()
        self._seconds.labels(model, api).observe(seconds)

    def add_batch(self, model, rows):
        """Counts a batch of some rows."""
        self._rows.labels(model).observe(rows)

    def set_model(self, model, version, waiting):
        """Tells a model's version and how many requests wait."""
        self._version.labels(model).set(version)
        self._waiting.labels(model).set(waiting)

    def text(self):
        """Returns Prometheus' text, bytes."""
        return prometheus_client.generate_latest(self.registry)
