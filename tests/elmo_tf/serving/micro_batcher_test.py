"""Requests that run together get what they would get alone."""

import asyncio
import concurrent.futures
import threading

import grpc
import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.serving.micro_batcher import MicroBatcher
from elmo_tf.serving.served_model import ServedModel
from elmo_tf.serving.serving_error import ServingError
from elmo_tf.serving.signature import Signature
from elmo_tf.text.characters import character_ids


class SlowModel:
    """Doubles numbers, when it is told to go on."""

    def __init__(self):
        spec = tf.TensorSpec([None], tf.float32, "x")
        self.signatures = {"double": Signature({"x": spec}, {"y": spec})}
        self.signature = self.signatures.__getitem__
        self.go_on = threading.Event()
        self.batches = []

    def predict(self, signature_name, inputs):
        self.batches.append(inputs["x"].tolist())
        assert self.go_on.wait(30)
        if -1 in inputs["x"]:
            raise ServingError.invalid("x is -1")
        if -2 in inputs["x"]:
            raise RuntimeError("a defect")
        return {"y": 2 * inputs["x"]}


@pytest.fixture
def executor():
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        yield executor


def ask(batcher, *values):
    inputs = {"x": np.array(values, np.float32)}
    return asyncio.create_task(batcher.predict("double", inputs))


async def settle():
    for _ in range(5):
        await asyncio.sleep(0.01)


def test_what_waits_runs_together(executor):
    model = SlowModel()
    rows = []

    async def run():
        batcher = MicroBatcher(
            model, executor, max_batch_size=4, on_batch=rows.append
        )
        tasks = [ask(batcher, 1)]
        await settle()
        tasks += [ask(batcher, 2), ask(batcher, 3, 4), ask(batcher, 5, 6)]
        tasks += [ask(batcher, 7), ask(batcher, *range(10, 16))]
        await settle()
        assert batcher.n_waiting == 5
        model.go_on.set()
        answers = await asyncio.gather(*tasks)
        assert batcher.n_waiting == 0
        return [answer["y"].tolist() for answer in answers]

    assert asyncio.run(run()) == [
        *([2], [4], [6, 8], [10, 12], [14]),
        [20, 22, 24, 26, 28, 30],
    ]
    assert model.batches == [
        *([1], [2, 3, 4], [5, 6, 7]),
        [10, 11, 12, 13, 14, 15],
    ]
    assert rows == [1, 3, 3, 6]


def test_a_timeout_waits_for_others(executor):
    model = SlowModel()
    model.go_on.set()

    async def run():
        batcher = MicroBatcher(
            model, executor, max_batch_size=3, batch_timeout=0.3
        )
        loop = asyncio.get_running_loop()
        start = loop.time()
        first = ask(batcher, 1)
        await settle()
        assert model.batches == []
        await asyncio.gather(first, ask(batcher, 2))
        assert loop.time() - start >= 0.3
        # A full batch does not wait.
        start = loop.time()
        await asyncio.gather(ask(batcher, 3, 4), ask(batcher, 5))
        assert loop.time() - start < 0.3

    asyncio.run(run())
    assert model.batches == [[1, 2], [3, 4, 5]]


def test_an_error_meets_only_who_made_it(executor):
    model = SlowModel()

    async def run():
        batcher = MicroBatcher(model, executor)
        tasks = [ask(batcher, x) for x in (1, -1, 2, -2, 3)]
        await settle()
        model.go_on.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, second, third, fourth, fifth = asyncio.run(run())
    assert first["y"].tolist() == [2]
    assert (second.code, str(second)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "x is -1",
    )
    assert third["y"].tolist() == [4]
    assert fourth.code == grpc.StatusCode.INTERNAL
    assert "a defect" not in str(fourth)
    assert fifth["y"].tolist() == [6]


def test_overload_and_who_leaves(executor):
    model = SlowModel()

    async def run():
        batcher = MicroBatcher(model, executor, max_queue=2)
        running = ask(batcher, 1)
        await settle()
        waiting = [ask(batcher, 2), ask(batcher, 3)]
        await settle()
        with pytest.raises(ServingError) as error:
            await ask(batcher, 4)
        assert error.value.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        waiting[0].cancel()
        await settle()
        # There is room again.
        waiting[0] = ask(batcher, 5)
        await settle()
        model.go_on.set()
        answers = await asyncio.gather(running, *waiting)
        return [answer["y"].tolist() for answer in answers]

    assert asyncio.run(run()) == [[2], [10], [6]]
    assert model.batches == [[1], [3, 5]]


def test_wrong_inputs_do_not_wait(executor):
    batcher = MicroBatcher(SlowModel(), executor)
    for inputs, message in (
        (
            {"x": np.zeros(2, np.int32)},
            "input x: found int32, expected float32",
        ),
        (
            {"x": np.zeros([2, 2], np.float32)},
            "input x: found the shape [2, 2]",
        ),
        ({}, "input size does not match signature: 0!=1"),
    ):
        with pytest.raises(ServingError) as error:
            asyncio.run(batcher.predict("double", inputs))
        assert str(error.value).startswith(message)


WORDS = ["word1", "naïve", "Ω" * 30, "a", ".", "unknown", "<S>"]


def random_request(generator, name):
    """A request for a signature of a biLM: up to three sentences."""
    sentences = [
        list(generator.choice(WORDS, generator.integers(0, 7)))
        for _ in range(generator.integers(1, 4))
    ]
    if name in ("default", "tokenize"):
        texts = [" ".join(sentence).encode() for sentence in sentences]
        return {"strings": np.array(texts, object)}
    # Some more padding than it needs.
    width = max(map(len, sentences)) + generator.integers(0, 3)
    tokens = np.full([len(sentences), width], b"", object)
    for row, sentence in enumerate(sentences):
        tokens[row, : len(sentence)] = [word.encode() for word in sentence]
    lengths = np.array(list(map(len, sentences)), np.int32)
    if name == "character_ids":
        ids = character_ids(tf.constant(tokens, tf.string), 10).numpy()
        mask = np.arange(width) < lengths[:, np.newaxis]
        return {name: ids * mask[:, :, np.newaxis]}
    return {"tokens": tokens, "sequence_len": lengths}


@pytest.mark.slow
def test_of_a_bilm_alone_and_together(saved_model, executor):
    model = ServedModel(saved_model, 1)
    generator = np.random.default_rng(0)
    rows = []

    async def together(name, requests):
        batcher = MicroBatcher(
            model, executor, max_batch_size=12, on_batch=rows.append
        )
        return await asyncio.gather(
            *(batcher.predict(name, inputs) for inputs in requests)
        )

    names = ["default", "tokens", "tokenize", "character_ids", "score"]
    for name in names:
        requests = [random_request(generator, name) for _ in range(30)]
        rows.clear()
        answers = asyncio.run(together(name, requests))
        assert len(rows) < len(requests), name
        for inputs, answer in zip(requests, answers, strict=True):
            alone = model.predict(name, inputs)
            assert alone.keys() == answer.keys()
            for key, expected in alone.items():
                assert answer[key].dtype == expected.dtype
                if expected.dtype == object:
                    np.testing.assert_array_equal(answer[key], expected)
                else:
                    np.testing.assert_allclose(
                        answer[key], expected, atol=1e-5, rtol=1e-5
                    )
