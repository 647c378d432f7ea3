"""What the page for people asks of the server, and is given."""

import concurrent.futures
import re
import socket
import threading

import grpc
import numpy as np
import pytest
import requests

from elmo_tf.senses.examples import read_sentences
from elmo_tf.serving import neighbour_search
from elmo_tf.serving import web_page
from elmo_tf.serving.bearer_token import BearerToken
from tests.elmo_tf.serving import neighbour_model
from tests.elmo_tf.serving.running_server import RunningServer

SENTENCE = "the bank was closed"
TEXT = """the old bank was closed again
the river had a bank

a bank opened the bank
the bank was closed
"""


@pytest.fixture(scope="module")
def bilm(tmp_path_factory):
    return neighbour_model.save(tmp_path_factory.mktemp("bilm") / "model")


@pytest.fixture(scope="module")
def running(bilm, toy):
    limits = {"max_tokens": 500, "max_rows": 20, "max_body_bytes": 30_000}
    paths = {"words": bilm, "toy": toy}
    with RunningServer(paths, limits) as running:
        yield running


def get(running, path, **options):
    return requests.get(f"http://{running.rest}{path}", timeout=60, **options)


def post(running, path, body, **options):
    return requests.post(
        f"http://{running.rest}/page/{path}", json=body, timeout=60, **options
    )


def neighbours(running, **fields):
    body = {"model": "words", "sentence": SENTENCE, "text": TEXT, **fields}
    return post(running, "neighbours", body)


class TestFiles:
    def test_all_that_the_page_names_is_there(self, running):
        page = get(running, "/").text
        named = re.findall(r'(?:src|href)="(?!#)([^"]+)"', page)
        assert {"page/page.css", "page/page.js"} <= set(named)
        imported = set()
        for path in named:
            response = get(running, f"/{path}")
            assert response.status_code == 200, path
            imported |= set(re.findall(r'from "\./([^"]+)"', response.text))
        assert len(imported) > 3
        for name in imported:
            assert get(running, f"/page/{name}").status_code == 200, name

    def test_types_and_headers(self, running):
        for path, content_type in (
            ("/", "text/html"),
            ("/page/page.css", "text/css"),
            ("/page/page.js", "text/javascript"),
            ("/page/icon.svg", "image/svg+xml"),
        ):
            headers = get(running, path).headers
            assert headers["Content-Type"] == f"{content_type}; charset=utf-8"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            policy = headers["Content-Security-Policy"].split("; ")
            assert "default-src 'none'" in policy
            assert "script-src 'self'" in policy
            assert "frame-ancestors 'none'" in policy
            for word in ("unsafe", "http", "data:", "*"):
                assert word not in headers["Content-Security-Policy"]

    def test_nothing_is_from_elsewhere_and_nothing_is_inline(self, running):
        for path in web_page.WebPage.open_paths:
            text = get(running, path).text
            found = re.findall(r"https?://[^\"']+", text)
            # A name, of SVG's elements; nobody asks for it.
            assert set(found) <= {"http://www.w3.org/2000/svg"}, path
            assert "innerHTML" not in text
            assert not re.search(r"\sstyle=|\son\w+=|<style|javascript:", text)

    def test_other_files_are_not_given(self, running):
        for path in (
            "/page/",
            "/page/none.js",
            "/page/../web_page.py",
            "/page/%2e%2e/web_page.py",
            "/index.html",
        ):
            assert get(running, path).status_code == 400, path


class TestModels:
    def test_what_each_can_do(self, running):
        response = get(running, "/page/models.json")
        assert response.headers["Cache-Control"] == "no-store"
        toy, words = response.json()["models"]
        assert words == {
            "name": "words",
            "version": 1,
            "kind": "neighbours",
            "attention": False,
            "signatures": ["tokenize", "tokens"],
        }
        assert (toy["name"], toy["kind"]) == ("toy", None)
        assert "serving_default" in toy["signatures"]


