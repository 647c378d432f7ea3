"""Gives inputs to targets again, such as those that fuzzing has found.

    python -m tests.fuzz.replay NAME=FILE [NAME=FILE …]

Prints a line of JSON for each: what it raised, the seconds, and by how many
megabytes the process has grown at most.
"""

import json
import resource
import sys
import time


def main(arguments):
    """Runs the inputs; returns the exit code."""
    # Importing TensorFlow takes longer than a mistake in the arguments should.
    from tests.fuzz.targets import find_target

    is_good = True
    for argument in arguments:
        name, _, path = argument.partition("=")
        target = find_target(name)
        with open(path, "rb") as file:
            data = file.read()
        # What is loaded and traced with the first input does not count.
        target.run(target.seeds()[0])
        before = _peak_megabytes()
        start = time.monotonic()
        error = None
        try:
            target.run(data)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"[:1000]
            is_good = False
        result = {
            "input": argument,
            "error": error,
            "seconds": round(time.monotonic() - start, 3),
            "megabytes": _peak_megabytes() - before,
        }
        print(json.dumps(result), flush=True)
    return int(not is_good)


def _peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
