"""The REST API, asked as TensorFlow Serving is."""

import concurrent.futures
import json
import socket

import pytest
import requests


@pytest.fixture(scope="module")
def ask(server):
    with requests.Session() as session:

        def ask(method, path, body=None):
            data = body if isinstance(body, bytes | None) else json.dumps(body)
            return session.request(
                method, f"http://{server.rest}{path}", data=data, timeout=60
            )

        yield ask


PREDICT = "/v1/models/toy:predict"


def test_documented_example(ask):
    response = ask("POST", PREDICT, {"instances": [1.0, 2.0, 5.0]})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/json")
    assert response.json() == {"predictions": [2.5, 3.0, 4.5]}
    response = ask("POST", PREDICT, {"inputs": [1.0, 2.0, 5.0]})
    assert response.json() == {"outputs": [2.5, 3.0, 4.5]}


def test_named(ask):
    rows = [
        {"tag": "foo", "signal": [1, 2, 3], "sensor": [[1, 2], [3, 4]]},
        {
            "tag": {"b64": "/w=="},
            "signal": [3, 4, 1],
            "sensor": [[4, 5], [6, 8]],
        },
    ]
    body = {"signature_name": "named", "instances": rows[:1]}
    assert ask("POST", PREDICT, body).json() == {
        "predictions": [
            {
                "total": 6,
                "transposed": [[1.0, 3.0], [2.0, 4.0]],
                "tag": "foo",
                "tag_bytes": {"b64": "Zm9v"},
            }
        ]
    }
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    body = {"signature_name": "named", "inputs": columns}
    outputs = ask("POST", PREDICT, body).json()["outputs"]
    assert outputs["total"] == [6, 8]
    assert outputs["tag_bytes"] == [{"b64": "Zm9v"}, {"b64": "/w=="}]


def test_a_scalar(ask):
    body = {"signature_name": "scalar", "inputs": 41}
    assert ask("POST", PREDICT, body).json() == {"outputs": 42}


def test_version(ask):
    path = "/v1/models/toy/versions/1:predict"
    response = ask("POST", path, {"instances": [1.0]})
    assert response.json() == {"predictions": [2.5]}


def test_status(ask):
    for path in ("/v1/models/toy", "/v1/models/toy/versions/1"):
        assert ask("GET", path).json() == {
            "model_version_status": [
                {
                    "version": "1",
                    "state": "AVAILABLE",
                    "status": {"error_code": "OK", "error_message": ""},
                }
            ]
        }


def test_metadata(ask):
    for path in ("/versions/1/metadata", "/metadata", ":metadata"):
        answer = ask("GET", f"/v1/models/toy{path}").json()
        assert answer["model_spec"] == {
            "name": "toy",
            "signature_name": "",
            "version": "1",
        }
        signatures = answer["metadata"]["signature_def"]["signature_def"]
        default = signatures["serving_default"]
        assert default["method_name"] == "tensorflow/serving/predict"
        assert default["inputs"]["x"] == {
            "dtype": "DT_FLOAT",
            "tensor_shape": {
                "dim": [{"size": "-1", "name": ""}],
                "unknown_rank": False,
            },
            "name": "serving_default_x:0",
        }


@pytest.mark.parametrize(
    "method, path, status, message",
    [
        ("GET", "/v1/models/other", 404, "Servable not found for request: L"),
        ("POST", "/v1/models/other:predict", 404, "Servable not found for r"),
        (
            "POST",
            "/v1/models/toy/versions/9:predict",
            404,
            "Servable not found for request: Specific(toy, 9)",
        ),
        ("GET", "/v1/models/toy/versions/9", 404, "Could not find version 9"),
        ("GET", "/v1/models/toy/versions/9/metadata", 404, "Servable not fou"),
        ("GET", "/v1/models/../../etc/passwd", 400, "Malformed request: GET"),
        ("GET", "/v1/models/%2e%2e%2f%2e%2e", 400, "Malformed request: GET"),
        ("GET", "/v1/models/..", 400, "Malformed request: GET"),
        ("GET", PREDICT, 400, f"Malformed request: GET {PREDICT}"),
        ("POST", "/v1/models/toy", 400, "Malformed request: POST /v1/models"),
        ("POST", "/v1/models/toy:classify", 400, "Malformed request: POST"),
        ("GET", "/v1", 400, "Malformed request: GET /v1"),
        ("POST", "/", 400, "Malformed request: POST /"),
        ("POST", PREDICT, 400, "JSON Parse error: The document is empty"),
    ],
)
def test_errors(ask, method, path, status, message):
    response = ask(method, path)
    assert response.status_code == status
    assert list(response.json()) == ["error"]
    assert response.json()["error"].startswith(message)


@pytest.mark.parametrize(
    "body, status, message",
    [
        (
            {"signature_name": "no", "instances": [1]},
            400,
            "Serving signature n",
        ),
        ({"instances": ["a"]}, 400, 'JSON Value: "a" Type: String is not of e'),
        (b"[" * 10_000, 400, "JSON Parse error: nested too deeply"),
        (b'{"instances": [\xff]}', 400, "JSON Parse error: 'utf-8' codec can"),
        (b"x" * 20_001, 413, "the request is longer than 20000 bytes"),
        ({"instances": [1.0] * 101}, 400, "input x: found 101 rows, at most 1"),
        (
            {"signature_name": "checked", "instances": [-1.0]},
            400,
            "assertion failed: [`x` should not be negative.",
        ),
        (
            {
                "signature_name": "named",
                "inputs": {
                    "tag": ["a " * 201],
                    "signal": [[1, 2, 3]],
                    "sensor": [[[1, 2], [3, 4]]],
                },
            },
            400,
            "input tag: found 201 words and punctuation marks, at most 200 are",
        ),
    ],
)
def test_bodies(ask, body, status, message):
    response = ask("POST", PREDICT, body)
    assert response.status_code == status
    assert response.json()["error"].startswith(message)
    # It goes on.
    assert ask("POST", PREDICT, {"instances": [1.0]}).ok


def test_what_is_not_http(server):
    host, port = server.rest.split(":")
    for text in (b"\0\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with socket.create_connection((host, int(port)), timeout=30) as client:
            client.sendall(text)
            assert b" 400 " in client.recv(1000)


def test_health_and_metrics(ask):
    ask("POST", PREDICT, {"instances": [1.0]})
    ask("POST", PREDICT, {"instances": ["a"]})
    ask("POST", PREDICT, b"x" * 20_001)
    assert ask("GET", "/healthz").status_code == 200
    assert ask("GET", "/readyz").json() == {"status": "ready"}
    for path in ("/metrics", "/monitoring/prometheus/metrics"):
        text = ask("GET", path).text
        for line in (
            'elmo_tf_requests_total{api="rest",code="OK",model="toy"} ',
            'elmo_tf_requests_total{api="rest",code="INVALID_ARGUMENT",',
            'elmo_tf_requests_total{api="rest",code="OUT_OF_RANGE",',
            'elmo_tf_request_seconds_count{api="rest",model="toy"} ',
            'elmo_tf_batch_rows_count{model="toy"} ',
            'elmo_tf_waiting_requests{model="toy"} 0.0',
            'elmo_tf_model_version{model="toy"} 1.0',
        ):
            assert line in text
        assert 'model="other"' not in text


def test_many_at_once(ask):
    def one(x):
        return ask("POST", PREDICT, {"instances": [x]}).json()["predictions"]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(100)))
    assert found == [[x / 2 + 2] for x in range(100)]
