"""Memory that the C library holds back from the system."""

import ctypes


def trim_heap():
    """Gives memory that was freed back to the system, where that is possible.

    TensorFlow allocates in many threads, and glibc keeps what each of them has
    freed for that thread: tens of megabytes that nobody else can use. Where the
    C library has no `malloc_trim`, nothing is done.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(ctypes.c_size_t(0))
