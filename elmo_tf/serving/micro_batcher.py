"""Runs a model's requests, several at once where that is possible."""

import asyncio
import collections
import dataclasses
import typing

import grpc
from absl import logging

from elmo_tf.serving.request_joiner import RequestJoiner
from elmo_tf.serving.request_joiner import n_rows
from elmo_tf.serving.serving_error import ServingError


@dataclasses.dataclass(eq=False)
class _Request:
    """A request that waits.

    Attributes:
        signature_name: The signature's name.
        inputs: A dictionary of arrays.
        key: What all it may be joined with has too; None: it runs alone.
        n_rows: The number of its rows; 1 of one that runs alone.
        future: What its outputs go into.
        arrival: The event loop's time at which it came.
    """

    signature_name: str
    inputs: dict
    key: typing.Any
    n_rows: int
    future: asyncio.Future
    arrival: float


class MicroBatcher:
    """Runs a model's requests, several at once where that is possible.

    The batches adapt to the load: while all workers are busy, requests wait,
    and the next worker that is free takes all that may be joined; where one is
    free, a request does not wait, unless there is a batch timeout.

    Its methods run in the event loop, TensorFlow in the workers.

    Args:
        model: The `ServedModel`.
        executor: The `concurrent.futures.Executor` of the workers.
        n_workers: How many batches run at once.
        max_batch_size: The most rows joined; a request of more runs alone.
        batch_timeout: For how many seconds a request waits for others though a
            worker is free.
        max_queue: How many requests may wait.
        on_batch: Called, in a worker, with the number of rows of each batch.
    """

    def __init__(
        self,
        model,
        executor,
        n_workers=1,
        max_batch_size=32,
        batch_timeout=0.0,
        max_queue=256,
        on_batch=None,
    ):
        self._model = model
        self._executor = executor
        self._n_workers = n_workers
        self._max_batch_size = max_batch_size
        self._batch_timeout = batch_timeout
        self._max_queue = max_queue
        self._on_batch = on_batch or (lambda rows: None)
        self._joiners = {
            name: RequestJoiner(signature)
            for name, signature in model.signatures.items()
        }
        # Signatures whose outputs turned out not to be taken apart.
        self._unjoinable = set()
        self._waiting = collections.deque()
        self._n_running = 0
        self._timer = None

    @property
    def n_waiting(self):
        """The number of requests that wait for a worker."""
        return len(self._waiting)

    async def predict(self, signature_name, inputs):
        """Runs a signature; as `ServedModel.predict`.

        Whoever stops waiting for it takes the request out of the queue.

        Raises:
            ServingError: As `ServedModel.predict`, or too many requests wait.
        """
        self._model.signature(signature_name).check(inputs)
        self.check_queue()
        key = None
        if signature_name not in self._unjoinable:
            key = self._joiners[signature_name].key(inputs)
        loop = asyncio.get_running_loop()
        request = _Request(
            signature_name,
            inputs,
            key if key is None else (signature_name, key),
            1 if key is None else n_rows(inputs),
            loop.create_future(),
            loop.time(),
        )
        self._waiting.append(request)
        self._start_batches()
        try:
            return await request.future
        except asyncio.CancelledError:
            if request in self._waiting:
                self._waiting.remove(request)
            raise

    def check_queue(self):
        """Refuses a request that would find too many before it.

        Raises:
            ServingError: Too many requests wait.
        """
        if self.n_waiting >= self._max_queue:
            raise ServingError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"{self._max_queue} requests are waiting already; try again "
                "later",
            )

    def _start_batches(self):
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._n_running < self._n_workers:
            batch, start = self._next_batch(loop.time())
            if not batch:
                if start is not None:
                    self._timer = loop.call_at(start, self._start_batches)
                return
            chosen = set(map(id, batch))
            self._waiting = collections.deque(
                request
                for request in self._waiting
                if id(request) not in chosen and not request.future.done()
            )
            self._n_running += 1
            work = loop.run_in_executor(self._executor, self._run, batch)
            work.add_done_callback(
                lambda work, batch=batch: self._finish(work, batch)
            )

    def _next_batch(self, now):
        """Chooses what to run next.

        Returns a list of requests; or an empty one and when to ask again, None
        if not before another request.
        """
        batches = {}
        for request in self._waiting:
            if request.future.done():
                continue
            # A request that runs alone is a batch that is complete.
            key = id(request) if request.key is None else request.key
            rows, is_full, batch = batches.get(key, (0, False, []))
            if is_full:
                continue
            rows += request.n_rows
            if not batch or rows <= self._max_batch_size:
                batch.append(request)
            is_full = request.key is None or rows >= self._max_batch_size
            batches[key] = rows, is_full, batch
        starts = []
        for _, is_full, batch in batches.values():
            start = batch[0].arrival + self._batch_timeout
            if is_full or start <= now:
                return batch, None
            starts.append(start)
        return [], min(starts, default=None)

    def _run(self, batch):
        """Returns what each request of a batch gets: outputs or an error."""
        if len(batch) > 1:
            answers = self._run_joined(batch)
            if answers is not None:
                return answers
        answers = []
        for request in batch:
            self._on_batch(request.n_rows)
            try:
                answers.append(
                    self._model.predict(request.signature_name, request.inputs)
                )
            except ServingError as error:
                answers.append(error)
            except Exception as error:
                logging.exception("%s failed", request.signature_name)
                answers.append(
                    ServingError(
                        grpc.StatusCode.INTERNAL,
                        f"the model failed: {type(error).__name__}",
                    )
                )
        return answers

    def _run_joined(self, batch):
        """Returns each request's outputs; None: each must run alone."""
        name = batch[0].signature_name
        joiner = self._joiners[name]
        requests = [request.inputs for request in batch]
        self._on_batch(sum(request.n_rows for request in batch))
        try:
            outputs = self._model.predict(name, joiner.join(requests))
        except Exception:
            # Which request is to blame shows when each runs alone.
            return None
        answers = joiner.split(outputs, requests)
        if answers is None:
            self._unjoinable.add(name)
        return answers

    def _finish(self, work, batch):
        self._n_running -= 1
        if work.cancelled():
            stopping = ServingError(
                grpc.StatusCode.UNAVAILABLE, "the server is stopping"
            )
            answers = [stopping] * len(batch)
        else:
            answers = work.result()
        for request, answer in zip(batch, answers, strict=True):
            if request.future.done():
                continue
            if isinstance(answer, ServingError):
                request.future.set_exception(answer)
            else:
                request.future.set_result(answer)
        self._start_batches()