class TestNeighbours:
    @pytest.mark.parametrize("same_word", [False, True])
    def test_as_by_brute_force(self, running, same_word):
        found = neighbours(running, same_word=same_word).json()
        tokens = SENTENCE.split()
        assert found["tokens"] == tokens
        sentences = [line.split() for line in TEXT.splitlines() if line]
        assert (found["n_sentences"], found["n_tokens"]) == (4, 20)
        assert list(map(len, found["neighbours"])) == [4, 4]
        query = unit(neighbour_model.vectors(tokens))
        for layer in range(2):
            for place, token in enumerate(tokens):
                expected = sorted(
                    (
                        -round(float(vector @ query[layer, place]), 5),
                        number,
                        own,
                    )
                    for number, sentence in enumerate(sentences)
                    # The sentence itself is there too.
                    if sentence != tokens
                    for own, vector in enumerate(
                        unit(neighbour_model.vectors(sentence))[layer]
                    )
                    if not same_word or sentence[own] == token
                )[:8]
                result = [
                    (-round(cosine, 5), number, own)
                    for cosine, number, own in found["neighbours"][layer][place]
                ]
                assert [row[1:] for row in result] == [
                    row[1:] for row in expected
                ]
                np.testing.assert_allclose(
                    [row[0] for row in result],
                    [row[0] for row in expected],
                    atol=3e-5,
                )
        for number, sentence in found["sentences"].items():
            assert sentence == sentences[int(number)]

    def test_by_default_in_the_sentences_of_the_package(self, running):
        found = neighbours(running, text=None).json()
        assert found["n_sentences"] == len(read_sentences())
        sentences = [sentence.split() for sentence in read_sentences()]
        for number, sentence in found["sentences"].items():
            assert sentence == sentences[int(number)]
        # The token layer knows nothing but the word.
        nearest = found["neighbours"][0][1]
        assert {found["sentences"][str(s)][p] for _, s, p in nearest} == {
            "bank"
        }

    def test_a_text_is_embedded_once(self, running, monkeypatch):
        text = "a text that nobody else has\nof two sentences"
        neighbours(running, text=text)
        calls = []
        add = neighbour_search._IndexedText.add
        monkeypatch.setattr(
            neighbour_search._IndexedText,
            "add",
            lambda *arguments: calls.append(add(*arguments)),
        )
        assert neighbours(running, text=text, sentence="of").ok
        assert calls == []
        assert neighbours(running, text=text + " more", sentence="of").ok
        assert calls

    def test_what_is_kept_is_bounded(self, bilm, monkeypatch):
        # Of one text of 20 words in two layers.
        n_bytes = 2 * 20 * neighbour_model.DIM * 4
        monkeypatch.setattr(neighbour_search, "_MAX_CACHED_BYTES", 2 * n_bytes)
        made = []
        index = neighbour_search._IndexedText
        monkeypatch.setattr(
            neighbour_search,
            "_IndexedText",
            lambda sentences: made.append(0) or index(sentences),
        )
        with RunningServer({"words": bilm}) as running:
            texts = [" ".join([word] * 20) for word in "abc"]
            for text in (*texts, texts[2], texts[1]):
                assert neighbours(running, text=text).ok
            assert len(made) == 3
            # It made room for the third.
            assert neighbours(running, text=texts[0]).ok
            assert len(made) == 4

    def test_what_is_begun_goes_on(self, bilm, monkeypatch):
        """Where a request ends in the middle, the next one starts there."""
        text = "\n".join(f"word{number} here" for number in range(40))
        with RunningServer({"words": bilm}, {"max_rows": 10}) as running:
            taken = []
            add = neighbour_search._IndexedText.add

            def fail_later(self, numbers, vectors):
                if len(taken) == 2:
                    taken.append(None)
                    raise RuntimeError("the end of a request")
                taken.append(list(numbers))
                add(self, numbers, vectors)

            monkeypatch.setattr(
                neighbour_search._IndexedText, "add", fail_later
            )
            assert neighbours(running, text=text).status_code == 500
            taken[2:] = [[], []]
            assert neighbours(running, text=text).ok
        # All in all each sentence once.
        assert sorted(sum(taken, [])) == list(range(40))

    @pytest.mark.parametrize(
        "fields, status, message",
        [
            ({"sentence": " "}, 400, "sentence: there is no word in it"),
            ({"text": " \n"}, 400, "text: there is no word in it"),
            ({"sentence": 3}, 400, "sentence: expected a JSON value of the ty"),
            ({"text": []}, 400, "text: expected a JSON value of the type str"),
            ({"same_word": 1}, 400, "same_word: expected a JSON value of the"),
            ({"version": "1"}, 400, "version: expected a JSON value of the t"),
            ({"model": None}, 400, "model: expected a JSON value of the type"),
            ({"sentence": "a \ud800"}, 400, "sentence: found half of a surro"),
            ({"model": "none"}, 404, "Servable not found for request: Latest"),
            ({"version": 9}, 404, "Servable not found for request: Specific("),
            ({"model": "toy"}, 400, "the model toy does not offer that"),
            (
                {"sentence": "a " * 101},
                400,
                "sentence: found 101 words and punctuation marks, at most 100",
            ),
            (
                {"text": "a " * 501},
                400,
                "input text: found 501 words and punctuation marks, at most 5",
            ),
            ({"text": "to fail"}, 400, "found the word fail in the text"),
            ({"text": "a" * 30_000}, 413, "the request is longer than 30000"),
        ],
    )
    def test_errors(self, running, fields, status, message):
        response = neighbours(running, **fields)
        assert response.status_code == status
        error = response.json()["error"]
        assert (
            message in error
            if "fail" in message
            else (error.startswith(message))
        )
        # It goes on.
        assert neighbours(running).ok

    def test_the_longest_text(self, running, monkeypatch):
        monkeypatch.setattr(neighbour_search, "MAX_TEXT_TOKENS", 19)
        response = neighbours(running, text=TEXT + "one more")
        assert response.status_code == 400
        assert response.json()["error"].startswith("text: found 22 words and")

    def test_batches_keep_the_limits(self, running):
        """Of 20 rows and 500 tokens, for a text of up to 500 words."""
        text = "\n".join(["a b c d e f g h"] * 40 + ["a " * 100])
        found = neighbours(running, text=text).json()
        assert found["n_tokens"] == 40 * 8 + 100

    def test_too_many_at_once(self, bilm, monkeypatch):
        gate = threading.Event()
        has_begun = threading.Event()

        def wait(text):
            has_begun.set()
            gate.wait(60)
            return text.splitlines()

        monkeypatch.setattr(neighbour_search, "_sentences", wait)
        with (
            RunningServer({"words": bilm}, {"max_queue": 1}) as running,
            concurrent.futures.ThreadPoolExecutor(1) as pool,
        ):
            first = pool.submit(neighbours, running)
            assert has_begun.wait(60)
            second = neighbours(running)
            gate.set()
            assert first.result().ok
            assert second.status_code == 429
            assert second.json()["error"].startswith("1 searches are waiting")
            assert neighbours(running).ok

    def test_a_request_that_does_not_come(self, bilm):
        with RunningServer({"words": bilm}, {"timeout": 0.5}) as running:
            host, port = running.rest.split(":")
            with socket.create_connection((host, int(port)), 60) as client:
                client.sendall(
                    b"POST /page/neighbours HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Length: 10\r\n\r\n{"
                )
                assert b" 504 " in client.recv(1000).partition(b"\r")[0]

    def test_what_is_not_json(self, running):
        response = requests.post(
            f"http://{running.rest}/page/neighbours", data=b"{", timeout=60
        )
        assert response.status_code == 400
        assert response.json()["error"].startswith("JSON Parse error")

    def test_it_is_counted(self, running):
        neighbours(running)
        text = get(running, "/metrics").text
        assert (
            'elmo_tf_requests_total{api="rest",code="OK",model="words"}' in text
        )


