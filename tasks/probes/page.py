"""The page of what a probe has measured."""

import pathlib

from elmo_tf.atomic_file import write_file
from elmo_tf.command_line import command


def write_page(path, title, module, table, note=None):
    """Writes a table with what is needed to make it again.

    Args:
        path: The Markdown file.
        title: Its heading.
        module: The probe's module, which this process runs.
        table: The table, or several, as Markdown text.
        note: What the figures are, a paragraph; None: that is plain.
    """
    parts = [
        f"# {title}",
        "Made by",
        f"```sh\n{command(module)}\n```",
        table,
        *([note] if note else []),
    ]
    with write_file(path) as partial:
        text = "\n\n".join(parts) + "\n"
        pathlib.Path(partial).write_text(text, encoding="utf-8")
