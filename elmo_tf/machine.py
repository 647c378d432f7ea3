"""The machine that a measurement was made on."""

import os
import platform


def describe_machine():
    """Describes the processor, its cores that may be used, and Python.

    Returns:
        A dictionary of `processor`, `cores` and `python`.
    """
    model = None
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    model = line.partition(":")[2].strip()
                    break
    except OSError:
        pass
    return {
        "processor": model or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "python": platform.python_version(),
    }
