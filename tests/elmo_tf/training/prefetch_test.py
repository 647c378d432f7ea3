import itertools
import threading
import time

import pytest

from elmo_tf.training.prefetch import Prefetcher


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_order_and_end():
    prefetcher = Prefetcher(iter(range(20)), depth=3)
    assert list(prefetcher) == list(range(20))
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(prefetcher)
    prefetcher.close()


def test_only_so_far_ahead():
    made = []

    def items():
        for item in itertools.count():
            made.append(item)
            yield item

    prefetcher = Prefetcher(items(), depth=3)
    # Three in the queue, one in the hand of the thread.
    wait_until(lambda: len(made) == 4)
    time.sleep(0.02)
    assert len(made) == 4
    assert next(prefetcher) == 0
    wait_until(lambda: len(made) == 5)
    prefetcher.close()


def test_an_error_comes_after_the_items_before_it():
    def items():
        yield 1
        yield 2
        raise RuntimeError("the third is bad")

    prefetcher = Prefetcher(items())
    assert next(prefetcher) == 1
    assert next(prefetcher) == 2
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the third is bad"):
            next(prefetcher)
    prefetcher.close()


def test_close_ends_the_thread():
    before = threading.active_count()
    for consumed in (0, 1, 5):
        prefetcher = Prefetcher(itertools.count(), depth=2)
        for item in range(consumed):
            assert next(prefetcher) == item
        prefetcher.close()
        prefetcher.close()
    assert threading.active_count() == before


def test_close_after_an_error():
    before = threading.active_count()

    def items():
        raise RuntimeError
        yield

    prefetcher = Prefetcher(items(), depth=1)
    prefetcher.close()
    assert threading.active_count() == before
