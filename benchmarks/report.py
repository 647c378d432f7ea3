"""What a benchmark prints: tables to read, and one line of JSON."""

import json
import os
import platform

from elmo_tf.atomic_file import write_file


def table(header, rows):
    """Formats a table, as Markdown with its columns aligned.

    Args:
        header: The columns' names.
        rows: Lists of as many cells, strings; the first column is the names'.

    Returns:
        The text, without a newline at its end.
    """
    widths = [
        max(len(row[column]) for row in [header, *rows])
        for column in range(len(header))
    ]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(
                zip(row, widths, strict=True)
            )
        )
        + " |"
        for row in [header, *rows]
    ]
    rule = [
        "-" * (width + 1) + (":" if column else "-")
        for column, width in enumerate(widths)
    ]
    lines.insert(1, "|" + "|".join(rule) + "|")
    return "\n".join(lines)


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


def percent(summary):
    """Formats a share as `tasks.results.summarize` has it: "41.27 ± 0.35".

    Args:
        summary: A dictionary of `mean` and `standard_deviation`, which may be
            None, between 0 and 1.

    Returns:
        The two in per cent, without the sign.
    """
    text = f"{100 * summary['mean']:.2f}"
    if summary["standard_deviation"] is None:
        return text
    return f"{text} ± {100 * summary['standard_deviation']:.2f}"


def machine():
    """Describes the machine, a dictionary for the JSON."""
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
