"""Memory that the C library holds back from the system."""

import ctypes
import time

# It takes some hundredths of a second.
_SECONDS_BETWEEN = 2.0
_last = -_SECONDS_BETWEEN


def trim_heap():
    """Gives memory that was freed back to the system, where that is possible.

    TensorFlow allocates in many threads, and glibc keeps what each of them has
    freed for that thread: tens of megabytes that nobody else can use. Where the
    C library has no `malloc_trim`, nothing is done, nor within two seconds of
    the last time.
    """
    global _last
    now = time.monotonic()
    if now < _last + _SECONDS_BETWEEN:
        return
    _last = now
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(ctypes.c_size_t(0))
