import ctypes
import platform

import pytest

from elmo_tf import heap
from elmo_tf.heap import trim_heap


@pytest.fixture(autouse=True)
def long_ago(monkeypatch):
    """Whatever was trimmed in other tests."""
    monkeypatch.setattr(heap, "_last", -heap._SECONDS_BETWEEN)


def resident_bytes():
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="needs glibc's malloc_trim"
)
def test_freed_memory_goes_back():
    objects = [bytes(4000) for _ in range(50_000)]
    # What is left keeps the heap from shrinking by itself.
    objects = objects[::100]
    before = resident_bytes()
    trim_heap()
    assert resident_bytes() < before - 100e6
    assert len(objects) == 500


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_other_c_libraries_manage_without(monkeypatch, error):
    calls = []

    def missing(name):
        calls.append(name)
        raise error

    monkeypatch.setattr(ctypes, "CDLL", missing)
    trim_heap()
    assert calls == [None]
    # Not again so soon.
    trim_heap()
    assert calls == [None]
    monkeypatch.setattr(heap, "_SECONDS_BETWEEN", 0.0)
    trim_heap()
    assert calls == [None, None]