class TestAttention:
    def test_not_of_other_models(self, running):
        body = {"model": "words", "context": "a", "question": "b"}
        response = post(running, "attention", body)
        assert response.status_code == 400
        assert response.json()["error"] == (
            "the model words does not offer that"
        )

    def test_too_many_cells(self):
        outputs = {
            "context_tokens": np.full([1, 300], b"a", object),
            "question_tokens": np.full([1, 200], b"b", object),
            "context_starts": np.zeros([1, 300], np.int32),
            "context_ends": np.zeros([1, 300], np.int32),
            "context_sequence_len": np.array([300], np.int32),
            "question_sequence_len": np.array([200], np.int32),
            "context_to_query": np.zeros([1, 300, 200], np.float32),
            "query_to_context": np.zeros([1, 300], np.float32),
        }
        with pytest.raises(web_page.ServingError, match="300 × 200") as error:
            web_page._describe_attention(outputs)
        assert error.value.code == grpc.StatusCode.INVALID_ARGUMENT


class TestToken:
    def test_files_are_open_and_the_rest_is_not(self, bilm):
        address = {"token": BearerToken("secret")}
        right = {"headers": {"Authorization": "Bearer secret"}}
        body = {"model": "words", "sentence": SENTENCE, "text": TEXT}
        with RunningServer({"words": bilm}, None, address) as running:
            for path in web_page.WebPage.open_paths:
                assert get(running, path).status_code == 200
            assert get(running, "/page/models.json").status_code == 401
            assert get(running, "/page/models.json", **right).ok
            for path in ("neighbours", "attention"):
                assert post(running, path, body).status_code == 401
            assert post(running, "neighbours", body, **right).ok


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
