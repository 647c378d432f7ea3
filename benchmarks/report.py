"""Numbers as a benchmark prints them, and its file of JSON."""

import json

from elmo_tf.atomic_file import write_file


def number(value):
    """Formats a count or a rate: "12,345", or "—" for None."""
    if value is None:
        return "—"
    if value < 10:
        return f"{value:.2f}"
    return f"{value:,.0f}"


def megabytes(n_bytes):
    """Formats a size in megabytes of 10⁶ bytes."""
    return f"{n_bytes / 1e6:,.0f} MB"


def write(path, result):
    """Writes a benchmark's result as JSON, atomically.

    Args:
        path: The file.
        result: The dictionary.
    """
    with write_file(path) as partial:
        with open(partial, "w", encoding="utf-8") as output:
            json.dump(result, output, indent=2)
            output.write("\n")
